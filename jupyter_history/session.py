"""A conversation as its user holds it: send, ask again, branch, fork, compact, look.

What a session promises is written where it is kept: `cells` (what running a cell means), `standing` (the tip, other
writers, what could not be saved), `asking` (what is sent), `exchange` (where a turn ends).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .asking import Answered, Asker, Terms, took
from .cells import ANYWHERE, AT_TIP, Show, decide, question_key
from .context.budget import Policy, Rung
from .context.plan import Plan
from .errors import BadInput, ChatError, NotFound, Stopped
from .model import catalog
from .model.client import Client
from .progress import Begin, Note, Watch, unwatched
from .standing import Standing
from .store import Store
from .store.records import Conversation
from .transcript import Block, Maker, Message, TurnRecord, clean_text
from .tree import Tree
from .turn import Turn

if TYPE_CHECKING:
    from .notebook.compare import Comparison

SETTINGS = ("model", "system", "max_tokens", "ladder", "window")
"""What a user may write for a turn, in a cell's options, in `send`, or for the conversation in `configure`."""


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
        ladder: str | Sequence[str] | None = None,
        place: str = "",
    ) -> None:
        self.store = store
        self.client = client or Client()
        self.place = place
        self._model = model
        self._ladder = Policy.named(ladder).name if ladder is not None else None
        self._standing = Standing(store, conversation, place)
        self._asker = Asker(self.client, self._standing.overlays, self._standing.decide)

    @classmethod
    def open(
        cls,
        name: str | None = None,
        store: Store | str | Path | None = None,
        model: str | None = None,
        *,
        ladder: str | Sequence[str] | None = None,
        client: Client | None = None,
        place: str = "",
    ) -> Session:
        """The conversation called `name`, made if there is none; without a name a new one.

        `store` is a Store, a path or a database URL; by default the one that `%%chat` uses. `model` and `ladder` are
        defaults for what is sent from here.
        """
        held = store if isinstance(store, Store) else Store.open(store)
        if name is None:
            conversation = held.create()
        else:
            try:
                conversation = held.conversation(name)
            except NotFound:
                conversation = held.create(name)
        return cls(held, conversation, client=client, model=model, ladder=ladder, place=place)

    def __repr__(self) -> str:
        return f"<Session {self.name}: {len(self.tree)} turns, tip {self.tip or 'at the root'}, {self.model}>"

    # -- looking --------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self._standing.id

    @property
    def conversation(self) -> Conversation:
        """Its row in the store, as last read."""
        return self._standing.conversation

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
        return self._standing.tip

    @property
    def tree(self) -> Tree:
        """The conversation's shape, as last read; `refresh()` reads what others wrote."""
        return self._standing.tree

    @property
    def cost(self) -> float:
        """Dollars for all turns of the conversation whose price is known."""
        return sum(head.cost or 0.0 for head in self.tree.heads.values())

    @property
    def unsaved(self) -> tuple[str, ...]:
        """The turns that are only in memory, because the store could not be written."""
        return tuple(self._standing.unsaved)

    def refresh(self) -> tuple[str, ...]:
        """Read what other writers did since; the lines that tell of it, each once. The tip stays (rule 5)."""
        return self._standing.refresh()

    def path(self) -> list[Turn]:
        """The turns from the root to the tip."""
        self.refresh()
        return [Turn(self, record, stored=True) for record in self._standing.path(self.tip)]

    def turns(self) -> list[Turn]:
        """All turns on all branches, in the order they were made."""
        self.refresh()
        return [Turn(self, record, stored=True) for record in self._standing.load(list(self.tree.heads))]

    def turn(self, name: str) -> Turn:
        """The turn with this id or label."""
        self.refresh()
        return Turn(self, self._standing.load([self.tree.resolve(name)])[0], stored=True)

    def siblings(self, turn: str) -> list[str]:
        self.refresh()
        return self.tree.siblings(turn)

    def compare(self, *names: str) -> Comparison:
        """Two to six answers side by side, by id or label; without any, all answers beside the tip."""
        from .notebook.compare import Comparison

        self.refresh()
        ids = [self.tree.resolve(name) for name in names]
        if not names and self.tip is not None:
            ids = self.tree.siblings(self.tip)[-6:]
        if not 2 <= len(ids) <= 6:
            raise BadInput(f"Compare takes two to six answers; there are {len(ids)}. `%chat tree` shows their ids.")
        return Comparison([Turn(self, record, stored=True) for record in self._standing.load(ids)])

    # -- what is sent ---------------------------------------------------------------------------------------------

    def plan(self, prompt: str | None = None, *, turn: str | None = None, **settings: Any) -> Plan:
        """What would be sent for `prompt` at the tip, and why; with `turn`, what was sent for that turn.

        Settings, such as `window=` and `ladder=`, make it a what-if. No model is called and nothing is stored.
        """
        self.refresh()
        if turn is None and prompt is None and not settings and self.tip is not None:
            turn = self.tip
        if turn is not None:
            record = self.turn(turn).record
            path, opened = self._standing.path(record.parent), list(record.messages[:1])
            terms = replace(self._terms_of(record), **self._checked(settings)) if settings else self._terms_of(record)
        else:
            written = self._written(prompt or "...", settings)[1]
            path, opened = self._standing.path(self.tip), [_user(prompt or "...")]
            terms = self._terms(written, explicit="ladder" in settings)
        return self._asker.plan(path, opened, terms, pinned=self._pinned)

    def request(self, prompt: str | None = None, *, turn: str | None = None, **settings: Any) -> dict[str, Any]:
        """The exact body that would be sent for `prompt`, or that was sent for a turn (the tip's, by default)."""
        made = self.plan(prompt, turn=turn, **settings)
        if turn is None and prompt is None and self.tip is not None:
            turn = self.tip
        terms = self._terms_of(self.turn(turn).record) if turn is not None else self._terms(settings, explicit=False)
        return self._asker.body(made, terms)

    def compact(self, rung: Rung | None = None, *, watch: Watch | None = None) -> Plan:
        """Run the ladder now, whatever the size: one rung, or all that the ladder has. What it decided is kept."""
        self.refresh()
        watch = watch or unwatched
        if self.tip is None:
            raise BadInput("There is nothing to compact yet.")
        terms, path = self._terms(self._explicit, explicit=False), self._standing.path(self.tip)

        def planned() -> Plan:
            budget = replace(terms.budget, start=0.0)
            return self._asker.plan(path, [_user("...")], terms, pinned=self._pinned, now=rung, budget=budget)

        made = planned()
        if made.need is not None:
            overlay, _ = self._asker.write_summary(made.need, terms, watch)
            self._standing.decide([overlay])
            made = planned()
        self._standing.decide([replace(overlay, created=time.time()) for overlay in made.overlays])
        return made

    def pin(self, name: str, on: bool = True) -> None:
        """Keep a turn verbatim, whatever the ladder does; False lets it go again."""
        turn = self.tree.resolve(name)
        pinned = [*(known for known in self.conversation.settings.get("pinned", ()) if known != turn), *[turn] * on]
        self._configure(pinned=pinned or None)

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

        `settings`: model, system, max_tokens, ladder, window. The tip moves to the new turn. Raises ChatError, one
        line, with nothing moved; Stopped (a KeyboardInterrupt) after an interrupt, with what had come stored.
        """
        notes = self.refresh()
        under = self._under(at, edit)
        prompt, written = self._written(prompt, settings)
        to = self.tip if under is ANYWHERE else under
        explicit = "ladder" in settings
        return Turn(self, self._ask(prompt, written, to, None, label, _telling(watch, notes), explicit=explicit))

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
            choice = decide(self.tree, maker, question, under=under, follow_up=follow_up, take=take)
            if isinstance(choice, Show):
                break
            record = self._ask(prompt, written, choice.under, maker, label, watch, explicit="ladder" in settings)
            asked = True
            if take is None:
                return Ran(Turn(self, record), False, tuple(notes))
        shown = self._standing.load([choice.turn])[0]
        if choice.tip != self.tip:
            notes.append(self._move(choice.tip).note)
        if label is not None and not asked:
            self.label(shown.id, label)
        if not asked:
            notes += self._differences(shown, written)
        return Ran(Turn(self, shown, stored=not asked), not asked, tuple(note for note in notes if note))

    def again(self, name: str | None = None, *, watch: Watch | None = None) -> Turn:
        """Ask the prompt of a turn (the tip's, by default) once more, beside it; the tip moves to the new answer."""
        notes = self.refresh()
        turn = self.tip if name is None else self.tree.resolve(name)
        if turn is None:
            raise BadInput("There is no answer yet to ask for again. Run a `%%chat` cell first.")
        old = self._standing.load([turn])[0]
        explicit = bool(old.inherited.get("explicit"))
        watch, written = _telling(watch, notes), dict(old.settings)
        record = self._ask(old.prompt, written, old.parent, old.maker, None, watch, old.messages[0].content, explicit)
        return Turn(self, record)

    # -- moving ---------------------------------------------------------------------------------------------------

    def branch(self, name: str | None) -> Moved:
        """Move the tip to a turn, by id or label (None: the root). Nothing else is written (rule 3)."""
        self.refresh()
        return self._move(None if name is None else self.tree.resolve(name))

    def show(self, name: str) -> Moved:
        """Make a turn part of the path again: the tip goes to the leaf last visited at or below it."""
        self.refresh()
        return self._move(self.tree.leaf(self.tree.resolve(name)))

    def fork(self, name_or_id: str | None = None, name: str | None = None, *, maker: Maker | None = None) -> Session:
        """Copy the path to a turn (the tip, by default) under new ids into a new conversation (rule 4)."""
        self.refresh()
        self._standing.flush()
        turn = self.tip if name_or_id is None else self.tree.resolve(name_or_id)
        copy, _ = self.store.fork(self.id, turn, name=name, maker=maker, place=self.place)
        return Session(
            self.store, copy, client=self.client, model=self._model, ladder=self._ladder, place=self.place
        )

    def label(self, name_or_id: str, label: str | None) -> None:
        """Give a turn a name to branch to; None takes its labels away."""
        turn = self.tree.resolve(name_or_id)
        if label is not None and self.tree.labels.get(label) != turn:
            self.tree.check_label(label)
        self._standing.flush()
        self.store.label(turn, label)
        self._standing.reload()

    def configure(self, **settings: Any) -> None:
        """Set what applies to every later turn of the conversation (see SETTINGS); None unsets."""
        self._configure(**self._checked(settings))

    def _configure(self, **settings: Any) -> None:
        merged = {**self.conversation.settings, **settings}
        self.store.configure(self.id, {key: value for key, value in merged.items() if value is not None})
        self._standing.reload()

    # -- the parts ------------------------------------------------------------------------------------------------

    def _move(self, turn: str | None) -> Moved:
        old = self.tip
        left = self._standing.move(turn)
        return Moved(turn, left, _left_line(left, old) if left else "")

    def _under(self, at: str | None, edit: str | None) -> Any:
        if at is not None and edit is not None:
            raise BadInput("`--at` and `--edit` both say where the answer goes; use one of them.")
        if at == AT_TIP:
            return self.tip
        if at is not None:
            return self.tree.resolve(at)
        return ANYWHERE if edit is None else self.tree.parent(self.tree.resolve(edit))

    @property
    def _explicit(self) -> dict[str, Any]:
        """What the user wrote for the whole conversation."""
        return {key: value for key, value in self.conversation.settings.items() if key in SETTINGS}

    @property
    def _pinned(self) -> tuple[str, ...]:
        """The ids of the messages that stay verbatim."""
        turns = [turn for turn in self.conversation.settings.get("pinned", ()) if turn in self.tree]
        return tuple(message.id for record in self._standing.load(turns) for message in record.messages)

    def _written(self, prompt: str, settings: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The prompt and the settings as they are stored and sent; BadInput if they cannot be."""
        prompt = clean_text(prompt).strip("\n")
        if not prompt.strip():
            raise BadInput("The prompt is empty. Write it below the `%%chat` line.")
        given = {key: value for key, value in self._checked(settings).items() if value is not None}
        return prompt, {**self._explicit, **given}

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        checked: dict[str, Any] = {}
        for key, value in settings.items():
            if key not in SETTINGS:
                raise BadInput(f"Unknown setting {key!r}; there are {', '.join(SETTINGS)}.")
            if value is not None and key in ("max_tokens", "window") and (not isinstance(value, int) or value < 1):
                raise BadInput(f"{key} is a number of tokens from 1; {value!r} is not.")
            if value is not None and key == "ladder":
                value = Policy.named(value).name
            checked[key] = clean_text(value) if isinstance(value, str) else value
        return checked

    def _terms(self, written: Mapping[str, Any], *, explicit: bool) -> Terms:
        """The settings with the defaults that apply now."""
        return Terms(
            model=written.get("model") or self.model,
            system=written.get("system"),
            max_tokens=written.get("max_tokens"),
            ladder=written.get("ladder") or self._ladder or "auto",
            window=written.get("window"),
            explicit=explicit,
        )

    def _terms_of(self, record: TurnRecord) -> Terms:
        """What a stored turn was asked with."""
        terms = self._terms({**record.inherited, **record.settings}, explicit=bool(record.inherited.get("explicit")))
        return replace(terms, model=record.model)

    def _ask(
        self,
        prompt: str,
        written: dict[str, Any],
        under: str | None,
        maker: Maker | None,
        label: str | None,
        watch: Watch | None,
        content: Sequence[Block] | None = None,
        explicit: bool = False,
    ) -> TurnRecord:
        """Send `prompt` under the turn `under`, store the answer, move the tip to it."""
        watch = watch or unwatched
        if label is not None and label not in self.tree.labels:
            self.tree.check_label(label)
        terms = self._terms(written, explicit=explicit)
        record = TurnRecord(
            id=self.store.new_id(),
            conversation=self.id,
            parent=under,
            prompt=prompt,
            messages=(),
            model=terms.model,
            maker=maker,
            settings=written,
            window=terms.budget.window_of(terms.profile),
            created=time.time(),
        )
        path, basis = self._standing.path(under), self._standing.basis
        siblings = tuple(self.tree.children[under])
        watch(Begin(record.id, self.id, under, siblings, record.model, prompt))
        left = self.tree.left_behind(self.tip, under)
        if left:
            watch(Note(_left_line(left, self.tip)))
        try:
            answered = self._asker.ask(
                path, record.id, content or _user(prompt).content, terms, pinned=self._pinned, watch=watch
            )
        except ChatError as error:
            self._standing.fail(record, str(error))
            raise
        except KeyboardInterrupt:
            self._standing.fail(record, "Stopped before anything came.")
            raise Stopped("Stopped before anything came; nothing was added to the conversation.", None) from None
        record = _completed(record, terms, answered)
        for note in self._standing.commit(record, basis):
            watch(Note(note))
        if label is not None and record.id not in self.unsaved:
            self.label(record.id, label)
        if record.outcome == "stopped":
            raise Stopped(f"Stopped. What had come is kept as `{record.id}`; running the cell asks again.", record.id)
        return record

    def _differences(self, shown: TurnRecord, written: Mapping[str, Any]) -> list[str]:
        """Lines for inherited values that would be others today; they never cause a call on a rerun."""
        today = self._terms(written, explicit=False)
        if "model" not in written and today.model != shown.model:
            return [f"Answered by {shown.model}; the model is {today.model} now. `%chat again {shown.id}` asks it."]
        return []


def _completed(record: TurnRecord, terms: Terms, answered: Answered) -> TurnRecord:
    exchange, made = answered.exchange, answered.plan
    inherited: dict[str, Any] = {
        "max_tokens": terms.max_tokens,
        "ladder": terms.ladder,
        "system": terms.system,
        "window": terms.window,
        "explicit": terms.explicit or None,
        "epoch": made.epoch,
        "took": took(made) or None,
    }
    usage = exchange.usage + answered.spent
    return replace(
        record,
        messages=exchange.messages,
        outcome=exchange.outcome,
        usage=usage,
        cost=catalog.cost(record.model, usage),
        seconds=exchange.seconds,
        context=exchange.last.prompt + exchange.last.output,
        inherited={
            key: value for key, value in inherited.items() if value is not None and key not in record.settings
        },
        stop_reason=exchange.stop_reason,
    )


def _user(prompt: str) -> Message:
    return Message("user", ({"type": "text", "text": prompt},))


def _telling(watch: Watch | None, notes: Sequence[str]) -> Watch:
    """`watch`, told `notes` as soon as the run begins."""
    told: Watch = watch or unwatched
    for note in notes:
        told(Note(note))
    return told


def _left_line(left: Sequence[str], old: str | None) -> str:
    turns = "turn" if len(left) == 1 else "turns"
    named = ", ".join(f"`{turn}`" for turn in left[:3]) + (" ..." if len(left) > 3 else "")
    return f"Off the path now: {len(left)} {turns} ({named}). `%chat branch {old}` returns."
