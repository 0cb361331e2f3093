"""Where a session stands in its conversation: the tree as last read, the tip, and what could not be saved yet.

Invariants: the tip moves only in the transaction that stores the turn or the move (rule 2); what another writer did is
reported, never followed (rule 5); what could not be saved is kept, said, and saved before the next write (rule 7).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import StoreUnavailable
from ..store.records import Basis, Checkpoint, Committed, Head, Marks, Visit
from ..transcript import DIGEST, Message, Overlay, TurnRecord
from ..tree import Tree
from .cells import question_key
from .checkpoints import REWOUND, Rewound, digest_block
from .resume import NEWEST, Window, left_out_line, survive

if TYPE_CHECKING:
    from ..store import Store
    from ..store.records import Conversation


class Standing:
    """The conversation `id` in `store`, seen from `place` (a notebook's id; "" for a script)."""

    def __init__(self, store: Store, conversation: Conversation, place: str, window: Window | None = NEWEST) -> None:
        self.store = store
        self.conversation = conversation
        self.place = place
        self.unsaved: dict[str, TurnRecord] = {}
        self._unsaved_overlays: list[Overlay] = []
        self._unsaved_marks: dict[str, Marks] = {}
        self._unsaved_failures: list[TurnRecord] = []
        self._window = window
        self._begins: set[str] = set()
        self._records: dict[str, TurnRecord] = {}
        self.own: set[str] = set()
        """The turns that were written here, and by the sessions that ask beside this one: no other writer's."""
        self._overlays: list[Overlay] | None = None
        self._failures: list[TurnRecord] | None = None
        self._notes: list[str] = []
        self._there = self._stored_tip()
        self.tree = Tree(place, self._there)
        self._home = store.url
        self._revision = -1
        self.reload()

    @property
    def id(self) -> str:
        return self.conversation.id

    @property
    def tip(self) -> str | None:
        return self.tree.tip

    @property
    def basis(self) -> Basis:
        """What a write that begins now is built on."""
        return Basis(self._revision, self.tree.last, self._there)

    # -- reading --------------------------------------------------------------------------------------------------

    def refresh(self) -> tuple[str, ...]:
        """Read what other writers did since; the lines that tell of it, each once. The tip stays (rule 5)."""
        try:
            self.flush()
            if self.store.revision(self.id) != self._revision:
                self.reload()
                self._report_move()
        except StoreUnavailable as error:
            self._notes.append(str(error))
        return self.told()

    def reload(self) -> None:
        """Take in what the store has and the tree has not."""
        topology = self.store.topology(self.id, after_turn=self.tree.last, after_visit=self.tree.last_visit)
        self.conversation = topology.conversation
        self._revision = topology.conversation.revision
        self.tree.add(topology.heads, topology.visits)
        self.tree.labels = dict(topology.labels)
        self._overlays = self._failures = None

    def _stored_tip(self) -> str | None:
        """The tip of this place; of the conversation, as long as nothing was written from here."""
        visited, tip = self.store.place(self.place, self.id) if self.place else (False, None)
        return tip if visited else self.conversation.tip

    def _report_move(self) -> None:
        there = self._stored_tip()
        if there == self._there:
            return
        self._there = there
        if there != self.tip:
            moved = f"`{there}`" if there else "the root"
            stays = f"`{self.tip}`" if self.tip else "the root"
            self._notes.append(f"The tip was moved elsewhere, to {moved}; here it stays at {stays}.")

    def load(self, turns: Sequence[str]) -> list[TurnRecord]:
        """These turns with their messages; read once, they never change."""
        missing = [turn for turn in turns if turn not in self._records]
        if missing:
            self._records.update((record.id, record) for record in self.store.turns(missing))
        return [self._records[turn] for turn in turns]

    def path(self, turn: str | None) -> list[TurnRecord]:
        """The turns from the root to this one, all of them."""
        return self.load(self.tree.path(turn))

    def loaded(self, turn: str | None) -> list[TurnRecord]:
        """Of the path to a turn what is sent: all of it, or where it is long its newest part."""
        path = self.tree.path(turn)
        return self.load(path[self.begin(path) :])

    def begin(self, path: Sequence[str]) -> int:
        """How many turns of a path are left out. Decided once for a path, and told once."""
        if self._window is None or not path:
            return 0
        known = max((n for n, turn in enumerate(path) if turn in self._begins), default=None)
        if known is not None:
            return known
        begin = self._first_loaded(path, self._window)
        self._begins.add(path[begin])
        if begin:
            gone = survive(self._checkpoints(), path, begin)[1]
            self._notes.append(left_out_line(begin, len(path), gone))
        return begin

    def _first_loaded(self, path: Sequence[str], window: Window) -> int:
        """Where the newest part of a path begins that is within the window."""
        saved = next((n for n in range(len(path), 0, -1) if path[n - 1] not in self.unsaved), 0)
        if not saved:
            return 0
        try:
            newest = self.store.path(path[saved - 1], window.messages, window.tokens)
        except StoreUnavailable:
            self.load(path)  # all of it, where it is in memory
            return 0
        self._records.update((record.id, record) for record in newest)
        return saved - len(newest)

    def load_all(self) -> None:
        """Leave nothing out from now on."""
        self._window = None

    def told(self) -> tuple[str, ...]:
        """The lines to tell, each once."""
        notes, self._notes = tuple(dict.fromkeys(self._notes)), []
        return notes

    def overlays(self) -> list[Overlay]:
        """The ladder's decisions in this conversation, oldest first."""
        if self._overlays is None:
            try:
                self._overlays = self.store.overlays(self.id)
            except StoreUnavailable:
                self._overlays = []
        return [*self._overlays, *self._unsaved_overlays]

    def failures(self) -> list[TurnRecord]:
        """The prompts without an answer, oldest first: those that came to nothing, and (without an error) those whose
        kernel was killed, or is still at it."""
        if self._failures is None:
            try:
                self._failures = self.store.failed(self.id)
            except StoreUnavailable:
                return list(self._unsaved_failures)
        last_words = {record.id: record for record in (*self._failures, *self._unsaved_failures)}
        return [record for id, record in last_words.items() if id not in self.unsaved]

    def checkpoints(self, turn: str | None) -> dict[str, Checkpoint]:
        """The live checkpoints on the path to a turn, by label."""
        path = self.tree.path(turn)
        return survive(self._checkpoints(), path, self.begin(path))[0]

    def _checkpoints(self) -> list[Checkpoint]:
        try:
            stored = self.store.checkpoints(self.id)
        except StoreUnavailable:
            stored = []
        unsaved = [each for marks in self._unsaved_marks.values() for each in marks.checkpoints]
        gone = {n for marks in self._unsaved_marks.values() for n in marks.consumed}
        return [each for each in (*stored, *unsaved) if not each.n or each.n not in gone]

    def kept(self, name: str) -> str | None:
        """The whole text of a result that was shortened, by its name."""
        for marks in self._unsaved_marks.values():
            if name in marks.kept:
                return marks.kept[name]
        try:
            return self.store.kept(name)
        except StoreUnavailable:
            return None

    # -- writing --------------------------------------------------------------------------------------------------

    def commit(self, record: TurnRecord, basis: Basis, marks: Marks | None = None) -> tuple[str, ...]:
        """Store the turn and move the tip to it (a rewound one: to its checkpoint); lines to tell.

        A turn that cannot be saved is kept (rule 7).
        """
        marks = marks or Marks()
        self._records[record.id] = record
        self.own.add(record.id)
        try:
            self.flush()
            done = self.store.commit(record, place=self.place, basis=basis, marks=marks)
        except StoreUnavailable as error:
            self._keep(record, marks)
            return (f"Not saved: {error} The turn is kept in memory; the next one tries again.",)
        self._arrive(marks.to if marks.rewound else record.id, done)
        others = ", ".join(f"`{turn}`" for turn in done.beside if turn not in self.own)
        if not others:
            return ()
        return (f"Another writer was faster: {others} stands there too. Yours is kept as branch `{record.id}`.",)

    def move(self, turn: str | None) -> tuple[str, ...]:
        """Move the tip; the turns that are off the path now."""
        left = tuple(self.tree.left_behind(self.tip, turn))
        self.flush()
        self._arrive(turn, self.store.move(self.id, turn, place=self.place, basis=self.basis))
        return left

    def rewind(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Move the tip to a checkpoint and consume it; the turns that are off the path now."""
        left = tuple(self.tree.left_behind(self.tip, checkpoint.target))
        self.flush()
        done = self.store.rewind(self.id, checkpoint, place=self.place, basis=self.basis)
        self._arrive(checkpoint.target, done)
        return left

    def keep_digest(self, rewound: Rewound, model: str) -> tuple[str, ...]:
        """The same, and what is kept of the exploration is a turn of its own there, in one transaction."""
        checkpoint, told = rewound.checkpoint, digest_block(rewound, f"{self.tip}")
        left = tuple(self.tree.left_behind(self.tip, checkpoint.target))
        id = self.store.new_id()
        record = TurnRecord(
            id=id,
            conversation=self.id,
            parent=checkpoint.target,
            prompt=f"Rewound to {checkpoint.label!r}: {rewound.digest}",
            messages=(Message("user", (told,), id, 0),),
            model=model,
            outcome="complete",
            cost=0.0,
            created=time.time(),
            inherited={REWOUND: checkpoint.label},
            stop_reason=DIGEST,
        )
        self._notes += self.commit(record, self.basis, Marks(consumed=(checkpoint.n,)))
        return left

    def decide(self, overlays: Sequence[Overlay]) -> None:
        """Keep the ladder's decisions, in the store as soon as it takes them."""
        self._unsaved_overlays += overlays
        try:
            self.flush()
        except StoreUnavailable as error:
            self._notes.append(str(error))

    def attempt(self, record: TurnRecord) -> None:
        """Record a prompt before it goes out: what is left of it, for retry, where this process is killed meanwhile.

        A store that cannot take it stops no prompt, and is told when the answer is stored.
        """
        self._failures = None
        with suppress(StoreUnavailable):
            self.flush()
            self.store.attempt(record)

    def fail(self, record: TurnRecord, error: str) -> None:
        """Record a turn that came to nothing, off the path, for retry; a store that cannot is no second error."""
        self._failures = None
        self._unsaved_failures.append(replace(record, outcome="failed", error=error))
        try:
            self.flush()
        except StoreUnavailable:
            self._notes.append("The failed prompt could not be recorded: the store cannot be written.")

    def flush(self) -> None:
        """Save, in order, what is only in memory; StoreUnavailable if it still cannot be."""
        self._notes += self.store.come_back()
        if self._home != self.store.url:  # another database counts its turns and visits anew
            self._home, self.tree = self.store.url, Tree(self.place, self.tip)
            self.reload()
        for turn, record in list(self.unsaved.items()):
            self.store.commit(record, place=self.place, basis=self.basis, marks=self._unsaved_marks[turn])
            del self.unsaved[turn], self._unsaved_marks[turn]
            self._notes.append(f"Saved now: turn `{turn}`.")
        while self._unsaved_failures:
            self.store.fail(self._unsaved_failures[0])
            del self._unsaved_failures[0]
        if self._unsaved_overlays:
            self.store.add_overlays(self.id, self._unsaved_overlays)
            self._unsaved_overlays = []
            self._overlays = None

    def _arrive(self, turn: str | None, done: Committed) -> None:
        self._there = self.tree.tip = turn
        self.reload()

    def _keep(self, record: TurnRecord, marks: Marks) -> None:
        """Hold a turn that is not stored yet as if it were: the next prompt continues from it."""
        self._records[record.id] = record
        self.unsaved[record.id], self._unsaved_marks[record.id] = record, marks
        head = Head(
            id=record.id,
            n=self.tree.last,
            parent=record.parent,
            depth=len(self.tree.path(record.parent)) + 1,
            maker=record.maker,
            question=question_key(record.prompt, record.settings),
            title=" ".join(record.prompt.split())[:160],
            outcome=record.outcome,
            model=record.model,
            created=record.created,
            cost=record.cost,
            seconds=record.seconds,
            context=record.context,
        )
        self.tree.add([head], [Visit(self.tree.last_visit, self.place, record.id)])
        self.tree.tip = marks.to if marks.rewound else record.id
