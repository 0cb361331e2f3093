"""Running cells (DESIGN section 4) as a state machine, against a model small enough to read.

The model knows the tree, the tip and the calls; nothing of databases, kernels or requests. Whatever the user does, the
product must show the same turn, make the same calls and stand at the same tip.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from cells_model import ROOT, Model
from hypothesis import HealthCheck, settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_history.errors import Stopped
from jupyter_history.model.client import Client
from jupyter_history.model.events import Text
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.store import Store
from jupyter_history.transcript import Maker

CELLS = st.sampled_from("abcd")
TEXTS = st.sampled_from(["one", "two", "three"])


class Cells(RuleBasedStateMachine):
    """A notebook of four cells on a real store and the real SDK over a scripted transport."""

    turns: Bundle[str] = Bundle("turns")

    @initialize()
    def open(self) -> None:
        self.store = Store.open(":memory:")
        self.transport = Scripted()
        self.conversation = self.store.create()
        self.model = Model()
        self.ids: dict[int, str | None] = {ROOT: None}
        self.texts = dict.fromkeys("abcd", "one")
        self.default = "offline"
        self.start()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()

    def start(self) -> None:
        client = Client(transport=self.transport)
        self.session = Session(
            self.store, self.store.conversation(self.conversation.id), client=client, place="nb", model=self.default
        )

    def check(self, shown: str, expected: int) -> str:
        self.ids.setdefault(expected, shown)
        assert shown == self.ids[expected]
        return shown

    def run_cell(self, cell: str, **options: Any) -> str:
        return self.session.run(Maker("nb", cell), self.texts[cell], {}, **options).turn.id

    @rule(target=turns, cell=CELLS)
    def run(self, cell: str) -> str:
        return self.check(self.run_cell(cell), self.model.run(cell, self.texts[cell]))

    @rule(target=turns, cell=CELLS, text=TEXTS)
    def edit_and_run(self, cell: str, text: str) -> str:
        self.texts[cell] = text
        return self.run(cell)

    @rule()
    def run_all(self) -> None:
        for cell in "abcd":
            self.run(cell)

    @rule(cell=CELLS)
    def run_below(self, cell: str) -> None:
        for name in "abcd"["abcd".index(cell) :]:
            self.run(name)

    @rule(target=turns, cell=CELLS)
    def follow_up_from_the_same_cell(self, cell: str) -> str:
        return self.check(self.run_cell(cell, at="tip"), self.model.at_tip(cell, self.texts[cell]))

    @rule(cell=CELLS, turn=turns)
    def run_at(self, cell: str, turn: str) -> None:
        number = self.number(turn)
        self.check(self.run_cell(cell, at=turn), self.model.under(number, cell, self.texts[cell]))

    @rule(cell=CELLS, turn=turns)
    def run_edit(self, cell: str, turn: str) -> None:
        under = self.model.parent[self.number(turn)]
        assert under is not None
        self.check(self.run_cell(cell, edit=turn), self.model.under(under, cell, self.texts[cell]))

    @rule(cell=CELLS, n=st.integers(1, 3))
    def run_take(self, cell: str, n: int) -> None:
        before = len(self.model.parent)
        expected = self.model.take(cell, self.texts[cell], n)
        shown = self.run_cell(cell, take=n)
        for number in range(before, len(self.model.parent)):
            self.ids[number] = list(self.session.tree.heads)[number - 1]
        self.check(shown, expected)

    @rule(turn=turns)
    def branch(self, turn: str) -> None:
        self.session.branch(turn)
        self.model.move(self.number(turn))

    @rule()
    def branch_to_the_root(self) -> None:
        self.session.branch(None)
        self.model.move(ROOT)

    @rule(target=turns, turn=turns)
    def again(self, turn: str) -> str:
        number = self.number(turn)
        under = self.model.parent[number]
        assert under is not None
        return self.check(self.session.again(turn).id, self.model.ask(under, *self.model.made[number]))

    @rule()
    def restart_the_kernel(self) -> None:
        self.start()

    @rule(default=st.sampled_from(["offline", "claude-sonnet-5-5"]))
    def a_key_appears_or_disappears(self, default: str) -> None:
        self.default = default
        self.start()

    @rule(target=turns, cell=CELLS)
    def interrupt(self, cell: str) -> str:
        """Stop the answer after some text came; where the cell has an answer stored, there is nothing to stop."""

        def stop(event: object) -> None:
            if isinstance(event, Text):
                raise KeyboardInterrupt

        calls = self.model.calls
        expected = self.model.run(cell, self.texts[cell])
        try:
            shown = self.run_cell(cell, watch=stop)
        except Stopped as stopped:
            self.model.stopped.add(expected)
            shown = str(stopped.turn)
        assert (expected in self.model.stopped) == (self.model.calls > calls)
        return self.check(shown, expected)

    def number(self, turn: str) -> int:
        return next(number for number, known in self.ids.items() if known == turn)

    @invariant()
    def the_tip_is_where_the_model_says(self) -> None:
        if hasattr(self, "session"):
            assert self.session.tip == self.ids[self.model.tip]

    @invariant()
    def no_call_was_made_that_the_model_did_not_make(self) -> None:
        if hasattr(self, "session"):
            assert len(self.transport.requests) == self.model.calls

    @precondition(lambda self: self.model.tip != ROOT)
    @rule()
    def the_request_holds_the_path(self) -> None:
        asked = [self.model.made[turn][1] for turn in self.model.path()[1:]]
        sent = [m["content"][0]["text"] for m in self.session.request()["messages"] if m["role"] == "user"]
        assert sent == asked


Cells.TestCase.settings = settings(
    max_examples=60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestCells = Cells.TestCase


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.open("notes", tmp_path / "history.db", "offline", client=Client(transport=Scripted()))


def test_editing_and_running_downwards_makes_the_path_the_notebook(session: Session) -> None:
    texts = {"a": "one", "b": "two", "c": "three"}

    def run(*cells: str) -> None:
        for cell in cells:
            session.run(Maker("nb", cell), texts[cell], {})

    run("a", "b", "c")
    texts["b"] = "deux"
    run("b", "c")
    assert [turn.prompt for turn in session.path()] == ["one", "deux", "three"]
    texts["b"] = "two"
    ran = session.run(Maker("nb", "b"), "two", {})
    assert ran.stored
    assert [turn.prompt for turn in session.path()] == ["one", "two", "three"], "undo brings the whole old branch back"
    assert len(session.turns()) == 5
