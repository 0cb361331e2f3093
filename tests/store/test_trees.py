"""Random trees against a pure model: every turn is reachable, and a path is what the parents say."""

from __future__ import annotations

from builders import Writer, turn
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from jupyter_history.store import Store, bodies, paths

PLACES = ("one", "two")


class Trees(RuleBasedStateMachine):
    """Two places write, branch and fall behind; the model is a dict of parents, tips and visits."""

    @initialize()
    def begin(self) -> None:
        self.store = Store.open(":memory:")
        self.conversation = self.store.create().id
        self.writers = {place: Writer(self.store, self.conversation, place) for place in PLACES}
        self.parents: dict[str | None, str | None] = {}
        self.visits: list[tuple[str, str | None]] = []
        self.seen = [(0, 0)]
        told = turn(self.conversation, "aaaaaa").messages
        self.tokens = -(-sum(len(bodies.pack_content(message.content)) for message in told) // paths.TOKEN)

    def somewhere(self, pick: int) -> str | None:
        known = [None, *self.parents]
        return known[pick % len(known)]

    @rule(place=st.sampled_from(PLACES), pick=st.integers(0, 1000))
    def ask(self, place: str, pick: int) -> None:
        parent, id = self.somewhere(pick), self.store.new_id()
        writer = self.writers[place]
        known = {head.id for head in self.store.topology(self.conversation).heads if head.n <= writer.basis.last}
        stored = [turn for where, turn in self.visits if where == place]
        stale = bool(stored) and stored[-1] != writer.basis.tip
        done = writer.commit(turn(self.conversation, id, parent))
        assert set(done.beside) == {turn for turn in self.parents if self.parents[turn] == parent and turn not in known}
        assert done.moved == stale
        self.parents[id] = parent
        self.visits.append((place, id))

    @rule(place=st.sampled_from(PLACES), pick=st.integers(0, 1000))
    def move(self, place: str, pick: int) -> None:
        target = self.somewhere(pick)
        self.writers[place].move(target)
        self.visits.append((place, target))

    @rule(place=st.sampled_from(PLACES), pick=st.integers(0, 1000))
    def move_from_another_kernel(self, place: str, pick: int) -> None:
        target = self.somewhere(pick)
        Writer(self.store, self.conversation, place).move(target)
        self.visits.append((place, target))

    @rule(place=st.sampled_from(PLACES))
    def refresh(self, place: str) -> None:
        self.writers[place].refresh()

    @rule(pick=st.integers(0, 1000), limit=st.integers(1, 9))
    def tail(self, pick: int, limit: int) -> None:
        end = self.somewhere(pick)
        whole = [record.id for record in self.store.path(end)]
        assert [record.id for record in self.store.path(end, limit)] == whole[-max(1, limit // 2) :]
        assert [record.id for record in self.store.path(end, tokens=limit * self.tokens)] == whole[-max(1, limit) :]

    @invariant()
    def every_turn_is_reachable_and_its_path_is_the_models(self) -> None:
        for id in self.parents:
            path: list[str] = []
            step: str | None = id
            while step is not None:
                path.insert(0, step)
                step = self.parents[step]
            assert [record.id for record in self.store.path(id)] == path

    @invariant()
    def the_tips_are_where_the_last_visits_went(self) -> None:
        topology = self.store.topology(self.conversation)
        assert [(visit.place, visit.turn) for visit in topology.visits] == self.visits
        assert topology.conversation.tip == (self.visits[-1][1] if self.visits else None)
        assert topology.conversation.revision == self.store.revision(self.conversation)
        self.seen.append((len(self.visits), topology.conversation.revision))
        (before, old), (now, new) = self.seen[-2:]
        assert new > old if now > before else new == old, "the revision grows with every change, and only then"
        for place in PLACES:
            mine = [turn for where, turn in self.visits if where == place]
            assert self.store.place(place, self.conversation) == (bool(mine), mine[-1] if mine else None)

    @invariant()
    def the_database_is_sound(self) -> None:
        assert self.store.problems() == []


TestTrees = Trees.TestCase
TestTrees.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
