"""The side panel, the commands and the menu: they follow the notebook in front."""

from __future__ import annotations

import re
from typing import Any

import pytest
from lab import CURRENT, LOAD, chat
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

SHELF = "Sample B12 is on the second shelf."
ENABLED = "name => window.jupyterapp.commands.isEnabled(name)"
TIP = f"""index => {CURRENT}.content.widgets[index].model.outputs.get(0)
  .data['application/vnd.jupyter-history.turn.v1+json'].id"""
COMMANDS = ["new", "continue-from", "fork", "compare", "again", "parent"]


def panel(page: Page) -> Locator:
    return page.locator("#jupyter-history-panel")


def toggle(page: Page) -> None:
    page.evaluate("() => window.jupyterapp.commands.execute('jupyter-history:toggle-panel')")


def answer_dialog(page: Page, text: str = "") -> None:
    field = page.locator(".jp-Dialog input")
    field.fill(text)
    field.press("Enter")
    expect(page.locator(".jp-Dialog")).to_have_count(0)


def test_the_panel_follows_the_notebook_and_works_on_its_conversation(opened: Any, page: Page, shot: Any) -> None:
    book = opened(LOAD, chat(SHELF, "--label shelf"), chat("Where is sample B12?"), "1 + 1")
    assert not any(page.evaluate(ENABLED, f"jupyter-history:{name}") for name in COMMANDS)
    toggle(page)
    expect(panel(page)).to_contain_text("has not loaded jupyter_history")
    shot("panel-idle")
    book.run_all()
    expect(panel(page).locator("h2")).not_to_have_text("No conversation yet")
    expect(panel(page)).to_contain_text("2 turns on 1 branch")
    expect(panel(page).locator(".figures")).to_contain_text("of")
    expect(panel(page).get_by_role("list", name="Labels")).to_contain_text("shelf")
    expect(panel(page).get_by_role("treeitem")).to_have_count(2)
    expect(panel(page).get_by_role("list", name="Conversations").locator(".here")).to_have_count(1)
    shot("panel-light")
    # a label shows its cell, and goes on from there
    panel(page).get_by_role("button", name="shelf", exact=True).click()
    assert page.evaluate(f"() => {CURRENT}.content.activeCellIndex") == 1
    panel(page).get_by_role("button", name="Continue from shelf").click()
    expect(panel(page).locator("header .status")).to_contain_text("continues from")
    expect(book.answer(2)).to_have_class(re.compile(r"\bjh-off\b"))
    # rename, search, archive
    row = panel(page).get_by_role("list", name="Conversations").locator(".here")
    row.hover()
    row.get_by_role("button", name="Rename").click()
    row.get_by_role("textbox", name="Name").fill("samples")
    row.get_by_role("textbox", name="Name").press("Enter")
    expect(panel(page).locator("h2")).to_have_text("samples")
    search = panel(page).get_by_role("searchbox", name="Search conversations")
    search.fill("nowhere at all")
    expect(panel(page)).to_contain_text("Nothing was found.")
    search.fill("second shelf")
    expect(panel(page).locator(".item.here")).to_contain_text("second shelf")
    search.fill("")
    # commands
    assert all(page.evaluate(ENABLED, f"jupyter-history:{name}") for name in COMMANDS)
    page.evaluate("() => void window.jupyterapp.commands.execute('jupyter-history:new')")
    answer_dialog(page, "fresh")
    expect(panel(page).locator("h2")).to_have_text("fresh")
    panel(page).get_by_role("button", name="Open: samples").click()
    expect(panel(page).locator("h2")).to_have_text("samples")
    book.select(1)
    page.evaluate("() => void window.jupyterapp.commands.execute('jupyter-history:fork')")
    answer_dialog(page, "side")
    expect(panel(page).locator("h2")).to_have_text("side")
    panel(page).get_by_role("button", name="Open: samples").click()
    book.select(2)
    page.evaluate("() => void window.jupyterapp.commands.execute('jupyter-history:continue-from')")
    page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    expect(book.answer(2)).not_to_have_class(re.compile(r"\bjh-off\b"))
    row = panel(page).locator(".item", has_text="fresh")
    row.hover()
    row.get_by_role("button", name="Archive").click()
    expect(row).to_have_count(0)
    panel(page).get_by_role("button", name="Show archived conversations").click()
    row.hover()
    row.get_by_role("button", name="back on the list").click()
    expect(row).to_have_count(0)
    panel(page).get_by_role("button", name="Show archived conversations").click()
    expect(row).to_have_count(1)
    # menu
    page.get_by_role("menuitem", name="Chat", exact=True).click()
    expect(page.locator(".lm-Menu").get_by_text("Another Answer")).to_be_visible()
    shot("menu")
    page.keyboard.press("Escape")
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
    expect(page.locator("body")).to_have_attribute("data-jp-theme-light", "false")
    expect(page.locator("#jupyterlab-splash")).to_have_count(0)
    shot("panel-dark")
    book.write(3, chat("word " * 900))
    book.run(3)
    assert "talks to this kernel" in book.ask("%chat doctor")
    book.ask("%chat config window 1500")
    book.ask("%chat branch root")
    book.ask(f"%chat branch {page.evaluate(TIP, 3)}")
    expect(panel(page)).to_contain_text("a summary has to be written")
    panel(page).evaluate("panel => { panel.scrollTop = 0; }")
    shot("panel-full")
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")


def test_another_answer_and_the_parent_from_the_cell_itself(opened: Any, page: Page, shot: Any) -> None:
    book = opened(LOAD, chat(SHELF), chat("Where is sample B12?"), chat("And the first thing?"))
    book.run(0)
    book.run(1)
    book.run(3)
    book.run(2)
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("offline")
    expect(book.answer(3).locator(".jh-astray")).to_have_text("not from the answer above")
    expect(book.answer(2).locator(".jh-astray")).to_have_text("not from the answer above")
    expect(book.answer(1).locator(".jh-astray")).to_be_hidden()
    shot("astray")
    book.button(2, "Show the answer that this one continues from").click()
    assert page.evaluate(f"() => {CURRENT}.content.activeCellIndex") == 3
    book.button(2, "another answer").click()
    expect(book.answer(2).locator(".jh-position")).to_have_text("2 of 2")
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    page.wait_for_function(f"() => {CURRENT}.content.widgets[2].model.executionState === 'idle'")
    before = book.ask("%chat path")
    book.run(2)
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("stored")
    assert book.ask("%chat path") == before
    shot("another-answer")
    book.select(2)
    book.command("jupyter-history:compare")
    assert book.sources()[3].startswith("%chat compare")
    shot("compare")
    book.select(4)
    book.command("notebook:delete-cell")
    book.button(2, "Show the answer that this one continues from").click()
    expect(book.answer(2).locator(".jh-parent")).to_contain_text("And the first thing?")
    shot("parent-in-place")


def test_the_panel_is_where_it_was_after_a_reload_and_idle_without_a_kernel(opened: Any, page: Page, shot: Any) -> None:
    book = opened(LOAD, chat(SHELF))
    toggle(page)
    expect(panel(page)).to_be_visible()
    page.wait_for_timeout(1500)
    page.goto(f"{book.server.url}/lab/tree/{book.path}?token={book.server.token}")
    book.ready()
    expect(panel(page)).to_be_visible()
    page.evaluate(f"() => {CURRENT}.sessionContext.shutdown()")
    expect(panel(page)).to_contain_text("No kernel is running")
    shot("panel-no-kernel")
    toggle(page)
    expect(panel(page)).to_be_hidden()
