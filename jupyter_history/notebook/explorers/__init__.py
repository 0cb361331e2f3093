"""The explorers: tree, compare, ladder, pages. Each is one display that lives where it can and reads everywhere.

    explore(session) -> TreeView             the conversation's turns
    compare(session, "a", "b") -> CompareView
    ladder(session, "a") -> LadderView       what was sent for a turn, and why
    pages(session, "a") -> PagesView         the images that stand for older turns

A view shows itself as a widget, as JSON of our own (for the JupyterLab extension), as HTML without scripts and as
text. `view.static()` is the HTML alone, for front ends that choose badly among several forms.
"""

from __future__ import annotations

from .compare import CompareView, compare
from .ladder import LadderView, ladder
from .pages import PagesView, pages
from .tree import TreeView, explore
from .view import MIME, View, session_of

__all__ = [
    "MIME", "CompareView", "LadderView", "PagesView", "TreeView", "View", "compare", "explore", "ladder", "pages",
    "session_of",
]  # fmt: skip
