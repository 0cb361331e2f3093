"""The explorers in JupyterLab: what is clicked there, the next cell knows; and a reopened notebook still shows them."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from browser.conftest import BOTH, SCREENSHOTS
from lab import LOAD, TURNS, Notebook, chat, write_notebook
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

TALK = '''
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted


FIRST = """The likelihood ratio test compares **nested** models.

Its usual limit, a chi-squared distribution, needs three things:

1. the true parameter lies inside the parameter space;
2. the parameters are identifiable;
3. the information matrix is regular.

For mixtures the first two fail: under the null a weight is zero, and the component it belongs to is anything at all.

```python
statistic = 2 * (full.loglik - null.loglik)
p = boot(null, statistic, n=999)
```

So use a parametric bootstrap instead."""
SECOND = """The likelihood ratio test compares **nested** models.

Its usual limit, a chi-squared distribution, needs two things:

1. the true parameter lies inside the parameter space;
2. the parameters are identifiable.

For mixtures both fail: under the null a weight is zero, and its component could be anywhere.

```python
statistic = 2 * (full.loglik - null.loglik)
p = boot(null, statistic, n=1999)
```

So simulate the null distribution, or compare by an information criterion.

BIC is consistent here all the same."""
server = Scripted()
for said in (FIRST, "Under the null, the weight is on the boundary.", SECOND, "A bootstrap with 999 draws is enough."):
    server.reply(said, chunks=3)
session = Session.open("mixtures", ":memory:", client=Client(transport=server), model="claude-sonnet-5-5")
one = session.send("Why does the likelihood ratio test fail for nested mixtures?", label="start")
two = session.send("Say more about the boundary, please.")
three = session.send("Why does the likelihood ratio test fail for mixtures at all?", edit=one.id)
four = session.send("How many bootstrap draws are enough?")
for n in range(3):
    session.send(f"And for {n + 2} components?", at=two.id)
session.branch(four.id)
'''
MARKS = """
from jupyter_history.session.marks import put_mark
put_mark(session, "favourites", four.id)
session.checkpoint("before-steps")
session.fork(three.id, "aside")
for n in range(2):
    server.reply("The bootstrap draws from the null model, then fits both. " * 60)
    session.send(f"Explain step {n + 1} at length, please.")
server.error(400, "invalid_request_error", "no")
try:
    session.send("And what if the server fails?")
except Exception as error:
    print(error)
session.configure(window=3000)
session.compact("snapshot")
"""
LONG = """
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted


server = Scripted()
for n in range(12):
    server.reply(f"Finding {n}: sample B{n} was kept at -{60 + n} degrees, file /data/run_{n:03d}/assay.csv. " * 22)
session = Session.open("long", ":memory:", client=Client(transport=server), model="claude-sonnet-5-5")
for n in range(12):
    session.send(f"What did run {n} of the assay show, and where is its file?")
"""


def explorer(book: Notebook, index: int) -> Locator:
    return book.cell(index).locator(".jh-explorer")


THEME = "name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: `JupyterLab ${name}` })"


def shoot(book: Notebook, index: int, name: str) -> None:
    """A picture of one explorer, in the light and in the dark theme."""
    SCREENSHOTS.mkdir(exist_ok=True)
    for theme in ("Light", "Dark"):
        book.page.evaluate(THEME, theme)
        expect(book.page.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "Light").lower())
        book.page.wait_for_timeout(300)  # the theme's colours come with a style sheet, which tells nobody
        front = "_notebook_7" if book.server.app == "notebook" else ""
        explorer(book, index).screenshot(path=SCREENSHOTS / f"explorer_{name}_{theme.lower()}{front}.png")
    book.page.evaluate(THEME, "Light")


def shown(opened: Any, *cells: str) -> Notebook:
    """A notebook of these cells, run."""
    book = opened(*cells)
    for n in range(len(cells)):
        book.run(n)
    return book


@BOTH
def test_a_click_in_the_tree_and_the_next_cell_continues_from_there(opened: Any) -> None:
    book = shown(opened, LOAD, chat("Keep this: B12 is on shelf two."), chat("Where is B12?"), "%chat tree")
    book.write(0, chat("And now?"))  # a new cell would do as well
    first = book.ask("%chat path").splitlines()[0].split()[1]
    tree = explorer(book, 3)
    expect(tree.get_by_role("treeitem")).to_have_count(2)
    tree.get_by_role("treeitem").first.click()
    expect(tree.locator(".detail blockquote")).to_have_text("Keep this: B12 is on shelf two.")
    expect(tree.locator(".detail .md")).to_contain_text("offline")
    tree.get_by_role("button", name="Make this the tip").click()
    expect(tree.get_by_role("treeitem").first).to_have_attribute("aria-current", "true")
    expect(tree.locator(".status")).to_contain_text("Off the path now: 1 turn")
    book.run(0)
    expect(book.answer(0).locator(".jh-footer")).to_contain_text(f"continues from {first}")
    expect(tree.get_by_role("treeitem")).to_have_count(3)
    expect(tree.get_by_role("treeitem").last).to_have_attribute("aria-current", "true")


def test_the_tree_marks_what_there_is_and_finds_it(opened: Any) -> None:
    book = shown(opened, LOAD, TALK + MARKS, "session.explore()")
    tree = explorer(book, 2)
    rows = tree.get_by_role("treeitem")
    expect(rows).to_have_count(10)
    expect(tree.locator(".mark.here").first).to_be_visible()
    for mark in (".mark.label", ".mark.star", ".mark.failed", ".mark.checkpoint", ".mark.compaction"):
        expect(tree.locator(".rows").locator(mark)).to_have_count(1)
    expect(tree.locator(".rows")).to_contain_text("↳ aside")
    expect(tree.locator(".rows")).to_contain_text("⚑ before-steps")
    shoot(book, 2, "tree")
    tree.get_by_text("Marks and keys").click()
    expect(tree.locator(".legend")).to_contain_text("the ladder decided after this turn")
    shoot(book, 2, "tree_legend")
    tree.get_by_text("Marks and keys").click()
    tree.get_by_role("searchbox").fill("components")
    expect(rows).to_have_count(3)
    tree.get_by_role("searchbox").fill("start")
    expect(rows).to_have_count(1)
    tree.get_by_role("searchbox").fill("identifiable")  # no prompt says it: two answers do
    expect(rows).to_have_count(2)
    expect(rows.first.locator(".found")).to_contain_text("answer:")
    shoot(book, 2, "tree_found")
    tree.get_by_role("searchbox").fill("sonnet consistent")
    expect(rows).to_have_count(1)
    tree.get_by_role("searchbox").fill("")
    rows.filter(has_text="And for 4 components").click()
    tree.get_by_role("button", name="Hide this turn").click()
    expect(rows).to_have_count(9)
    tree.get_by_role("button", name="Show hidden turns").click()
    expect(rows).to_have_count(10)
    tree.get_by_role("button", name="Hide this turn").click()
    rows.filter(has_text="Say more").hover()
    expect(tree.locator(".detail .md")).to_have_text("Under the null, the weight is on the boundary.")
    tree.locator(".fold").nth(1).click()
    expect(rows).to_have_count(7)
    tree.get_by_role("button", name="As nodes with links").click()
    expect(rows).to_have_count(10)
    shoot(book, 2, "nodes")


def test_the_tree_is_used_with_the_keyboard_alone(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, TALK, "session.explore()")
    before = book.sources()
    tree = explorer(book, 2)
    expect(tree.get_by_role("button", name="Ask the model once more")).to_have_attribute("aria-disabled", "false")
    tree.get_by_role("tree").focus()
    active = """() => document.querySelectorAll(".jp-Cell")[2].querySelector(".jh-explorer")
        .shadowRoot.activeElement.getAttribute("aria-activedescendant")"""
    tip = page.evaluate(active)
    page.keyboard.press("Home")
    page.keyboard.press("]")
    assert page.evaluate(active) != tip
    expect(tree.locator(".row.active")).to_contain_text("Say more about the boundary")
    page.keyboard.press("ArrowLeft")
    expect(tree.get_by_role("treeitem")).to_have_count(4)
    page.keyboard.press("ArrowRight")
    expect(tree.get_by_role("treeitem")).to_have_count(7)
    page.keyboard.press("Enter")
    expect(tree.locator(".row.tip")).to_contain_text("Say more about the boundary")
    page.keyboard.press("f")
    expect(tree.locator(".row.active .star")).to_have_count(1)
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    expect(tree.locator(".row.chosen")).to_have_count(1)
    page.keyboard.press("c")
    expect(tree.locator(".table .head")).to_have_count(2)
    tree.get_by_role("button", name="Back to the tree").press("Enter")
    expect(tree.get_by_role("treeitem")).to_have_count(7)
    assert book.sources() == before


def test_another_answer_from_the_tree_is_asked_in_a_cell_and_the_stop_button_stops_it(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, chat("B12 is on the second shelf."), chat("Where is B12?"), "%chat tree", "")
    book.ask("%env JUPYTER_HISTORY_OFFLINE_DELAY=0.4")
    tree = explorer(book, 3)
    tree.get_by_role("treeitem").last.click()
    again = tree.get_by_role("button", name="Ask the model once more")
    again.click()
    expect(book.answer(2)).to_have_attribute("aria-busy", "true")
    expect(tree.locator(".status")).to_contain_text("the stop button stops it")
    expect(book.body(2)).not_to_be_empty()
    page.locator("[data-command='notebook:interrupt-kernel']").click()
    expect(book.answer(2)).to_have_attribute("aria-busy", "false")
    expect(tree.locator(".status")).to_have_text("")
    expect(tree.get_by_role("treeitem")).to_have_count(3)
    expect(tree.locator(".row.tip")).to_contain_text("stopped")
    book.ask("%env JUPYTER_HISTORY_OFFLINE_DELAY=0")
    # no cell shows the first answer any more: a new one does, and asks nothing when it is run again
    tree.get_by_role("treeitem").filter(has_text="1/2").click()
    again.click()
    expect(book.answer(4).locator(".jh-footer")).to_contain_text("offline")
    assert book.sources()[4].startswith("# Another answer beside")
    expect(book.answer(2).locator(".jh-position")).to_have_text("2 of 3")  # the other cell's count is live
    expect(tree.get_by_role("treeitem")).to_have_count(4)
    before = book.ask(TURNS)
    book.run(4)
    assert book.ask(TURNS) == before


def told(tree: Locator, page: Page, button: str, text: str) -> None:
    """Press a button that asks for a word, and type it."""
    tree.get_by_role("button", name=button).click()
    expect(tree.locator("input:focus")).to_have_count(1)
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_another_answer_a_label_and_a_fork_from_the_tree(opened: Any, page: Page) -> None:
    book = shown(opened, TALK, "session.explore()")  # no %load_ext: a script's session is answered too
    tree = explorer(book, 1)
    tree.get_by_role("treeitem").last.click()
    tree.get_by_role("button", name="Ask the model once more").click()
    expect(tree.get_by_role("treeitem")).to_have_count(8)
    expect(tree.locator(".row.tip")).to_contain_text("2/2")
    told(tree, page, "Label this turn", "best-one")
    expect(tree.locator(".row.tip .label")).to_have_text("best-one")
    told(tree, page, "Label this turn", "two words")
    expect(tree.locator(".status")).to_contain_text("A label is one word")
    told(tree, page, "Copy the path", "elsewhere")
    expect(tree.locator(".status")).to_contain_text("Forked into elsewhere")
    expect(tree.locator(".row.tip")).to_contain_text("↳ elsewhere")


def test_formulas_are_typeset_beside_the_tree(opened: Any) -> None:
    formula = TALK + 'server.reply("It is $x^2$ here.")\nsession.send("A formula?")'
    book = shown(opened, LOAD, formula, "session.explore()")
    answer = explorer(book, 2).locator(".detail .md")
    expect(answer.locator("mjx-container")).to_have_count(1)
    assert answer.locator("mjx-math").evaluate("element => getComputedStyle(element).display") == "inline-block"
    shoot(book, 2, "formula")


GRID = """
server = Scripted()
for said, delay in ((FIRST, 0.02), (SECOND * 3, 0.2), (FIRST.replace("three", "four") * 2, 0.2)):
    server.reply(said, chunks=24, delay=delay)
get_ipython().magics_manager.registry["ChatMagics"].current._client = Client(transport=server)
"""


def test_a_grid_streams_into_one_comparison(opened: Any, page: Page) -> None:
    asked = chat("Why does the likelihood ratio test fail?", "-m claude-sonnet-5-5 --each repeat=3")
    book = opened(LOAD, TALK + GRID, asked)
    book.run(0)
    book.run(1)
    book.start(2)
    view = explorer(book, 2)
    expect(view.locator(".heads code.id")).to_have_count(1)  # one is there, two are being written
    expect(view.locator(".heads")).to_contain_text("writes …")
    same = view.locator(".table").element_handle()
    page.wait_for_timeout(1500)
    SCREENSHOTS.mkdir(exist_ok=True)
    view.screenshot(path=SCREENSHOTS / "explorer_grid_streaming.png")
    page.wait_for_function("table => table.scrollHeight > table.clientHeight + 150", arg=same)
    same.evaluate("table => { table.scrollTop = 120 }")
    expect(view.locator(".heads code.id")).to_have_count(3)
    expect(view.locator(".table")).to_have_attribute("aria-busy", "false")
    expect(view.locator("mark.there", has_text="1999").first).to_be_visible()
    page.wait_for_function("table => table.isConnected && table.scrollTop === 120", arg=same)  # patched in place
    expect(book.cell(2).locator(".jh-explorer")).to_have_count(1)
    page.wait_for_timeout(300)
    shoot(book, 2, "grid")


@BOTH
def test_two_edits_of_a_cell_are_compared(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, TALK, "session.compare(one.id, three.id)")
    view = explorer(book, 2)
    expect(view.locator(".band")).to_have_count(2)
    expect(view.locator("mark.there", has_text="1999")).to_have_count(1)
    expect(view.locator("mark.here", has_text="three")).to_have_count(1)
    shoot(book, 2, "compare")
    view.get_by_role("radio").nth(1).check()
    expect(view.locator("mark.here", has_text="1999")).to_have_count(1)
    view.get_by_role("button", name="Show the Markdown source").click()
    expect(view.locator(".plain", has_text="**nested**")).to_have_count(1)
    view.get_by_role("button", name="Copy the comparison").click()
    expect(view.locator(".status")).to_have_text("copied as Markdown")
    assert "| model | claude-sonnet-5-5 | claude-sonnet-5-5 |" in page.evaluate("() => navigator.clipboard.readText()")


@BOTH
def test_the_ladders_slider_and_switches_plan_again_without_a_call(opened: Any) -> None:
    book = shown(opened, LOAD, LONG, "session.ladder()")
    view = explorer(book, 2)
    turns = book.ask("print(len(server.requests))")
    expect(view.locator(".bar-row")).to_have_count(1)
    expect(view.locator(".whatif")).to_have_count(0)
    slider = view.get_by_role("slider", name="window")
    slider.focus()
    slider.fill("27")
    expect(view.locator("output")).to_have_text("6,500")
    expect(view.locator(".whatif")).to_be_visible()
    expect(view.get_by_role("rowheader")).to_have_text(["as stored", "snapshot"])
    expect(view.locator(".message.paged")).not_to_have_count(0)
    shoot(book, 2, "ladder")
    view.get_by_role("checkbox", name="snapshot").uncheck()
    expect(view.get_by_role("rowheader")).not_to_contain_text(["snapshot"])
    view.get_by_role("checkbox", name="snapshot").check()
    view.get_by_role("button", name="Show the exact request").click()
    expect(view.locator(".request")).to_contain_text('"type": "image"')
    view.get_by_role("button", name="Show the exact request").click()
    first = view.locator(".message").filter(has_text="T002").first
    view.locator(".messages").evaluate("element => element.scrollTo(0, 0)")
    first.get_by_role("button").click()
    expect(view.locator(".message").filter(has_text="T002").first.locator(".disposition")).to_have_text("kept")
    view.get_by_role("button", name="Back to what is").click()
    expect(view.locator(".whatif")).to_have_count(0)
    assert book.ask("print(len(server.requests))") == turns


@BOTH
def test_pointing_at_a_page_names_turn_and_characters_and_the_text_points_back(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, LONG + "session.configure(window=6500)\nsession.compact('snapshot')", "session.pages()")
    view = explorer(book, 2)
    expect(view.locator(".thumb")).not_to_have_count(0)
    expect(view.locator(".paper img")).to_have_js_property("complete", True)
    expect(view.locator(".source li").first).to_contain_text("Finding 0")
    paper = view.locator(".paper svg")
    paper.hover(position={"x": 120, "y": 60})
    expect(view.locator("p.pointed")).to_contain_text("T001 assistant")
    expect(view.locator("p.pointed")).to_contain_text("characters 0 to")
    expect(view.locator(".spot")).not_to_have_count(0)
    shoot(book, 2, "pages")
    view.locator(".source li").nth(1).hover()
    expect(view.locator("p.pointed")).to_contain_text("T002 user")
    page.mouse.move(2, 2)  # focusing scrolls, and what comes below a mouse is pointed at
    view.locator(".paper").focus()
    page.keyboard.press("ArrowDown")
    expect(view.locator("p.pointed")).to_contain_text("T002 assistant")
    page.keyboard.press("+")
    page.keyboard.press("]")
    expect(view.locator(".thumb.shown")).to_contain_text("2 ·")
    view.get_by_role("button", name="All profiles side by side").click()
    expect(view.locator(".profile")).to_have_count(5)
    shoot(book, 2, "profiles")
    view.locator(".profile", has_text="dense").click()
    expect(view.locator(".whatif")).to_be_visible()


@BOTH
def test_reopened_by_a_stranger_and_without_a_kernel_all_four_still_read(opened: Any, page: Page) -> None:
    views = ("session.explore()", "session.compare(one.id, three.id)", "session.ladder()", "session.pages()")
    book = shown(opened, LOAD, TALK, *views)
    expect(explorer(book, 5).locator(".paper img")).to_be_visible()
    saved = book.save()
    assert "widgets" not in saved.metadata
    cells = [nbformat.from_dict(cell) for cell in saved.cells]
    cells[0].source = "# sent by a stranger"
    stranger = Notebook(page, book.server, write_notebook(book.server, "explorers_of_a_stranger", cells)).open()
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    tree, compared, ladder, paged = (explorer(stranger, n) for n in range(2, 6))
    expect(tree.get_by_role("treeitem")).to_have_count(7)
    tree.get_by_role("treeitem").first.click()
    expect(tree.locator(".detail blockquote")).to_contain_text("likelihood ratio test")
    expect(tree.get_by_role("button", name="Make this the tip")).to_have_attribute("aria-disabled", "true")
    expect(compared.locator("mark.there", has_text="1999")).to_have_count(1)
    compared.get_by_role("radio").nth(1).check()
    expect(compared.locator("mark.here", has_text="1999")).to_have_count(1)
    expect(ladder.locator(".bar-row")).to_have_count(1)
    expect(ladder.get_by_role("slider")).to_be_disabled()
    expect(paged.locator(".paper img")).to_be_visible()
    page.evaluate("() => document.querySelectorAll('.jp-Cell')[5].scrollIntoView()")
    paged.locator(".paper svg").hover(position={"x": 60, "y": 20})
    expect(paged.locator("p.pointed")).to_contain_text("characters")


def test_six_answers_stand_side_by_side_and_scroll(opened: Any) -> None:
    six = "session.compare(*list(session.tree.heads)[:6])"
    book = shown(opened, TALK, six)
    view = explorer(book, 1)
    expect(view.locator(".heads .head")).to_have_count(6)
    table = view.locator(".table")
    expect(view.locator("mark.there")).not_to_have_count(0)
    assert table.evaluate("element => element.scrollWidth > element.clientWidth")
    wide = "element => [...element.querySelectorAll('.line')].map(line => line.scrollWidth - line.clientWidth)"
    assert set(table.evaluate(wide)) <= {0, 1}
    shoot(book, 1, "compare_six")
