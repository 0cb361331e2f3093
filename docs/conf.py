"""Sphinx reads these pages with MyST: ./dev docs   (or python -m sphinx -W docs docs/_build)"""

from __future__ import annotations

from pygments.lexers.special import TextLexer

project = "jupyter_history"
author = "the authors of jupyter_history"
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Conversations with models, kept as a tree",
    "fixed_sidebar": True,
    "page_width": "70em",
}
html_show_sourcelink = False
html_copy_source = False
myst_heading_anchors = 3


def setup(app: object) -> None:
    app.add_lexer("chat", TextLexer)  # type: ignore[attr-defined]
