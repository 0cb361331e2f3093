"""A conversation as its user holds it: send, ask again, branch, fork, look.

Invariants: the tip moves only in the transaction that stores the turn or the move (rule 2); a branch moves the tip
and nothing else (rule 3); what another writer did is reported and never followed (rule 5); what could not be saved is
kept, said, and saved with the next turn (rule 7).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cells import ANYWHERE, AT_TIP, Show, decide, question_key
from .context.request import answer_room, build, sendable, system_of
from .errors import BadInput, ChatError, NotFound, Stopped, StoreUnavailable
from .exchange import Exchange, converse
from .model import catalog
from .model.client import Client
from .progress import Begin, Note, Watch, unwatched
from .store import Store
from .store.records import Basis, Conversation, Head, Visit
from .transcript import Block, Maker, Message, TurnRecord, clean_text
from .tree import Tree
from .turn import Turn

if TYPE_CHECKING:
    from .notebook.compare import Comparison

SETTINGS = ("model", "system", "max_tokens")
"""What a user may write for a turn, in a cell's options or in `send`."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What running a cell came to: the turn that is shown, whether it was stored before, and lines to read."""

    turn: Turn
    stored: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """A move of the tip: where it is now, the turns it left behind, and the line that says so."""

    tip: str | None
    left: tuple[str, ...]
    note: str


class Session:
    """One conversation in a store, seen from one place (a notebook's id; "" for a script)."""

    def __init__(
        self,
        store: Store,
        conversation: Conversation,
        *,
        client: Client | None = None,
        model: str | None = None,
        place: str = "",
    ) -> None:
        self.store = store
        self.conversation = conversation
        self.client = client or Client()
        self.place = place
        self._model = model
        self._records: dict[str, TurnRecord] = {}
        self._unsaved: dict[str, TurnRecord] = {}
        self._notes: list[str] = []
        visited, tip = store.place(place, conversation.id) if place else (False, None)
        self._tree = Tree(place, tip if visited else conversation.tip)
        self._revision = -1
        self._reload()

    @classmethod
    def open(
        cls,
        name: str | None = None,
        store: Store | str | Path | None = None,
        model: str | None = None,
        *,
        client: Client | None = None,
        place: str = "",
    ) -> Session:
        """The conversation called `name`, made if there is none; without a name a new one.

        `store` is a Store, a path or a database URL; by default the one that `%%chat` uses.
        """
        held = store if isinstance(store, Store) else Store.open(store)
        if name is None:
            conversation = held.create()
        else:
            try:
                conversation = held.conversation(name)
            except NotFound:
                conversation = held.create(name)
        return cls(held, conversation, client=client, model=model, place=place)

    # -- looking --------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.conversation.id

    @property
    def name(self) -> str:
        """The conversation's name, or its id where it has none."""
        return self.conversation.name or self.conversation.id

    @property
    def model(self) -> str:
        """The model that the next prompt goes to if it does not say another."""
        return self._model or self.conversation.settings.get("model") or catalog.default_model()

    @property
    def tip(self) -> str | None:
        """The turn that the next prompt continues from; None at the root."""
        return self._tree.tip

    @property
    def tree(self) -> Tree:
        """The conversation's shape, as last read; `refresh()` reads what others wrote."""
        return self._tree

    @property
    def cost(self) -> float:
        """Dollars for all turns of the conversation whose price is known."""
        return sum(head.cost or 0.0 for head in self._tree.heads.values())

    @property
    def unsaved(self) -> tuple[str, ...]:
        """The turns that are only in memory, because the store could not be written."""
        return tuple(self._unsaved)

    def path(self) -> list[Turn]:
        """The turns from the root to the tip."""
        self.refresh()
        return [Turn(self, record, stored=True) for record in self._path(self.tip)]

    def turns(self) -> list[Turn]:
        """All turns on all branches, in the order they were made."""
        self.refresh()
        return [Turn(self, record, stored=True) for record in self._load(list(self._tree.heads))]

    def turn(self, name: str) -> Turn:
        """The turn with this id or label."""
        self.refresh()
        return Turn(self, self._load([self._tree.resolve(name)])[0], stored=True)

    def siblings(self, turn: str) -> list[str]:
        self.refresh()
        return self._tree.siblings(turn)

    def compare(self, *names: str) -> Comparison:
        """Two to six answers side by side, by id or label; without any, all answers beside the tip."""
        from .notebook.compare import Comparison

        self.refresh()
        ids = [self._tree.resolve(name) for name in names]
        if not names and self.tip is not None:
            ids = self._tree.siblings(self.tip)[-6:]
        if not 2 <= len(ids) <= 6:
            raise BadInput(f"Compare takes two to six answers; there are {len(ids)}. `%chat tree` shows their ids.")
        return Comparison([Turn(self, record, stored=True) for record in self._load(ids)])

    def request(self, prompt: str | None = None, **settings: Any) -> dict[str, Any]:
        """The exact body that would be sent for `prompt`; without one, that of the tip's own prompt."""
        self.refresh()
        if prompt is None:
            if self.tip is None:
                raise BadInput("Nothing was sent yet. Give a prompt to see what would be sent.")
            return self.request_of(self.tip)
        return self._request(self._path(self.tip), [Message("user", (_text(prompt),))], self._resolved(settings))

    def request_of(self, name: str) -> dict[str, Any]:
        """The first request that was sent for a stored turn, built again from what is stored."""
        record = self.turn(name).record
        resolved = {**record.inherited, **record.settings, "model": record.model, "system": system_of(record)}
        return self._request(self._path(record.parent), record.messages[:1], resolved)

    # -- asking ---------------------------------------------------------------------------------------------------

    def send(
        self,
        prompt: str,
        at: str | None = None,
        edit: str | None = None,
        *,
        label: str | None = None,
        watch: Watch | None = None,
        **settings: Any,
    ) -> Turn:
        """Ask, continuing at the tip; `at` continues from that turn, `edit` answers beside that turn.

        `settings`: model, system, max_tokens. The tip moves to the new turn. Raises ChatError, one line, with nothing
        moved; Stopped (a KeyboardInterrupt) after an interrupt, with what had come stored.
        """
        self.refresh()
        under = self._under(at, edit)
        prompt, written = self._written(prompt, settings)
        record = self._ask(prompt, written, self.tip if under is ANYWHERE else under, None, label, watch)
        return Turn(self, record)

    def run(
        self,
        maker: Maker,
        prompt: str,
        settings: Mapping[str, Any],
        *,
        at: str | None = None,
        edit: str | None = None,
        take: int | None = None,
        label: str | None = None,
        watch: Watch | None = None,
    ) -> Ran:
        """What running a chat cell means (DESIGN section 4): show the stored answer, or ask beside or below it."""
        notes = list(self.refresh())
        prompt, written = self._written(prompt, settings)
        if take is not None and take < 1:
            raise BadInput(f"--take counts from 1; {take} is too small.")
        follow_up = at == AT_TIP
        under = ANYWHERE if follow_up else self._under(at, edit)
        question = question_key(prompt, written)
        asked = False
        while True:
            choice = decide(self._tree, maker, question, under=under, follow_up=follow_up, take=take)
            if isinstance(choice, Show):
                break
            record = self._ask(prompt, written, choice.under, maker, label, watch)
            asked = True
            if take is None:
                return Ran(Turn(self, record), False, tuple(notes))
        shown = self._load([choice.turn])[0]
        if choice.tip != self.tip:
            notes.append(self._move(choice.tip).note)
        if label is not None and not asked:
            self.label(shown.id, label)
        if not asked:
            notes += self._differences(shown, written)
        return Ran(Turn(self, shown, stored=not asked), not asked, tuple(note for note in notes if note))

    def again(self, name: str | None = None, *, watch: Watch | None = None) -> Turn:
        """Ask the prompt of a turn (the tip's, by default) once more, beside it; the tip moves to the new answer."""
        self.refresh()
        turn = self.tip if name is None else self._tree.resolve(name)
        if turn is None:
            raise BadInput("There is no answer yet to ask for again. Run a `%%chat` cell first.")
        old = self._load([turn])[0]
        return Turn(self, self._ask(old.prompt, dict(old.settings), old.parent, old.maker, None, watch, old))

    # -- moving ---------------------------------------------------------------------------------------------------

    def branch(self, name: str | None) -> Moved:
        """Move the tip to a turn, by id or label (None: the root). Nothing else is written (rule 3)."""
        self.refresh()
        return self._move(None if name is None else self._tree.resolve(name))

    def show(self, name: str) -> Moved:
        """Make a turn part of the path again: the tip goes to the leaf last visited at or below it."""
        self.refresh()
        return self._move(self._tree.leaf(self._tree.resolve(name)))

    def fork(self, name_or_id: str | None = None, name: str | None = None, *, maker: Maker | None = None) -> Session:
        """Copy the path to a turn (the tip, by default) under new ids into a new conversation (rule 4)."""
        self.refresh()
        self._flush()
        turn = self.tip if name_or_id is None else self._tree.resolve(name_or_id)
        copy, _ = self.store.fork(self.id, turn, name=name, maker=maker, place=self.place)
        return Session(self.store, copy, client=self.client, model=self._model, place=self.place)

    def label(self, name_or_id: str, label: str | None) -> None:
        """Give a turn a name to branch to; None takes its labels away."""
        turn = self._tree.resolve(name_or_id)
        if label is not None and self._tree.labels.get(label) != turn:
            self._tree.check_label(label)
        self._flush()
        self.store.label(turn, label)
        self._reload()

    def configure(self, **settings: Any) -> None:
        """Set what applies to every later turn of the conversation: model, system, max_tokens; None unsets."""
        merged = {**self.conversation.settings, **self._checked(settings)}
        self.store.configure(self.id, {key: value for key, value in merged.items() if value is not None})
        self._reload()

    # -- what others wrote -----------------------------------------------------------------------------------------

    def refresh(self) -> tuple[str, ...]:
        """Read what other writers did since; the lines that tell of it, each once. The tip stays (rule 5)."""
        try:
            self._flush()
            if self.store.revision(self.id) != self._revision:
                self._reload()
                self._report_moves()
        except StoreUnavailable as error:
            self._notes.append(str(error))
        notes, self._notes = tuple(dict.fromkeys(self._notes)), []
        return notes

    def _reload(self) -> None:
        topology = self.store.topology(self.id, after_turn=self._tree.last, after_visit=self._tree.last_visit)
        self.conversation = topology.conversation
        self._revision = topology.conversation.revision
        self._tree.add(topology.heads, topology.visits)
        self._tree.labels = dict(topology.labels)

    def _report_moves(self) -> None:
        if not self.place:
            return
        _, there = self.store.place(self.place, self.id)
        if there != self.tip and there is not None:
            self._notes.append(
                f"Elsewhere this notebook's place was moved to `{there}`; this kernel stays at `{self.tip}`. "
                f"`%chat branch {there}` follows."
            )

    # -- the parts ------------------------------------------------------------------------------------------------

    def _under(self, at: str | None, edit: str | None) -> Any:
        if at is not None and edit is not None:
            raise BadInput("`--at` and `--edit` both say where the answer goes; use one of them.")
        if at == AT_TIP:
            return self.tip
        if at is not None:
            return self._tree.resolve(at)
        return ANYWHERE if edit is None else self._tree.parent(self._tree.resolve(edit))

    def _written(self, prompt: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The prompt and the settings as they are stored and sent; BadInput if they cannot be."""
        prompt = clean_text(prompt).strip("\n")
        if not prompt.strip():
            raise BadInput("The prompt is empty. Write it below the `%%chat` line.")
        given = {key: value for key, value in self._checked(settings).items() if value is not None}
        explicit = {key: value for key, value in self.conversation.settings.items() if key in SETTINGS}
        return prompt, {**explicit, **given}

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        for key in settings:
            if key not in SETTINGS:
                raise BadInput(f"Unknown setting {key!r}; there are {', '.join(SETTINGS)}.")
        room = settings.get("max_tokens")
        if room is not None and (not isinstance(room, int) or room < 1):
            raise BadInput(f"max_tokens is a number of tokens from 1; {room!r} is not.")
        return {key: clean_text(value) if isinstance(value, str) else value for key, value in settings.items()}

    def _resolved(self, written: Mapping[str, Any]) -> dict[str, Any]:
        """The settings with the defaults that apply now."""
        model = written.get("model") or self.model
        profile = catalog.profile(model)
        room = written.get("max_tokens") or answer_room(profile.window, profile.max_output)
        return {"model": model, "system": written.get("system"), "max_tokens": min(room, profile.max_output)}

    def _request(
        self, path: Sequence[TurnRecord], new: Sequence[Message], resolved: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The body for the turn that begins after `path` and holds the messages `new` so far."""
        return build(
            [*sendable(path, resolved["model"], resolved["system"]), *new],
            model=resolved["model"],
            max_tokens=resolved["max_tokens"],
            system=resolved["system"],
        )

    def _ask(
        self,
        prompt: str,
        written: dict[str, Any],
        under: str | None,
        maker: Maker | None,
        label: str | None,
        watch: Watch | None,
        like: TurnRecord | None = None,
    ) -> TurnRecord:
        """Send `prompt` under the turn `under`, store the answer, move the tip to it."""
        watch = watch or unwatched
        if label is not None:
            self._tree.check_label(label)
        resolved = self._resolved(written)
        content = like.messages[0].content if like is not None and like.messages else (_text(prompt),)
        record = TurnRecord(
            id=self.store.new_id(),
            conversation=self.id,
            parent=under,
            prompt=prompt,
            messages=(),
            model=resolved["model"],
            maker=maker,
            settings=written,
            inherited={key: value for key, value in resolved.items() if key not in written and value is not None},
            window=catalog.profile(resolved["model"]).window,
            created=time.time(),
        )
        path = self._path(under)
        basis = Basis(self._revision, self._tree.last, self.tip)
        siblings = tuple(self._tree.children[under])
        watch(Begin(record.id, self.id, under, siblings, record.model, prompt))
        left = self._tree.left_behind(self.tip, under)
        if left:
            watch(Note(_left_line(left, self.tip)))

        def body(messages: Sequence[Message]) -> dict[str, Any]:
            return self._request(path, messages, resolved)

        try:
            exchange = converse(self.client, body, content, turn=record.id, watch=watch)
        except ChatError as error:
            self._fail(record, str(error))
            raise
        except KeyboardInterrupt:
            self._fail(record, "Stopped before anything came.")
            raise Stopped("Stopped before anything came; nothing was added to the conversation.", None) from None
        record = self._completed(record, exchange)
        self._commit(record, basis, watch)
        if label is not None:
            self.label(record.id, label)
        if exchange.outcome == "stopped":
            raise Stopped(f"Stopped. What had come is kept as `{record.id}`; running the cell asks again.", record.id)
        return record

    def _completed(self, record: TurnRecord, exchange: Exchange) -> TurnRecord:
        return replace(
            record,
            messages=exchange.messages,
            outcome=exchange.outcome,
            usage=exchange.usage,
            cost=catalog.cost(record.model, exchange.usage),
            seconds=exchange.seconds,
            context=exchange.context,
            stop_reason=exchange.stop_reason,
        )

    def _path(self, turn: str | None) -> list[TurnRecord]:
        return self._load(self._tree.path(turn))

    def _load(self, ids: Sequence[str]) -> list[TurnRecord]:
        missing = [turn for turn in ids if turn not in self._records]
        if missing:
            self._records.update((record.id, record) for record in self.store.turns(missing))
        return [self._records[turn] for turn in ids]

    # -- writing --------------------------------------------------------------------------------------------------

    def _commit(self, record: TurnRecord, basis: Basis, watch: Watch) -> None:
        """Store the turn, or keep it and say so (rule 7); either way the tip of this session moves to it."""
        self._records[record.id] = record
        try:
            self._flush()
            done = self.store.commit(record, place=self.place, basis=basis)
        except StoreUnavailable as error:
            self._keep(record)
            watch(Note(f"Not saved: {error} The turn is kept in memory; the next one tries again."))
            return
        self._reload()
        self._tree.tip = record.id
        if done.beside:
            others = ", ".join(f"`{turn}`" for turn in done.beside)
            watch(Note(f"Another writer was faster: {others} stands there too. Yours is kept as branch `{record.id}`."))

    def _keep(self, record: TurnRecord) -> None:
        self._unsaved[record.id] = record
        head = Head(
            id=record.id,
            n=self._tree.last,
            parent=record.parent,
            depth=len(self._tree.path(record.parent)) + 1,
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
        self._tree.add([head], [Visit(self._tree.last_visit, self.place, record.id)])
        self._tree.tip = record.id

    def _flush(self) -> None:
        """Save, in order, what is only in memory; StoreUnavailable if it still cannot be."""
        for turn in list(self._unsaved):
            basis = Basis(self._revision, self._tree.last, self.tip)
            self.store.commit(self._unsaved[turn], place=self.place, basis=basis)
            del self._unsaved[turn]
            self._notes.append(f"Saved now: turn `{turn}`.")

    def _move(self, turn: str | None) -> Moved:
        old = self.tip
        left = tuple(self._tree.left_behind(old, turn))
        self._flush()
        self.store.move(self.id, turn, place=self.place, basis=Basis(self._revision, self._tree.last, old))
        self._tree.tip = turn
        self._reload()
        return Moved(turn, left, _left_line(left, old) if left else "")

    def _fail(self, record: TurnRecord, error: str) -> None:
        """Record a turn that came to nothing, off the path, for retry; a store that cannot is no second error."""
        try:
            self.store.fail(replace(record, outcome="failed", error=error))
        except StoreUnavailable:
            self._notes.append("The failed prompt could not be recorded either: the store cannot be written.")

    def _differences(self, shown: TurnRecord, written: Mapping[str, Any]) -> list[str]:
        """Lines for inherited values that would be others today; they never cause a call on a rerun."""
        today = self._resolved(written)
        if "model" not in written and today["model"] != shown.model:
            return [f"Answered by {shown.model}; the model is {today['model']} now. `%chat again {shown.id}` asks it."]
        return []


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _left_line(left: Sequence[str], old: str | None) -> str:
    turns = "turn" if len(left) == 1 else "turns"
    named = ", ".join(f"`{turn}`" for turn in left[:3]) + (" ..." if len(left) > 3 else "")
    return f"Off the path now: {len(left)} {turns} ({named}). `%chat branch {old}` returns."
