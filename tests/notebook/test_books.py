"""Notebooks renamed, copied, recreated and deleted while their cells run (DESIGN section 4), as a state machine.

The reference is `cells_model.Model`, one for each notebook. Of files it knows what a user would say: a renamed notebook
goes on, a copy goes on in a fork of the path, a new notebook at an old path begins anew. Whatever happens, a cell must
show the turn and make the calls that the reference says, and nothing of it may reach another notebook.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import hypothesis.strategies as st
from cells_model import Model
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.answers import MIME
from jupyter_history.notebook.current import Current
from jupyter_history.store import Store
from jupyter_history.transcript import Maker

CELLS = st.sampled_from("abc")
TEXTS = st.sampled_from(["one", "two"])
PLACES = st.sampled_from(["a.ipynb", "b.ipynb", "c.ipynb", "d.ipynb"])
ANY = st.integers(0, 11)


@dataclass
class Book:
    """A notebook: its file, what is in its cells, the kernel that serves it, and what the reference says of it."""

    path: Path
    cells: dict[str, str]
    """Cell id -> text; the ids say which notebook was made first with them."""
    current: Current
    model: Model = field(default_factory=Model)
    ids: dict[int, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """Cell id -> the answer below it."""
    settled: bool = True
    """Whether the kernel knows the path: a kernel is told it once."""

    def save(self) -> None:
        cells = [{"id": id, "outputs": self.outputs(id)} for id in self.cells]
        self.path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells}))

    def outputs(self, cell: str) -> list[dict[str, Any]]:
        return [{"data": {MIME: {"id": self.shown[cell]}}}] if cell in self.shown else []


class Books(RuleBasedStateMachine):
    """Up to four notebooks in a folder, on one store."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.store = Store.open(":memory:")
        self.transport = Scripted()
        self.books: list[Book] = []
        self.made = self.past = 0
        self.create("a.ipynb")

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            shutil.rmtree(self.folder)

    def kernel(self, path: Path) -> Current:
        """A new kernel for the notebook at this path, as a front end begins it."""
        self.running = ""
        told = lambda: {"header": {"msg_id": str(self.made)}, "metadata": {"cellId": self.running}}  # noqa: E731
        shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(path)}, kernel=SimpleNamespace(get_parent=told))
        current = Current(cast("Any", shell))
        current._store, current._client = self.store, Client(transport=self.transport)
        return current

    def create(self, name: str) -> Book:
        """A notebook with cells that no other has."""
        self.made += 1
        path = self.folder / name
        book = Book(path, {f"{cell}{self.made}": "one" for cell in "abc"}, self.kernel(path))
        book.save()
        self.books.append(book)
        return book

    def leave(self, book: Book) -> None:
        """Nobody comes back to this notebook; its calls were made."""
        self.books.remove(book)
        self.past += book.model.calls

    def ask(self, book: Book, letter: str) -> tuple[str, ...]:
        """Run a cell; what the user is told beside the answer."""
        cell = next(id for id in book.cells if id[0] == letter)
        self.running, text, current = cell, book.cells[cell], book.current
        current.begin()
        assert current.notebook is not None
        notes = current.told()
        maker = Maker(current.notebook.id, cell)
        session = current.home(maker)
        if not book.ids:
            book.ids = dict(enumerate(session.tree.path(session.tip), start=1))
        turn = session.run(maker, text, {}).turn
        expected = book.model.run(cell, text)
        assert turn.id == book.ids.setdefault(expected, turn.id)
        assert session.tip == book.ids[book.model.tip]
        book.shown[cell] = turn.id
        book.save()
        return notes

    # -- what a user does -----------------------------------------------------------------------------------------

    @rule(which=ANY, cell=CELLS)
    def run(self, which: int, cell: str) -> None:
        self.ask(self.one(which), cell)

    @rule(which=ANY, cell=CELLS, text=TEXTS)
    def edit_and_run(self, which: int, cell: str, text: str) -> None:
        book = self.one(which)
        book.cells[next(id for id in book.cells if id[0] == cell)] = text
        self.ask(book, cell)

    @rule(which=ANY)
    def run_all(self, which: int) -> None:
        for cell in "abc":
            self.run(which, cell)

    @rule(which=ANY)
    def restart(self, which: int) -> None:
        book = self.one(which)
        book.current, book.settled = self.kernel(book.path), True
        self.ask(book, "a")

    @rule(which=ANY, name=PLACES, restarted=st.booleans(), cell=CELLS)
    def rename(self, which: int, name: str, restarted: bool, cell: str) -> None:
        """Under a kernel that goes on, which learns nothing of it, or with a new one."""
        book, to = self.one(which), self.folder / name
        if to.exists():
            return
        told = f"was {book.path.name} before" if book.ids and book.settled else ""
        book.path = book.path.rename(to)
        if not restarted:
            book.settled = False
            return
        book.current, book.settled = self.kernel(to), True
        notes = self.ask(book, cell)
        assert not told or any(told in note for note in notes), notes

    @precondition(lambda self: len(self.books) < 4)
    @rule(which=ANY, name=PLACES, cell=CELLS)
    def copy(self, which: int, name: str, cell: str) -> None:
        book, to = self.one(which), self.folder / name
        if to.exists() or not book.settled or not book.ids:
            return
        shutil.copy(book.path, to)
        copy = Book(to, dict(book.cells), self.kernel(to), book.model.fork(), shown=dict(book.shown))
        self.books.append(copy)
        notes = self.ask(copy, cell)
        assert any(f"copy of {book.path.name}" in note for note in notes), notes
        assert not set(copy.ids.values()) & set(book.ids.values())

    @rule(which=ANY, cell=CELLS)
    def recreate(self, which: int, cell: str) -> None:
        """Delete a notebook and make another at its path."""
        old = self.one(which)
        self.leave(old)
        old.path.unlink()
        notes = self.ask(self.create(old.path.name), cell)
        if old.settled and old.ids:
            assert any("Another notebook was at this path before" in note for note in notes), notes

    @precondition(lambda self: len(self.books) > 1)
    @rule(which=ANY)
    def delete(self, which: int) -> None:
        book = self.one(which)
        self.leave(book)
        book.path.unlink()

    def one(self, which: int) -> Book:
        return self.books[which % len(self.books)]

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant()
    def no_call_was_made_that_the_reference_did_not_make(self) -> None:
        if hasattr(self, "books"):
            assert len(self.transport.requests) == self.past + sum(book.model.calls for book in self.books)

    @invariant()
    def each_notebook_has_its_own_conversation(self) -> None:
        if hasattr(self, "books"):
            open_ = [book.current.session.id for book in self.books if book.current.session is not None]
            assert len(open_) == len(set(open_))


Books.TestCase.settings = settings(
    max_examples=40, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestBooks = Books.TestCase
