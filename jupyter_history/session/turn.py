"""A turn as its user holds it: the stored record, and where it stands in its conversation now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..transcript import Message, TurnRecord, Usage

if TYPE_CHECKING:
    from .session import Session


class Turn:
    """A prompt and its answer. What is stored never changes; `siblings`, `label` and `on_path` are read when asked."""

    def __init__(self, session: Session, record: TurnRecord, *, stored: bool = False) -> None:
        self._session = session
        self.record = record
        self.stored = stored
        """Whether this was shown from the store rather than asked for."""

    id = property(lambda self: self.record.id, doc="Its id: six characters, unique in the store.")

    @property
    def conversation(self) -> str:
        return self.record.conversation

    @property
    def prompt(self) -> str:
        return self.record.prompt

    @property
    def text(self) -> str:
        """What the model answered."""
        return self.record.text

    @property
    def thinking(self) -> str:
        return self.record.thinking

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages of the turn: the prompt, calls and results, the answer."""
        return self.record.messages

    @property
    def message(self) -> Message:
        """The last message: the answer."""
        return self.record.messages[-1]

    @property
    def parent(self) -> str | None:
        """The id of the turn it continues from; None at the root."""
        return self.record.parent

    @property
    def siblings(self) -> list[str]:
        """The ids of all answers to the same parent, oldest first, this one included."""
        return self._session.siblings(self.record.id)

    @property
    def position(self) -> tuple[int, int]:
        """(k, n): this is answer k of n, counted from 1."""
        siblings = self.siblings
        return siblings.index(self.record.id) + 1, len(siblings)

    @property
    def on_path(self) -> bool:
        return self.record.id in self._session.tree.path(self._session.tip)

    @property
    def label(self) -> str | None:
        return self._session.tree.label_of(self.record.id)

    @property
    def usage(self) -> Usage:
        return self.record.usage

    @property
    def cost(self) -> float | None:
        """In dollars; None where the model's price is unknown."""
        return self.record.cost

    @property
    def model(self) -> str:
        return self.record.model

    @property
    def seconds(self) -> float:
        return self.record.seconds

    @property
    def outcome(self) -> str:
        return self.record.outcome

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the user wrote besides the prompt."""
        return self.record.settings

    @property
    def took(self) -> Mapping[str, Sequence[int]]:
        """What the ladder took back for it: rung -> tokens before and after."""
        return self.record.took

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Turn {self.id}: {' '.join(self.prompt.split())[:60]!r}, {self.model}, {self.outcome}>"

    # -- views: what a cell shows, made by `notebook.answers` when a front end asks ----------------------------------

    def bundle(self, notes: tuple[str, ...] = ()) -> dict[str, Any]:
        """The answer by MIME type, as a cell shows it."""
        from ..notebook.answers import bundle

        return bundle(self.record, siblings=self.siblings, stored=self.stored, notes=notes, label=self.label)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return self.bundle()

    def _repr_markdown_(self) -> str:
        return str(self.bundle()["text/markdown"])
