"""What a saved notebook shows where no kernel of ours runs, and what a hostile answer can do: nothing."""

from __future__ import annotations

import re
from typing import Any

import nbformat
import pytest
from browser.conftest import BOTH
from lab import LOAD, Notebook, Server, chat, write_notebook
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

HOSTILE = """
# Harmless heading
<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"><style>* { display: none }</style>
<iframe srcdoc="<script>parent.pwned = 1</script>"></iframe>

[a link](javascript:window.pwned=1) and ![a picture](http://127.0.0.1:9/pixel.png)

It costs $5 and then $6. \u202eright to left\u202c

```html
<b>unclosed
"""
EVIL = f"""
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
server = Scripted()
server.reply({HOSTILE!r}, thinking="<img src=x onerror=window.pwned=1>")
session = Session.open("evil", client=Client(transport=server), model="claude-sonnet-5-5")
session.send("<img src=x onerror=window.pwned=1>")
"""


@BOTH
def test_a_notebook_reopened_untrusted_and_without_a_kernel_shows_its_answers(opened: Any, page: Page) -> None:
    book = opened(LOAD, chat("Sample B12 is on the second shelf."), chat("Where is sample B12?"))
    book.run_all()
    expect(book.body(2)).to_contain_text("second shelf")
    book.write(2, chat("On which shelf is B12?"))
    book.run(2)
    expect(book.answer(2).locator(".jh-position")).to_have_text("2 of 2")
    saved = book.save()
    cells = [nbformat.from_dict(cell) for cell in saved.cells]
    cells[0].source = "# sent by a stranger"
    stranger = Notebook(page, book.server, write_notebook(book.server, "from_a_stranger", cells)).open()
    trusted = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.trusted)"
    assert page.evaluate(trusted)[2] is False
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    expect(stranger.body(2)).to_contain_text("second shelf")
    expect(stranger.answer(2).locator(".jh-footer")).to_contain_text("offline")
    expect(stranger.answer(2).locator(".jh-position")).to_have_text("2 of 2")
    earlier = stranger.button(2, "Earlier answer")
    expect(earlier).to_have_attribute("aria-disabled", "true")
    earlier.click(force=True)
    expect(stranger.answer(2).locator(".jh-position")).to_have_text("2 of 2")
    expect(stranger.answer(2).locator(".jh-status")).to_be_empty()


def test_a_hostile_answer_is_harmless_and_readable(opened: Any, page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    book = opened(EVIL)
    book.run(0)
    body = book.body(0)
    expect(body).to_contain_text("Harmless heading")
    expect(body).to_contain_text("It costs $5 and then $6.")
    expect(body).to_contain_text("<b>unclosed")
    book.answer(0).locator("summary").click()
    expect(book.answer(0).locator(".jh-thoughts")).to_have_text("<img src=x onerror=window.pwned=1>")
    assert book.answer(0).locator("script, iframe, style, img, [onerror]").count() == 0
    assert book.answer(0).locator("a[href^='javascript']").count() == 0
    assert page.evaluate("() => window.pwned") is None
    assert not [url for url in asked if "pixel" in url or url.endswith("/x")]


def test_notebook_7_has_answers_arrows_highlighting_the_panel_and_the_menu(
    page: Page, notebook_server: Server, shot: Any
) -> None:
    path = write_notebook(notebook_server, "classic", [LOAD, chat("Sample B12 is on the second shelf.")])
    book = Notebook(page, notebook_server, path).open()
    book.run_all()
    expect(book.body(1)).to_contain_text("offline reader")
    book.write(1, chat("Sample B12 is on the third shelf."))
    book.run(1)
    expect(book.answer(1).locator(".jh-position")).to_have_text("2 of 2")
    book.button(1, "Earlier answer").click()
    expect(book.answer(1).locator(".jh-position")).to_have_text("1 of 2")
    expect(book.button(1, "continue here")).to_be_visible()
    expect(book.cell(1).locator(".jh-magic")).to_have_text(re.compile("%%chat"))
    book.command("jupyter-history:toggle-panel")
    panel = page.locator("#jupyter-history-panel")
    expect(panel.get_by_role("treeitem")).to_have_count(2)
    expect(panel.locator(".figures")).to_contain_text("tokens")
    page.get_by_role("menuitem", name="Chat", exact=True).click()
    expect(page.locator(".lm-Menu").get_by_text("Chat Panel")).to_be_visible()
    shot("notebook-7")
    page.keyboard.press("Escape")
    book.command("jupyter-history:toggle-panel")
    expect(panel).to_be_hidden()
