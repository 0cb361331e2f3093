"""Markdown in `%%chat` cells."""

from __future__ import annotations

import re
from typing import Any

import pytest
from nbformat.v4 import new_markdown_cell
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

PROMPT = "%%chat -m offline\n# A title\nWhy is **this** *so*, `x` and $x_1^2$?\n\n```python\nx = 1\n```"


def test_a_chat_cell_is_markdown_below_its_magic_line(opened: Any) -> None:
    book = opened(PROMPT, "# a comment\nx = 1", new_markdown_cell("%%chat\nonly text"))
    chat, code, text = (book.cell(index) for index in range(3))
    expect(chat.locator(".cm-line.jh-magic")).to_have_text("%%chat -m offline")
    title = chat.locator(".cm-line", has_text="# A title").locator("span").last
    expect(title).to_have_css("font-weight", "700")
    expect(chat.locator(".cm-line span", has_text=re.compile("^this$"))).to_have_css("font-weight", "700")
    expect(code.locator(".jh-magic")).to_have_count(0)
    expect(text.locator(".jh-magic")).to_have_count(0)
    mime = "() => window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.mimeType)"
    assert book.page.evaluate(mime)[:2] == ["text/x-ipython"] * 2, "the cell must stay a code cell to everything else"


def test_typing_the_magic_switches_the_language_and_deleting_it_switches_back(opened: Any, page: Page) -> None:
    book = opened("")
    editor = book.cell(0).locator(".cm-content")
    editor.click()
    page.keyboard.type("%%chat\n# Title")
    heading = book.cell(0).locator(".cm-line", has_text="# Title").locator("span").last
    expect(heading).to_have_css("font-weight", "700")
    page.keyboard.press("Control+Home")
    page.keyboard.type("#")
    expect(book.cell(0).locator(".jh-magic")).to_have_count(0)
    expect(heading).not_to_have_css("font-weight", "700")
    page.keyboard.press("Backspace")
    expect(heading).to_have_css("font-weight", "700")
