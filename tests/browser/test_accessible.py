"""What a screen reader gets: no serious finding of axe; trees and sliders that say what they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from browser.test_explorers import LONG, MARKS, TALK, explorer, shown
from browser.test_proof import theme
from lab import LOAD, Notebook, chat
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async selector => {
  const { violations } = await axe.run(selector, { resultTypes: ['violations'] });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 80)}`));
}"""


def findings(page: Page, selector: str) -> list[str]:
    """What axe finds serious in an element and in the shadow roots below it."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN, selector)
    return found


def settled(book: Notebook, index: int) -> None:
    """The view is drawn, and its texts have come."""
    view = explorer(book, index)
    expect(view.locator("section.explorer")).to_be_visible()
    expect(view.locator(".status")).to_have_text("")
    book.page.wait_for_timeout(500)


@pytest.mark.parametrize("colours", ["Light", "Dark"])
def test_axe_finds_nothing_serious_in_the_answer_the_four_explorers_and_the_panel(
    opened: Any, page: Page, colours: str
) -> None:
    views = ("session.explore()", "session.compare(one.id, three.id)", "long.ladder(window=6500)", "long.pages()")
    second = LONG.replace("session", "long").replace('"long"', '"runs"')
    book = shown(opened, LOAD, chat("Where is sample B12?"), TALK + MARKS, second, *views)
    theme(page, colours)
    page.wait_for_timeout(500)
    for index in range(4, 8):
        settled(book, index)
    assert findings(page, ".jh-answer") == []
    assert findings(page, ".jh-explorer") == []
    book.command("jupyter-history:toggle-panel")
    expect(page.locator("#jupyter-history-panel .item").first).to_be_visible()
    assert findings(page, "#jupyter-history-panel") == []
    book.command("jupyter-history:toggle-panel")


def test_a_tree_says_its_levels_what_is_folded_and_what_is_chosen(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, TALK, "session.explore()")
    tree = explorer(book, 2)
    lines = tree.get_by_role("tree", name="Turns")
    expect(lines).to_have_attribute("aria-multiselectable", "true")
    branch = tree.get_by_role("treeitem", name="Say more about the boundary")
    expect(branch).to_have_attribute("aria-level", "2")
    expect(branch).to_have_attribute("aria-expanded", "true")
    expect(branch).to_have_attribute("aria-selected", "false")
    branch.click()
    lines.focus()
    page.keyboard.press("ArrowLeft")
    expect(branch).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Space")
    expect(branch).to_have_attribute("aria-selected", "true")
    expect(tree.get_by_role("treeitem", name="the tip")).to_have_count(0)
    expect(tree.get_by_role("treeitem", name="you are here")).to_have_attribute("aria-current", "true")
    tree.get_by_role("button", name="As nodes with links").click()
    node = tree.get_by_role("treeitem", name="Say more about the boundary")
    expect(node).to_have_attribute("aria-level", "2")
    expect(node).to_have_attribute("aria-expanded", "true")


def test_the_ladders_slider_says_tokens(opened: Any) -> None:
    book = shown(opened, LOAD, LONG, "session.ladder()")
    slider = explorer(book, 2).get_by_role("slider", name="window")
    slider.focus()
    slider.fill("27")
    expect(slider).to_have_attribute("aria-valuetext", "6,500 tokens")


def test_a_page_is_zoomed_and_moved_with_the_keys(opened: Any, page: Page) -> None:
    book = shown(opened, LOAD, LONG, "session.pages()")
    paper = explorer(book, 2).locator(".paper")
    expect(paper.locator("img")).to_be_visible()
    paper.focus()
    width = paper.evaluate("paper => paper.firstElementChild.clientWidth")
    for _ in range(3):
        page.keyboard.press("+")
    assert paper.evaluate("paper => paper.firstElementChild.clientWidth") > width
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    assert paper.evaluate("paper => Math.min(paper.scrollLeft, paper.scrollTop)") > 0
    page.keyboard.press("0")
    assert abs(paper.evaluate("paper => paper.firstElementChild.clientWidth") - width) < 2
