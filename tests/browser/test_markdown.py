"""What JupyterLab makes of our Markdown and our static HTML where none of our code draws them."""

from __future__ import annotations

from typing import Any

import pytest
from builders import assistant, turn, user
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import Page, expect
from render.reading import HOSTILE

from jupyter_history.notebook.compare import html
from jupyter_history.notebook.markdown import safe

pytestmark = pytest.mark.browser

PRICES = "It costs $5 and $6, US\\$7 and \\$8, `$HOME` and $HOME/$USER. Formulas: $x^2$, \\(y\\), $a<b$.\n\n$$z\n= 1$$"


def shown(**data: str) -> Any:
    """A saved cell with one output; `text_markdown` stands for text/markdown."""
    output = new_output("display_data", data={name.replace("_", "/"): value for name, value in data.items()})
    return new_code_cell("# saved", outputs=[output])


def test_prices_are_no_formulas_and_formulas_are(opened: Any, page: Page) -> None:
    opened(shown(text_markdown=safe(PRICES)), kernel=False)
    output = page.locator(".jp-OutputArea-output").first
    expect(output.locator("mjx-container")).to_have_count(4)
    expect(output).to_contain_text("It costs $5 and $6, US$7 and $8, $HOME and $HOME/$USER. Formulas:")


def test_static_views_typeset_nothing(opened: Any, page: Page) -> None:
    said = "It costs $5 or $6; \\(x\\) and $\\href{javascript:x}{y}$."
    turns = [turn("c", f"{id}00001", messages=(user(said), assistant(said + id)), cost=0.5) for id in "ab"]
    opened(shown(text_html=html(turns)), shown(text_markdown="$x$"), kernel=False)
    outputs = page.locator(".jp-OutputArea-output")
    expect(outputs.nth(1).locator("mjx-container")).to_have_count(1)
    expect(outputs.nth(0).locator("mjx-container")).to_have_count(0)
    expect(outputs.nth(0)).to_contain_text(said)


def test_no_hostile_answer_runs_or_loads_anything(opened: Any, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"a dialog: {dialog.message}"))
    opened(*(shown(text_markdown=safe(answer)) for answer in HOSTILE), shown(text_markdown="the last"), kernel=False)
    outputs = page.locator(".jp-OutputArea-output")
    page.locator(".jp-Notebook").press("End")
    expect(outputs.last).to_contain_text("the last")
    expect(page.locator(".jp-OutputArea-output").locator("script, img, iframe, svg, style")).to_have_count(0)
    assert [url for url in asked if "127.0.0.1" not in url and not url.startswith(("data:", "blob:"))] == []
