"""A day with chat cells: stopping, hundreds of updates, the keyboard alone, completion, exports, dark theme."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import BOTH, SCREENSHOTS
from lab import CURRENT, LOAD, TURNS, chat
from nbconvert import HTMLExporter, MarkdownExporter
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.browser

SHELF = "Sample B12 is on the second shelf."
SLOW = "%env JUPYTER_HISTORY_OFFLINE_DELAY=0.3"
UPDATES = 300
MANY = f"""
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook import live
live.RATE, live.SHARE = 40.0, 1.0  # five times the pace of every day; the text is short for the limit of bytes a second
text = "".join(f"Paragraph {{n}} of it.\\n\\n" for n in range({UPDATES + 60}))
current = get_ipython().magics_manager.registry["ChatMagics"].current
current._client = Client(transport=Scripted().reply(text, chunks={2 * UPDATES}, delay=0.03))
"""
"""An answer in many small pieces."""
COUNT = f"""() => {{
  const seen = window.seen = {{ shrunk: 0, gone: 0, said: '' }};
  for (const type of ['display_data', 'update_display_data', 'clear_output', 'stream']) seen[type] = 0;
  {CURRENT}.sessionContext.iopubMessage.connect((_, message) => {{ seen[message.header.msg_type] += 1;
    if (message.header.msg_type === 'stream') seen.said += message.content.text; }});
  let height = 0;
  let first = null;
  new MutationObserver(() => {{
    const answer = document.querySelectorAll('.jp-Cell')[2].querySelector('.jh-answer');
    const length = answer?.querySelector('.jh-body')?.textContent.length ?? 0;
    first ??= answer;
    seen.gone += first && !first.isConnected ? 1 : 0;
    seen.shrunk += length < height ? 1 : 0;
    height = length;
  }}).observe(document.querySelectorAll('.jp-Cell')[2], {{ subtree: true, childList: true, characterData: true }});
}}"""


def theme(page: Page, name: str) -> None:
    page.evaluate(
        "name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: `JupyterLab ${name}` })", name
    )
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "true" if name == "Light" else "false")
    expect(page.locator("#jupyterlab-splash")).to_have_count(0)


@BOTH
def test_the_stop_button_keeps_what_had_come_and_the_cell_asks_again_beside_it(
    opened: Any, page: Page, shot: Any
) -> None:
    book = opened(LOAD, chat(SHELF), chat("Where is sample B12?"))
    book.run(0)
    book.run(1)
    book.ask(SLOW)
    book.start(2)
    expect(book.body(2)).to_contain_text("The passage")
    page.locator("[data-command='notebook:interrupt-kernel']").click()
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("stopped")
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    assert "Traceback" not in book.text(2)
    shot("stopped")
    book.ask(SLOW.replace("0.3", "0"))
    book.run(2)
    expect(book.answer(2).locator(".jh-position")).to_have_text("2 of 2")
    expect(book.body(2)).to_contain_text("word for word")
    # another answer, stopped by the same button: it runs in the cell as any other
    book.ask(SLOW)
    book.button(2, "another answer").click()
    expect(book.answer(2)).to_have_attribute("aria-busy", "true")
    page.locator("[data-command='notebook:interrupt-kernel']").click()
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    expect(book.cell(2)).to_contain_text("Stopped")
    expect(book.answer(2).locator(".jh-position")).to_have_text(re.compile("2 of 2|3 of 3"))
    book.ask(SLOW.replace("0.3", "0"))
    # every state, in both themes
    book.write(1, chat("Sample B12 is on the third shelf."))
    book.run(1)
    expect(book.answer(2)).to_have_class(re.compile(r"\bjh-off\b"))
    shot("states-light")
    theme(page, "Dark")
    shot("states-dark")
    theme(page, "Light")


def test_hundreds_of_updates_are_one_display_under_the_servers_limits(opened: Any, page: Page) -> None:
    book = opened(f"{LOAD}\n{MANY}", chat("one"), chat("two"))
    book.run(0)
    page.evaluate(COUNT)
    book.write(1, "current._client")
    book.run(1)
    before = page.evaluate("() => window.seen")
    book.run(2)
    expect(book.body(2)).to_contain_text(f"Paragraph {UPDATES + 59} ")
    seen = page.evaluate("() => window.seen")
    assert seen["update_display_data"] >= UPDATES
    assert seen["display_data"] - before["display_data"] == 1
    assert (seen["clear_output"], seen["shrunk"], seen["gone"]) == (0, 0, 0)
    assert seen["stream"] == before["stream"], f"the server or the kernel complained: {seen['said']}"
    assert "rate exceeded" not in book.text(2)


@BOTH
def test_restart_and_run_all_from_the_menu_makes_no_call_and_no_duplicate(opened: Any, page: Page) -> None:
    book = opened(LOAD, chat(SHELF), chat("Where is sample B12?"), "%chat tree")
    book.run_all()
    expect(book.cell(3).get_by_role("treeitem")).to_have_count(2)
    before = book.ask(TURNS)
    page.evaluate("() => void window.jupyterapp.commands.execute('runmenu:restart-and-run-all')")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("stored")
    expect(book.cell(3).get_by_role("treeitem")).to_have_count(2)
    expect(book.cell(2).locator(".jh-answer")).to_have_count(1)
    expect(book.answer(2)).not_to_have_class(re.compile("jh-off"))
    assert book.ask(TURNS) == before


@BOTH
def test_the_keyboard_alone_runs_a_cell_opens_the_panel_and_uses_it(opened: Any, page: Page, shot: Any) -> None:
    book = opened(LOAD, chat(SHELF), chat("Where is sample B12?"))
    book.select(0)
    page.evaluate(f"() => {CURRENT}.content.activate()")
    for _ in range(3):
        page.keyboard.press("Shift+Enter")
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    page.keyboard.press("Control+Shift+c")
    page.keyboard.type("Chat Panel")
    page.keyboard.press("Enter")
    panel = page.locator("#jupyter-history-panel")
    expect(panel).to_be_focused()
    expect(panel.get_by_role("treeitem")).to_have_count(2)
    page.keyboard.press("Tab")
    expect(panel.get_by_role("button", name="Begin a new conversation in this notebook")).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Tab")
        if panel.get_by_role("searchbox", name="Search conversations").evaluate("e => e.matches(':focus')"):
            break
    page.keyboard.type("second shelf")
    expect(panel.locator(".item.here")).to_contain_text("second shelf")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    shot("panel-keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(panel.get_by_role("textbox", name="Name")).to_be_focused()
    name = f"shelves-{book.server.app}"  # the front ends share one store
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(panel.locator("h2")).to_have_text(name)
    panel.get_by_role("searchbox", name="Search conversations").focus()
    page.keyboard.press("Control+Shift+c")
    page.keyboard.type("Chat Panel")
    page.keyboard.press("Enter")
    expect(panel).to_be_hidden()


def test_a_chat_line_completes_options_turns_and_labels_and_its_body_no_python(
    opened: Any, page: Page, shot: Any
) -> None:
    book = opened(LOAD, chat(SHELF, "--label shelf"), "")
    book.run(0)
    book.run(1)
    offered = page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")
    book.cell(2).locator(".cm-content").click()
    page.keyboard.type("%%chat --")
    page.keyboard.press("Tab")
    expect(offered.filter(has_text="--model")).to_have_count(1)
    shot("completion")
    page.keyboard.press("Escape")
    page.keyboard.type("at ")
    page.keyboard.press("Tab")
    expect(offered.locator(".jp-Completer-match").filter(has_text=re.compile("^(shelf|tip)$"))).to_have_count(2)
    shot("completion-turns")
    page.keyboard.press("Escape")
    page.keyboard.type("shelf\nimp")
    answered = f"""() => new Promise(done => {{
      const kernel = {CURRENT}.sessionContext.session.kernel;
      const hear = (_, {{ msg }}) => msg.header.msg_type === 'complete_reply' && done(msg.content.matches);
      kernel.anyMessage.connect(hear);
      window.jupyterapp.commands.execute('completer:invoke-notebook');
    }})"""
    assert page.evaluate(answered) == []
    expect(offered).to_have_count(0)


def test_an_exported_notebook_shows_answers_tree_and_comparison_with_nothing_that_runs(
    opened: Any, browser: Browser, tmp_path: Path
) -> None:
    book = opened(LOAD, chat(SHELF), chat("Where is B12?"), "%chat tree", "%chat compare")
    for index in range(3):
        book.run(index)
    book.write(2, chat("Where is sample B12?"))
    for index in (2, 3, 4):
        book.run(index)
    expect(book.body(2)).to_contain_text("second shelf")
    saved = book.save()
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(saved)
    assert "<script" not in html
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", html)
    markdown, _ = MarkdownExporter().from_notebook_node(saved)
    for text in (html, markdown):
        assert "second shelf" in text
    path = tmp_path / "plain.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{html}", encoding="utf-8")
    viewer = browser.new_context(java_script_enabled=False, viewport={"width": 1000, "height": 1400})
    plain = viewer.new_page()
    asked: list[str] = []
    plain.on("request", lambda request: asked.append(request.url))
    plain.goto(path.as_uri())
    for text in ("second shelf", "Where is B12?", "Where is sample B12?"):
        expect(plain.get_by_text(text).first).to_be_visible()
    assert asked == [path.as_uri()]
    plain.screenshot(path=SCREENSHOTS / "exported.png", full_page=True)
    viewer.close()
