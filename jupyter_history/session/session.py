"""A conversation as its user holds it: send, ask again, branch, fork, compact, look.

What a session promises is written where it is kept: `cells` (what running a cell means), `standing` (the tip, other
writers, what could not be saved), `asking` (what is sent), `exchange` (where a turn ends).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..context.budget import Policy
from ..errors import BadInput, NotFound
from ..model.client import Client
from ..progress import Note, Watch, unwatched
from ..store import Store
from ..store.records import Conversation
from ..tools.attached import Attached, attach
from ..tools.limits import Limits
from ..transcript import DIGEST, Block, Maker, TurnRecord
from ..tree import Tree
from .asking import Asker
from .attempt import DIGESTS, OUTGROWN, Attempt, Prompt
from .cells import ANYWHERE, AT_TIP, ROOT, Show, decide, question_key
from .moving import Moving
from .planning import Planning, user
from .resume import NEWEST, Window
from .retry import EmptyConversation, NothingToRetry, Retryable, state
from .shelf import StoreShelf
from .spending import Spent, unanswered
from .standing import Standing
from .turn import Turn
from .views import Views
from .written import prompt_text

if TYPE_CHECKING:
    from ..experiments import Experiment


MOST_TAKES = 20
"""Answers that one cell may ask for beside each other: a slip of the finger shall not cost hundreds of calls."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What running a cell came to: the turn that is shown, whether it was stored before, and lines to read."""

    turn: Turn
    stored: bool
    notes: tuple[str, ...]


class Session(Planning, Moving, Views):
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
        window: Window | None = NEWEST,
    ) -> None:
        self.store = store
        self.client = client or Client()
        self.place = place
        standing = Standing(store, conversation, place, window)
        super().__init__(
            standing,
            Asker(self.client, standing.overlays, standing.decide, StoreShelf(store)),
            model,
            Policy.named(ladder).name if ladder is not None else None,
        )

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
        window: Window | None = NEWEST,
    ) -> Session:
        """The conversation called `name`, made if there is none; without a name a new one.

        `store` is a Store, a path or a database URL; by default the one that `%%chat` uses. `model` and `ladder` are
        defaults for what is sent from here; `window`: how much of a long conversation is loaded (None: all).
        """
        held = store if isinstance(store, Store) else Store.open(store)
        if name is None:
            conversation = held.create()
        else:
            try:
                conversation = held.conversation(name)
            except NotFound:
                conversation = held.create(name)
        return cls(held, conversation, client=client, model=model, ladder=ladder, place=place, window=window)

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
    def limits(self) -> Limits:
        """What one turn may do; `configure(max_rounds=...)` and the like set them for the conversation."""
        return Limits.of(self.conversation.settings)

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
        """Dollars for all that was asked in the conversation, as far as prices are known: `unanswered` included."""
        asked = sum(head.cost or 0.0 for head in self.tree.heads.values())
        return asked + sum(spent.cost or 0.0 for spent in self.unanswered)

    @property
    def unanswered(self) -> list[Spent]:
        """What was paid for and is no turn: prompts that failed, and summaries written by hand."""
        return unanswered(self._standing)

    @property
    def unsaved(self) -> tuple[str, ...]:
        """The turns that are only in memory, because the store could not be written."""
        return tuple(self._standing.unsaved)

    def refresh(self) -> tuple[str, ...]:
        """Read what other writers did since; the lines that tell of it, each once. The tip stays (rule 5)."""
        return self._standing.refresh()

    def load_all(self) -> None:
        """Load, and send, all of a long conversation, not only its newest part (`resume.Window`)."""
        self._standing.load_all()

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

    # -- asking ---------------------------------------------------------------------------------------------------

    def send(
        self,
        prompt: str,
        at: str | None = None,
        edit: str | None = None,
        *,
        label: str | None = None,
        watch: Watch | None = None,
        images: Sequence[Any] = (),
        files: Sequence[Any] = (),
        attached: Attached | None = None,
        **settings: Any,
    ) -> Turn:
        """Ask, continuing at the tip; `at` continues from that turn, `edit` answers beside that turn.

        `images`: paths, bytes, PIL images or figures; `files`: paths or bytes, of text or an image; `settings`: see
        `written.SETTINGS`. The tip moves to the new turn. Raises ChatError, one line, with nothing moved; Stopped (a
        KeyboardInterrupt) after an interrupt, with what had come stored.
        """
        notes = self.refresh()
        under = self._under(at, edit)
        if attached := attached or attach(prompt, images, files=files):
            notes = (*notes, *attached.notes)
        asked = self._prompt(prompt, self._settings(settings, attached), None, attached, "ladder" in settings)
        to = self.tip if under is ANYWHERE else under
        return Turn(self, self._ask(asked, to, label, _telling(watch, notes)))

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
        attached: Attached | None = None,
    ) -> Ran:
        """What running a chat cell means (DESIGN section 4): show the stored answer, or ask beside or below it."""
        notes = [*self.refresh(), *(attached.notes if attached is not None else ())]
        prompt, written = prompt_text(prompt), self._settings(settings, attached)
        if take is not None and not 1 <= take <= MOST_TAKES:
            raise BadInput(f"--take counts from 1 to {MOST_TAKES}, each a call; {take} is out of it.")
        follow_up = at == AT_TIP
        under = ANYWHERE if follow_up else self._under(at, edit)
        question = question_key(prompt, written)
        asked: list[str] = []
        while True:
            choice = decide(self.tree, maker, question, under=under, follow_up=follow_up, take=take)
            if isinstance(choice, Show):
                break
            sent = self._prompt(prompt, written, maker, attached, "ladder" in settings)
            record = self._ask(sent, choice.under, label, watch, asked)
            asked.append(record.id)
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
        if old.stop_reason == DIGEST:
            raise BadInput(f"`{turn}` is no question: it keeps what a rewind kept. Name a turn that was asked.")
        asked = self._prompt(
            old.prompt, dict(old.settings), old.maker, old.messages[0].content, bool(old.inherited.get("explicit"))
        )
        return Turn(self, self._ask(asked, old.parent, None, _telling(watch, notes)))

    def retryable(self) -> EmptyConversation | NothingToRetry | Retryable:
        """What `retry` would do, the same before and after a restart (rule 9). Nothing is sent."""
        self.refresh()
        tip = self._standing.load([self.tip])[0] if self.tip is not None else None
        return state(self.name, self.tree, self._standing.failures(), tip, self.place)

    def retry(self, *, watch: Watch | None = None) -> Turn | EmptyConversation | NothingToRetry:
        """Ask the last prompt again if it failed or was stopped, where it was asked; else say why there is nothing to.

        The prompt is not repeated in the context: it goes out under the failed turn's recorded parent.
        """
        found = self.retryable()
        if not isinstance(found, Retryable):
            return found
        old = found.record
        if found.stopped:
            if old.inherited.get(OUTGROWN) and old.parent is not None:
                self._compact(old.parent, self._terms_of(old), None, watch or unwatched)
            return self.again(old.id, watch=watch)
        content = old.inherited.get("content")
        asked = self._prompt(old.prompt, dict(old.settings), old.maker, content, bool(old.inherited.get("explicit")))
        asked = replace(asked, digests=tuple(old.inherited.get(DIGESTS, ())))
        return Turn(self, self._ask(asked, old.parent, None, watch))

    def experiment(self, prompt: str, each: Mapping[str, Any] | Sequence[str] | str, **options: Any) -> Experiment:
        """Ask at every point of a grid, `each={"ladder": ["off", "snapshot"]}`: see `experiments.experiment`."""
        from ..experiments import experiment

        return experiment(self, prompt, each, **options)

    # -- copies and names --------------------------------------------------------------------------------------------

    def fork(self, name_or_id: str | None = None, name: str | None = None, *, maker: Maker | None = None) -> Session:
        """Copy the path to a turn (the tip, by default) under new ids into a new conversation (rule 4)."""
        self.refresh()
        self._standing.flush()
        turn = self.tip if name_or_id is None else self.tree.resolve(name_or_id)
        copy, _ = self.store.fork(self.id, turn, name=name, maker=maker, place=self.place)
        return Session(self.store, copy, client=self.client, model=self._model, ladder=self._ladder, place=self.place)

    def label(self, name_or_id: str, label: str | None) -> None:
        """Give a turn a name to branch to; None takes its labels away."""
        turn = self.tree.resolve(name_or_id)
        if label is not None and self.tree.labels.get(label) != turn:
            self.tree.check_label(label)
        self._standing.flush()
        self.store.label(turn, label)
        self._standing.reload()

    # -- the parts ------------------------------------------------------------------------------------------------

    def _under(self, at: str | None, edit: str | None) -> Any:
        if at is not None and edit is not None:
            raise BadInput("`--at` and `--edit` both say where the answer goes; use one of them.")
        if at == AT_TIP:
            return self.tip
        if at == ROOT:
            return None
        if at is not None:
            return self.tree.resolve(at)
        return ANYWHERE if edit is None else self.tree.parent(self.tree.resolve(edit))

    def _prompt(
        self,
        text: str,
        written: dict[str, Any],
        maker: Maker | None,
        attached: Attached | Sequence[Block] | None = None,
        explicit: bool = False,
    ) -> Prompt:
        """What is sent for a prompt; `attached` where that is more than its text. BadInput if it cannot be."""
        text = prompt_text(text)
        terms = self._terms(written, explicit=explicit, prompt=text)
        tools = self.tools.pick(written.get("tools"))
        content = attached.content if isinstance(attached, Attached) else tuple(attached or user(text).content)
        if not terms.profile.vision and any(block["type"] == "image" for block in content):
            raise BadInput(f"{terms.model} sees no images. Nothing was sent; choose another model with -m.")
        return Prompt(text, written, content, terms, maker, tools)

    def _ask(
        self, prompt: Prompt, under: str | None, label: str | None, watch: Watch | None, beside: Sequence[str] = ()
    ) -> TurnRecord:
        """Send it under the turn `under`, store the answer, move the tip to it, name it."""
        if label is not None and label not in self.tree.labels:
            self.tree.check_label(label)
        attempt = Attempt(self._standing, self._asker, prompt, self.limits, self._pinned, watch or unwatched, beside)
        record = attempt.run(under)
        if label is not None and record.id not in self.unsaved:
            self.label(record.id, label)
        return record


def _telling(watch: Watch | None, notes: Sequence[str]) -> Watch:
    """`watch`, told `notes` as soon as the run begins."""
    told: Watch = watch or unwatched
    for note in notes:
        told(Note(note))
    return told
