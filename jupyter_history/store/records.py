"""What the store gives and takes, as plain data. Nothing here knows of SQL.

Turns and conversations are named by their public ids everywhere; None as a turn is the root. What is read by the
thousand is a named tuple, which is made five times faster than a frozen dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from ..transcript import Maker, Outcome, Overlay, TurnRecord

TITLE = 160
"""Characters of a prompt that a list shows."""


class Conversation(NamedTuple):
    """A tree of turns and its tip. `turns` and `cost` (dollars; unknown prices count 0) cover all its branches."""

    id: str
    name: str | None
    title: str
    """The start of its first prompt, unless it was given one."""
    created: float
    updated: float
    tip: str | None
    """The place that moved last; a newcomer starts here."""
    revision: int
    """Grows with every change: turns, moves, labels, overlays."""
    turns: int = 0
    cost: float = 0.0
    origin: str | None = None
    """The conversation it was forked or opened from, and the turn it was forked at."""
    origin_turn: str | None = None
    maker: Maker | None = None
    """The cell that made it by `--fork` or `--fresh`."""
    settings: Mapping[str, Any] = MappingProxyType({})
    archived: bool = False


class Listed(NamedTuple):
    """A conversation as a list shows it: the fields of the same names."""

    id: str
    name: str | None
    title: str
    created: float
    updated: float
    turns: int
    cost: float
    origin: str | None
    origin_turn: str | None


class Head(NamedTuple):
    """One turn without its bodies: all that the shape of a tree needs."""

    id: str
    n: int
    """Order of commit in the store."""
    parent: str | None
    depth: int
    """1 for a turn at the root."""
    maker: Maker | None
    question: str
    """16 hex digits that two runs share when the user wrote the same prompt and settings."""
    title: str
    outcome: Outcome
    model: str
    created: float
    cost: float | None
    seconds: float
    context: int


class Found(NamedTuple):
    """A turn in which a text was found."""

    conversation: Conversation
    turn: str
    what: str
    """Where in the turn: "prompt", "answer" or "tool"."""
    snippet: str
    """One line around it."""
    created: float
    on_path: bool
    """Whether it is on the path to the conversation's tip."""
    end: str
    """The last turn of the newest branch through it."""


class Visit(NamedTuple):
    """A tip was moved: where the place stood from then on."""

    seq: int
    place: str
    turn: str | None


@dataclass(frozen=True, slots=True)
class Topology:
    """The shape of a conversation, read in one snapshot. `labels`: name -> turn id."""

    conversation: Conversation
    heads: tuple[Head, ...]
    visits: tuple[Visit, ...]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Basis:
    """What a write was built on: the revision, the newest `Head.n` and the place's tip that the writer knew."""

    revision: int
    last: int
    tip: str | None


@dataclass(frozen=True, slots=True)
class Committed:
    """What a write came to. Conflicts never refuse a write: they are told here (rule 5)."""

    revision: int
    n: int
    """The turn's order in the store; `basis.last` for a move."""
    beside: tuple[str, ...] = ()
    """Children of the same parent that other writers made after `basis.last`."""
    elsewhere: str | None = None
    """Where the place's stored tip was, if `moved`."""
    moved: bool = False
    """The place's stored tip was not `basis.tip`: somebody else moved it meanwhile."""


BatchState = Literal["sending", "waiting", "filed", "refused", "dropped"]
"""sending: begun, and whether it arrived is not known. waiting: the provider has it. filed: its answers are in the
tree. refused: the provider did not take it. dropped: nobody waits for it any more."""


class Batch(NamedTuple):
    """Prompts sent through the provider's Message Batches, whose answers come later."""

    id: str
    """Ours."""
    conversation: str
    asked: Mapping[str, Any]
    """What the turns will be made of; JSON."""
    created: float
    provider: str | None = None
    """The provider's id; None while nobody knows it."""
    state: BatchState = "sending"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A label on a turn boundary, to rewind to once. `target`: the turn that ends there; None is the root."""

    label: str
    target: str | None
    turn: str
    """The turn that set it."""
    consumed: bool = False
    created: float = 0.0
    n: int = 0
    """Its number in the store; 0 while it is not stored."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a turn leaves besides itself, stored in its transaction."""

    kept: Mapping[str, str] = field(default_factory=dict)
    """Whole texts of results that were shortened, by the names that `recall` finds them by."""
    checkpoints: tuple[Checkpoint, ...] = ()
    consumed: tuple[int, ...] = ()
    """Numbers of stored checkpoints that the turn went back to."""
    rewound: bool = False
    """The turn is an exploration that was given up: the tip goes to `to`, not to the turn."""
    to: str | None = None


@dataclass(frozen=True, slots=True)
class Bundle:
    """A whole conversation, with all that belongs to it: what is exported and imported. Its ids are its own."""

    conversation: Conversation
    turns: tuple[TurnRecord, ...]
    """In the order of commit: a parent before its children."""
    failed: tuple[TurnRecord, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    checkpoints: tuple[Checkpoint, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    visits: tuple[tuple[str, str | None], ...] = ()
    """(place, turn), oldest first."""
    kept: Mapping[str, str] = field(default_factory=dict)
    """Whole texts of shortened results, by the names that `recall` finds them by."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook that talks: the last path it was seen at, and the conversation it is in."""

    id: str
    path: str | None
    conversation: str | None
