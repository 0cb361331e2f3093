"""The explorers in JupyterLab: what is clicked there, the next cell knows; and a reopened notebook still shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from browser.conftest import SCREENSHOTS
from lab import LOAD, Notebook, Server, chat, write_notebook
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

TALK = '''
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.explorers import compare, explore, ladder, pages

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
session = Session.open("mixtures", client=Client(transport=server), model="claude-sonnet-5-5")
one = session.send("Why does the likelihood ratio test fail for nested mixtures?", label="start")
two = session.send("Say more about the boundary, please.")
three = session.send("Why does the likelihood ratio test fail for mixtures at all?", edit=one.id)
four = session.send("How many bootstrap draws are enough?")
for n in range(3):
    session.send(f"And for {n + 2} components?", at=two.id)
session.branch(four.id)
'''
LONG = '''
from jupyter_history import Session
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.explorers import ladder, pages

server = Scripted()
for n in range(12):
    server.reply(f"Finding {n}: sample B{n} was kept at -{60 + n} degrees, file /data/run_{n:03d}/assay.csv. " * 22)
session = Session.open("long", client=Client(transport=server), model="claude-sonnet-5-5")
for n in range(12):
    session.send(f"What did run {n} of the assay show, and where is its file?")
'''


def explorer(book: Notebook, index: int) -> Locator:
    return book.cell(index).locator(".jh-explorer")


def shoot(book: Notebook, index: int, name: str) -> None:
    """A picture of one explorer, in the light and in the dark theme."""
    SCREENSHOTS.mkdir(exist_ok=True)
    for theme in ("Light", "Dark"):
        book.page.evaluate(
            "name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: `JupyterLab ${name}` })", theme
        )
        expect(book.page.locator("body")).to_have_attribute("data-jp-theme-light", str(theme == "Light").lower())
        book.page.wait_for_timeout(300)  # the theme's colours come with a style sheet, which tells nobody
        explorer(book, index).screenshot(path=SCREENSHOTS / f"explorer_{name}_{theme.lower()}.png")


@pytest.fixture
def light(page: Page) -> Iterator[None]:
    yield
    page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")


def test_a_click_in_the_tree_and_the_next_cell_continues_from_there(opened: Any, page: Page, light: None) -> None:
    book = opened(LOAD, chat("Keep this: B12 is on shelf two."), chat("Where is B12?"), "%chat tree", chat("And now?"))
    for n in range(3):
        book.run(n)
    first = book.ask("%chat path").splitlines()[0].split()[1]
    book.run(3)
    tree = explorer(book, 3)
    expect(tree.get_by_role("treeitem")).to_have_count(2)
    tree.get_by_role("treeitem").first.click()
    detail = tree.get_by_role("article")
    expect(detail.locator("blockquote")).to_have_text("Keep this: B12 is on shelf two.")
    expect(detail.locator(".md")).to_contain_text("offline")
    tree.get_by_role("button", name="Make this the tip").click()
    expect(tree.get_by_role("treeitem").first).to_have_attribute("aria-current", "true")
    expect(tree.get_by_role("status")).to_contain_text("Off the path now: 1 turn")
    book.run(4)
    assert f"continues from {first}" in book.answer(4).locator(".jh-footer").inner_text()
    expect(tree.get_by_role("treeitem")).to_have_count(3)


def test_the_tree_marks_what_there_is(opened: Any, page: Page, light: None) -> None:
    book = opened(LOAD, TALK, "explore(session)")
    for n in range(3):
        book.run(n)
    tree = explorer(book, 2)
    expect(tree.get_by_role("treeitem")).to_have_count(7)
    shoot(book, 2, "tree")
    tree.get_by_role("button", name="As nodes with links").click()
    shoot(book, 2, "nodes")


def test_two_edits_are_compared(opened: Any, page: Page, light: None) -> None:
    book = opened(LOAD, TALK, "compare(session, one.id, three.id)")
    for n in range(3):
        book.run(n)
    view = explorer(book, 2)
    expect(view.locator(".band")).to_have_count(2)
    expect(view.locator("mark.there")).not_to_have_count(0)
    shoot(book, 2, "compare")


def test_the_ladder(opened: Any, page: Page, light: None) -> None:
    book = opened(LOAD, LONG, "ladder(session, window=6000)", "pages(session)")
    for n in range(4):
        book.run(n)
    expect(explorer(book, 2).locator(".bar-row")).not_to_have_count(0)
    shoot(book, 2, "ladder")
    shoot(book, 3, "pages")
