"""Cells run again: after a restart, after a reload in the middle of an answer, after cells were moved about."""

from __future__ import annotations

import os
import re
import signal
from typing import Any

import pytest
from lab import LOAD, TURNS, chat
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SLOW = "%env JUPYTER_HISTORY_OFFLINE_DELAY=0.3"
STORED = re.compile("stored")


def test_restart_and_run_all_makes_no_call(opened: Any) -> None:
    book = opened(LOAD, chat("Sample B12 is on the second shelf."), chat("Where is sample B12?"))
    book.run_all()
    expect(book.body(2)).to_contain_text("second shelf")
    before = book.ask(TURNS)
    book.restart()
    book.run_all()
    expect(book.answer(2).locator(".jh-footer")).to_contain_text(STORED)
    expect(book.body(2)).to_contain_text("second shelf")
    expect(book.answer(2)).not_to_have_class(re.compile("jh-off"))
    assert book.ask(TURNS) == before


def test_a_page_reloaded_in_the_middle_of_an_answer_shows_all_of_it_later(opened: Any, page: Page) -> None:
    book = opened(f"{LOAD}\n{SLOW}", chat("Sample B12 is on the second shelf."), chat("Where is sample B12?"))
    book.run(0)
    book.run(1)
    book.start(2)
    expect(book.body(2)).not_to_be_empty()
    book.command("docmanager:save")
    assert book.answer(2).get_attribute("aria-busy") == "true", "the answer ended before the page could be reloaded"
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    book.ready(kernel=False)
    expect(book.body(2)).to_contain_text("word for word", timeout=40_000)
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    before = book.ask(TURNS)
    book.run(2)
    expect(book.answer(2).locator(".jh-footer")).to_contain_text(STORED)
    assert book.ask(TURNS) == before


def test_an_answer_whose_kernel_died_says_that_it_was_cut_off(opened: Any, page: Page) -> None:
    book = opened(f"{LOAD}\n{SLOW}", chat("Sample B12 is on the second shelf."))
    book.run(0)
    process = int(book.ask("import os; print(os.getpid())"))
    book.start(1)
    expect(book.body(1)).not_to_be_empty()
    os.kill(process, signal.SIGKILL)
    expect(book.answer(1).locator(".jh-mark")).to_contain_text("cut off here")
    expect(book.answer(1)).to_have_attribute("aria-busy", "false")


def test_a_cell_that_was_cut_and_pasted_or_moved_is_still_the_same_cell(opened: Any) -> None:
    book = opened(LOAD, chat("One."), chat("Two."))
    book.run_all()
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    before, ids = book.ask(TURNS), book.ids()
    book.select(2)
    book.command("notebook:cut-cell")
    book.select(0)
    book.command("notebook:paste-cell-below")
    assert book.ids() == [ids[0], ids[2], ids[1]]
    book.select(1)
    book.command("notebook:move-cell-down")
    assert book.ids() == ids
    book.run(2)
    assert book.ask(TURNS) == before


def test_a_copy_of_a_cell_is_another_cell_and_asks_again(opened: Any) -> None:
    book = opened(LOAD, chat("One."))
    book.run_all()
    expect(book.answer(1)).to_have_attribute("aria-busy", "false")
    before, ids = book.ask(TURNS), book.ids()
    book.select(1)
    book.command("notebook:copy-cell")
    book.command("notebook:paste-cell-below")
    assert book.ids()[1] == ids[1]
    assert book.ids()[2] not in ids
    book.run(2)
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("continues from")
    assert int(book.ask(TURNS)) == int(before) + 1


def test_the_last_part_of_a_split_cell_keeps_its_identity_and_a_merged_cell_is_new(opened: Any, page: Page) -> None:
    book = opened(LOAD, chat("One.\nTwo."), chat("Three."))
    ids = book.ids()
    book.select(1)
    page.evaluate(
        """() => {
          const book = window.jupyterapp.shell.currentWidget.content;
          book.mode = 'edit';
          book.activeCell.editor.setCursorPosition({ line: 2, column: 0 });
        }"""
    )
    book.command("notebook:split-cell-at-cursor")
    assert book.sources()[1:] == [chat("One."), "Two.", chat("Three.")]
    assert [book.ids()[0], *book.ids()[2:]] == ids
    first = book.ids()[1]
    assert first not in ids
    book.select(1)
    book.command("notebook:merge-cell-below")
    merged = book.ids()
    assert [merged[0], merged[2]] == [ids[0], ids[2]]
    assert merged[1] not in (first, ids[1])
