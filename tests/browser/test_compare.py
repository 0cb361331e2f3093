"""A comparison that stays open while another answer is written: it gets a column, which fills and stays."""

from __future__ import annotations

from typing import Any

import pytest
from browser.conftest import SCREENSHOTS
from browser.test_explorers import explorer, shoot
from browser.test_widget import plain_server  # noqa: F401
from lab import LOAD, Notebook, Server, chat, write_notebook
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

SCRIPT = r'''
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted

ANSWER = """# The lake

It is {colour} in the morning, at $5 or $6 a boat.

- The boats go out at {hour}.
    - Not on Sundays.
- They come back late.

Its depth is $d_{colour} = {hour} + x^2$ metres, and the sum of what is caught is

$$\\int_0^{hour} f(x)\\,dx$$

```python
boats = [boat for boat in harbour if boat.leaves == {hour}]
```
"""
server = Scripted()
for colour, hour, pace in (("blue", 5, 0), ("green", 6, 0), ("grey", 7, 0.12)):
    text = ANSWER.replace("{colour}", colour).replace("{hour}", str(hour))
    server.reply(text, chunks=40 if pace else 1, delay=pace)
get_ipython().magics_manager.registry["ChatMagics"].current._client = Client(transport=server)
'''
MODEL = "-m claude-sonnet-5-5"
ASK = "What colour is the lake at {}?"


def two_answers(opened: Any, *more: str) -> Notebook:
    """Two answers from cell 2, and `more` cells below it."""
    book: Notebook = opened(LOAD, SCRIPT, chat(ASK.format("dawn"), MODEL), *more)
    for index in range(3):
        book.run(index)
    book.write(2, chat(ASK.format("noon"), MODEL))
    book.run(2)
    return book


def ask_a_third(book: Notebook) -> None:
    book.write(2, chat(ASK.format("night"), MODEL))
    book.start(2)


def test_a_comparison_that_is_open_gets_the_answer_that_is_being_written(opened: Any, page: Page) -> None:
    book = two_answers(opened, "%chat compare")
    book.run(3)
    view = explorer(book, 3)
    expect(view.locator(".heads code.id")).to_have_count(2)
    marks = view.locator("mark.there").all_inner_texts()
    ask_a_third(book)
    growing = view.locator(".uneven > [aria-busy=true]")
    expect(growing).to_contain_text("The boats go out")
    expect(view.locator(".heads > .head")).to_have_count(3)
    expect(view.locator(".heads")).to_contain_text("writes …")
    expect(view.locator(".band").first).to_have_text("prompt")
    assert view.locator("mark.there").all_inner_texts()[-len(marks) :] != []  # those that are there stay compared
    expect(view.locator(".status")).to_have_text("2 answers there, more being written")
    SCREENSHOTS.mkdir(exist_ok=True)
    view.screenshot(path=SCREENSHOTS / "explorer_compare_streaming.png")
    expect(view.locator(".heads code.id")).to_have_count(3)
    expect(view.locator(".table")).to_have_attribute("aria-busy", "false")
    expect(view.locator("mark.there", has_text="grey").first).to_be_visible()
    expect(view.locator(".status")).to_have_text("3 answers there")
    expect(view.get_by_role("button", name="Make this the tip").last).to_have_attribute("aria-disabled", "false")
    shoot(book, 3, "compare_streamed")
    view.get_by_role("radio").last.check()
    expect(view.locator("mark.here", has_text="grey").first).to_be_visible()


def test_formulas_are_typeset_and_prices_are_not(opened: Any) -> None:
    book = two_answers(opened, "%chat compare")
    book.run(3)
    view = explorer(book, 3)
    expect(view.locator("mark mjx-container")).to_have_count(4)
    expect(view.locator("mjx-container")).to_have_count(4)
    drawn = "element => getComputedStyle(element, '::before').content"
    assert view.locator("mjx-c").first.evaluate(drawn) not in ("none", "normal", '""')
    expect(view.locator(".cell", has_text="in the morning").first).to_contain_text("at $5 or $6 a boat")
    expect(view.locator("li", has_text="Not on Sundays")).to_have_count(1)
    expect(view.locator("pre", has_text="Sundays")).to_have_count(0)
    shoot(book, 3, "compare_formulas")


def test_a_comparison_opened_in_the_tree_is_live_too_and_one_of_chosen_answers_stays_as_it_is(opened: Any) -> None:
    book = two_answers(opened, "%chat tree", "%chat compare")
    book.run(3)
    tree = explorer(book, 3)
    for row in tree.get_by_role("treeitem").all():
        row.click(modifiers=["Control"])
    tree.get_by_role("button", name="Compare the chosen").click()
    expect(tree.locator(".heads > .head")).to_have_count(2)
    ask_a_third(book)
    expect(tree.locator(".heads")).to_contain_text("writes …")
    expect(tree.locator(".heads code.id")).to_have_count(3)
    book.write(4, "%chat compare " + " ".join(tree.locator(".heads code.id").all_inner_texts()[:2]))
    book.run(4)
    chosen = explorer(book, 4)
    expect(chosen.locator("mark.there").first).to_be_visible()
    expect(chosen.locator(".heads > .head")).to_have_count(2)


def test_the_keyboard_chooses_the_baseline_and_scrolls(opened: Any, page: Page) -> None:
    book = two_answers(opened, "%chat compare")
    book.run(3)
    view = explorer(book, 3)
    view.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    second = view.locator(".heads code.id").nth(1).inner_text()
    expect(view.get_by_role("radio", name=f"{second} is the baseline")).to_be_checked()
    expect(view.locator("mark.here", has_text="green").first).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(view.get_by_role("table", name="Answers side by side")).to_be_focused()


def test_a_stop_leaves_the_column_with_what_had_come(opened: Any, page: Page) -> None:
    book = two_answers(opened, "%chat compare")
    book.run(3)
    view = explorer(book, 3)
    ask_a_third(book)
    expect(view.locator(".uneven > [aria-busy=true]")).to_contain_text("The boats go out")
    page.locator("[data-command='notebook:interrupt-kernel']").click()
    expect(view.locator(".heads code.id")).to_have_count(3)
    expect(view.locator("dd", has_text="claude-sonnet-5-5, stopped")).to_have_count(1)
    expect(view.locator(".table")).to_have_attribute("aria-busy", "false")


def plain(page: Page, server: Server, name: str, *cells: str) -> Notebook:
    """A notebook of these cells in a JupyterLab without our extension, all but the last run."""
    book = Notebook(page, server, write_notebook(server, name, list(cells))).open()
    for index in range(len(cells) - 1):
        book.run(index)
    return book


def test_a_widget_gets_the_answer_that_is_being_written(page: Page, plain_server: Server) -> None:  # noqa: F811
    cells = (LOAD, SCRIPT, chat(ASK.format("dawn"), MODEL), "%chat again", "%chat compare", "1")
    book = plain(page, plain_server, "beside", *cells)
    view = explorer(book, 4)
    expect(view.locator(".heads code.id")).to_have_count(2)
    expect(view.get_by_role("button", name="Make this the tip").last).to_have_attribute("aria-disabled", "false")
    ask_a_third(book)
    expect(view.locator(".uneven > [aria-busy=true]")).to_contain_text("The boats go out")
    view.screenshot(path=SCREENSHOTS / "explorer_widget_streaming.png")
    expect(view.locator(".heads code.id")).to_have_count(3)
    expect(view.locator("mark.there", has_text="grey").first).to_be_visible()


def test_a_grid_fills_in_its_widget(page: Page, plain_server: Server) -> None:  # noqa: F811
    asked = chat(ASK.format("dawn"), f"{MODEL} --each repeat=3")
    book = plain(page, plain_server, "filling", LOAD, SCRIPT, asked)
    book.start(2)
    view = explorer(book, 2)
    expect(view.locator(".heads code.id")).to_have_count(2)
    expect(view.locator(".cell[aria-busy=true]")).to_contain_text("The boats go out")
    table = view.locator(".table").element_handle()
    page.wait_for_timeout(1000)
    assert table.evaluate("table => table.isConnected")  # one view, from the first column on
    view.screenshot(path=SCREENSHOTS / "explorer_widget_grid.png")
    expect(view.locator(".heads code.id")).to_have_count(3)
    expect(view.locator("mark.there", has_text="grey").first).to_be_visible()
    expect(book.cell(2).locator(".jh-explorer")).to_have_count(1)
