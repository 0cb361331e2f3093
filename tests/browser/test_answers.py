"""A `%%chat` cell in JupyterLab: its answer streams in, answers stand beside each other, the path is seen and moved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browser.conftest import BOTH
from lab import LOAD, chat
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

NOTES = "Keep these notes.\nThe buffer is 50 mM Tris at pH 7.8.\nSample B12 is stored at -80 degrees."
SLOW = "%env JUPYTER_HISTORY_OFFLINE_DELAY=0.15"
WATCH = """() => {
  const seen = window.seen = { lengths: new Set(), off: 0, first: null };
  new MutationObserver(() => {
    const answer = document.querySelectorAll('.jp-Cell')[2].querySelector('.jh-answer');
    const body = answer?.querySelector('.jh-body');
    if (body?.textContent) seen.lengths.add(body.textContent.length);
    if (body?.childElementCount > 1) seen.first ??= body.firstElementChild;
    seen.off += answer?.classList.contains('jh-off') ? 1 : 0;
  }).observe(document.querySelector('.jp-Notebook'), {
    subtree: true, childList: true, characterData: true, attributes: true
  });
}"""
OFF = re.compile(r"\bjh-off\b")


@BOTH
def test_an_answer_streams_in_and_keeps_what_stood_there(opened: Any, page: Page) -> None:
    book = opened(f"{LOAD}\n{SLOW}", chat(NOTES), chat("Where is sample B12 stored?"))
    book.run(0)
    book.run(1)
    page.evaluate(WATCH)
    book.start(2)
    expect(book.answer(2)).to_have_attribute("aria-busy", "true")
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    expect(book.body(2)).to_contain_text("-80 degrees")
    expect(book.answer(2).locator(".jh-footer")).to_contain_text("offline")
    lengths = page.evaluate("() => [...window.seen.lengths]")
    assert len(lengths) >= 3, f"the answer came in {len(lengths)} pieces"
    assert lengths == sorted(lengths), "text that was shown went away again"
    assert page.evaluate("() => window.seen.first.isConnected"), "the first block was rebuilt while more came in"
    assert page.evaluate("() => window.seen.off") == 0, "a new answer was taken for one that is not on the path"


@BOTH
def test_an_edited_cell_answers_beside_its_first_answer_and_the_arrows_walk_both(
    opened: Any, page: Page, shot: Any
) -> None:
    book = opened(LOAD, chat(NOTES), chat("Which buffer, and at what pH?"))
    book.run_all()
    expect(book.body(2)).to_contain_text("Tris")
    book.cell(2).locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.press("Shift+Home")
    page.keyboard.type("Where is sample B12 stored?")
    page.keyboard.press("Control+Enter")
    expect(book.body(2)).to_contain_text("-80")
    position = book.answer(2).locator(".jh-position")
    expect(position).to_have_text("2 of 2")
    book.button(2, "Earlier answer").click()
    expect(position).to_have_text("1 of 2")
    expect(book.body(2)).to_contain_text("Tris")
    expect(book.answer(2).locator(".jh-prompt")).to_have_text("Which buffer, and at what pH?")
    book.button(2, "Earlier answer").press("ArrowRight")
    expect(position).to_have_text("2 of 2")
    expect(book.body(2)).to_contain_text("-80")
    assert book.sources()[2].endswith("Where is sample B12 stored?")
    first, last = book.cell(1).bounding_box(), book.answer(2).bounding_box()
    bottom = last["y"] + last["height"]
    shot("notebook", clip={**first, "height": bottom - first["y"] + 8})


def test_looking_moves_nothing_and_continue_here_moves_the_tip(opened: Any) -> None:
    book = opened(LOAD, chat("My dog is called Rex."), chat("What is the name of my cat?"))
    book.run_all()
    book.write(1, chat("My cat is called Tom."))
    book.run(1)
    first = book.answer(1)
    expect(first.locator(".jh-position")).to_have_text("2 of 2")
    book.button(1, "Earlier answer").click()
    expect(first.locator(".jh-position")).to_have_text("1 of 2")
    assert "Rex" not in book.ask("%chat path"), "looking moved the tip"
    book.button(1, "continue here").click()
    expect(book.button(1, "continue here")).to_be_hidden()
    shown = book.ask("%chat path")
    assert "Rex" in shown
    assert "Tom" not in shown


def test_an_answer_that_was_left_is_marked_and_one_click_brings_it_back(opened: Any) -> None:
    book = opened(LOAD, chat("The first thing."), chat("The second thing."), chat("The third thing."))
    book.run_all()
    expect(book.answer(3)).not_to_have_class(OFF)
    book.write(2, chat("Another second thing."))
    book.run(2)
    expect(book.answer(3)).to_have_class(OFF)
    expect(book.answer(3).locator(".jh-mark")).to_contain_text("not on the path")
    expect(book.answer(1)).not_to_have_class(OFF)
    expect(book.answer(2)).not_to_have_class(OFF)
    book.button(3, "make it the path again").click()
    expect(book.answer(3)).not_to_have_class(OFF)
    expect(book.answer(2)).to_have_class(OFF)
    assert "Another second" not in book.ask("%chat path")


def test_looking_works_while_an_answer_is_written_and_moving_is_refused_in_one_line(opened: Any) -> None:
    book = opened(LOAD, chat("Sample B12 is on the second shelf."), chat("Where is sample B12?"))
    book.run(0)
    book.run(1)
    book.write(1, chat("Sample B12 is on the third shelf."))
    book.run(1)
    first = book.answer(1)
    expect(first.locator(".jh-position")).to_have_text("2 of 2")
    book.ask(SLOW.replace("0.15", "0.6"))
    book.start(2)
    expect(book.answer(2)).to_have_attribute("aria-busy", "true")
    book.button(1, "Earlier answer").click()
    expect(first.locator(".jh-position")).to_have_text("1 of 2")
    expect(first.locator(".jh-body")).to_contain_text("offline reader")
    book.button(1, "continue here").click()
    expect(first.locator(".jh-status")).to_contain_text("An answer is being written")
    book.button(1, "Later answer").click()
    book.button(1, "another answer").click()
    expect(first.locator(".jh-status")).to_contain_text("ask once more when it is free")
    book.button(1, "Earlier answer").click()
    assert book.answer(2).get_attribute("aria-busy") == "true", "the answer ended before anybody looked around"
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    expect(book.body(2)).to_contain_text("third shelf")
    book.button(1, "continue here").click()
    expect(book.answer(2)).to_have_class(OFF)


def test_the_path_is_known_again_after_a_restart(opened: Any) -> None:
    book = opened(LOAD, chat("The first thing."), chat("The second thing."))
    book.run_all()
    book.write(1, chat("Another first thing."))
    book.run(1)
    expect(book.answer(2)).to_have_class(OFF)
    book.restart()
    expect(book.answer(2)).not_to_have_class(OFF)
    book.run(0)
    expect(book.answer(2)).to_have_class(OFF)


def test_the_keyboard_reaches_every_button_without_waking_the_cell(opened: Any, page: Page) -> None:
    book = opened(LOAD, chat("One."))
    book.run_all()
    book.write(1, chat("Two."))
    book.run(1)
    position = book.answer(1).locator(".jh-position")
    expect(position).to_have_text("2 of 2")
    earlier = book.button(1, "Earlier answer")
    earlier.focus()
    page.keyboard.press("Enter")
    expect(position).to_have_text("1 of 2")
    expect(earlier).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(position).to_have_text("2 of 2")
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "command"
    book.button(1, "Copy the answer as Markdown").press("Enter")
    expect(book.answer(1).locator(".jh-status")).to_have_text("copied")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied
    assert book.answer(1).locator(".jh-footer").inner_text() not in copied
