"""The explorers as a widget where there is no JupyterLab extension: a bare page, and a kernel that is a function."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.conftest import SCREENSHOTS
from lab import LOAD, Notebook, Server, chat, start, stop, write_notebook
from playwright.sync_api import BrowserContext, Page, expect

import jupyter_history

pytestmark = pytest.mark.browser

SCRIPT = Path(jupyter_history.__file__).parent / "static" / "widget.js"
HOSTILE = """
# Harmless heading
<script>window.pwned = 1</script><img src=x onerror="window.pwned = 1"><style>* { display: none }</style>
[a link](javascript:window.pwned=1) ![a picture](http://127.0.0.1:9/pixel.png)

**bold** and `<b>code</b>`
"""
MOUNT = """async ([source, state, body]) => {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const { default: widget } = await import(url);
  const listeners = {};
  window.asked = [];
  const model = {
    get: () => state,
    on: (event, listener) => { (listeners[event] ??= new Set()).add(listener); },
    off: (event, listener) => listeners[event]?.delete(listener),
    send: ({ id, call, args }) => {
      window.asked.push([call, args]);
      const result = call === 'body' ? body : { tip: state.data.tip, turns: [], note: '', code: '%chat again b00001' };
      setTimeout(() => listeners['msg:custom'].forEach(listener => listener({ id, result })));
    }
  };
  const el = document.createElement('div');
  document.body.append(el);
  window.gone = widget.render({ model, el });
}"""
STATE = {
    "v": 1,
    "view": "tree",
    "conversation": "c",
    "name": "mixtures",
    "args": {},
    "data": {
        "tip": "b00001",
        "last": 2,
        "models": ["m"],
        "turns": [["a00001", None, "Why?", 0, 0, 10, 0, 1, 1], ["b00001", "a00001", "And?", 0, 0, 20, 0, 1, 2]],
    },
}


@pytest.fixture(scope="module")
def plain_server(jupyter: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """JupyterLab without our extension: only widgets, as in other front ends."""
    root = tmp_path_factory.mktemp("plain")
    env = {name: value for name, value in jupyter.items() if name != "JUPYTER_PATH"}
    server = start("jupyterlab", env | {"JUPYTER_HISTORY_STORE": str(root / "history.db")}, root)
    yield server
    stop(server)


def test_a_front_end_with_widgets_alone_shows_the_tree_and_moves_the_tip(page: Page, plain_server: Server) -> None:
    path = write_notebook(plain_server, "plain", [LOAD, chat("B12 is on shelf two."), chat("Where?"), "%chat tree"])
    book = Notebook(page, plain_server, path).open()
    book.run_all()
    view = book.cell(3).locator(".jh-explorer")
    expect(view.get_by_role("treeitem")).to_have_count(2)
    expect(view.locator(".detail .md")).to_contain_text("offline reader")
    view.get_by_role("treeitem").first.click()
    view.get_by_role("button", name="Make this the tip").click()
    expect(view.get_by_role("treeitem").first).to_have_attribute("aria-current", "true")
    book.write(2, chat("Where, again?"))
    book.run(2)
    expect(view.get_by_role("treeitem")).to_have_count(3)
    saved = book.save()
    assert "widgets" not in saved.metadata
    bundle = saved.cells[3].outputs[-1] if "data" in saved.cells[3].outputs[-1] else saved.cells[3].outputs[0]
    assert {"text/html", "text/plain", "application/vnd.jupyter-history.view.v1+json"} <= set(bundle["data"])


@pytest.fixture
def bare(context: BrowserContext) -> Iterator[Page]:
    page = context.new_page()
    page.set_content("<!doctype html><meta charset=utf-8><style>:root { color-scheme: light dark }</style>")
    yield page
    page.close()


def mount(page: Page, state: Any, body: Any) -> None:
    page.evaluate(MOUNT, [SCRIPT.read_text(encoding="utf-8"), state, body])


def test_a_hostile_answer_is_harmless_in_the_widget(bare: Page) -> None:
    loaded: list[str] = []
    bare.on("request", lambda request: loaded.append(request.url))
    mount(bare, STATE, {"prompt": "<img src=x onerror=window.pwned=1>", "text": HOSTILE})
    answer = bare.locator(".detail .md")
    expect(answer.locator("h1")).to_have_text("Harmless heading")
    expect(answer.locator("strong")).to_have_text("bold")
    expect(answer.locator("code")).to_have_text("<b>code</b>")
    expect(bare.locator(".detail blockquote")).to_have_text("<img src=x onerror=window.pwned=1>")
    assert bare.locator(".md").locator("script, style, img, [onerror], a[href^=javascript]").count() == 0
    assert bare.evaluate("() => window.pwned") is None
    assert [url for url in loaded if not url.startswith("blob:")] == []


def test_what_is_done_in_the_widget_is_asked_of_the_kernel(bare: Page) -> None:
    mount(bare, STATE, {"prompt": "Why?", "text": "Because."})
    bare.locator("#t-a00001").click()
    bare.get_by_role("button", name="Make this the tip").click()
    bare.wait_for_function("() => window.asked.some(([call]) => call === 'continue')")
    asked = dict(json.loads(json.dumps(bare.evaluate("() => window.asked"))))
    assert asked["continue"] == {"turn": "a00001"}


def test_the_widget_says_what_to_run_for_another_answer_and_calls_nobody(bare: Page) -> None:
    mount(bare, STATE, {"prompt": "Why?", "text": "Because."})
    bare.get_by_role("button", name="Ask the model once more").click()
    expect(bare.locator(".status")).to_contain_text("run %chat again b00001 in a cell")


def test_the_widget_is_dark_where_the_page_is(bare: Page) -> None:
    bare.emulate_media(color_scheme="dark")
    mount(bare, STATE, {"prompt": "Why?", "text": "Because **so**."})
    expect(bare.locator(".detail .md")).to_have_text("Because so.")
    background = bare.locator(".rows").evaluate("element => getComputedStyle(element).backgroundColor")
    assert background == "rgb(30, 30, 30)"
    SCREENSHOTS.mkdir(exist_ok=True)
    bare.screenshot(path=SCREENSHOTS / "explorer_widget_dark.png")
