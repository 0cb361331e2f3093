"""A decision of the ladder, laid over the transcript that never changes (rule 10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..transcript import Message


class Decision(Protocol):
    """What the plan reads of an overlay; the store's record of the same fields will do."""

    @property
    def anchor(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def first(self) -> str: ...
    @property
    def last(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def profile(self) -> str: ...
    @property
    def payload(self) -> Mapping[str, Any]: ...
    @property
    def created(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Overlay:
    """What was decided at `anchor` (the message the prompt continued from) about the messages from `first` to `last`.

    All three are message ids. `kind` is the rung. The payload holds no ids: a fork renames the three fields and the
    payload stays true. Places in it are counted from `first`: [messages after it, block, part of the block or -1].
    """

    anchor: str
    kind: str
    first: str
    last: str
    policy: str
    profile: str
    payload: dict[str, Any] = field(default_factory=dict)
    created: float = 0.0

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """What makes two decisions the same one."""
        return self.anchor, self.kind, self.first, self.last, self.policy, self.profile


Place = tuple[int, int, int]
"""[message on the path, block of it, part of a tool result or -1]."""


@dataclass(frozen=True, slots=True)
class Held:
    """An overlay that holds on a path, with the positions of its three messages there."""

    overlay: Decision
    anchor: int
    first: int
    last: int


def visible(overlays: Iterable[Decision], path: Sequence[Message], *, policy: str, profile: str) -> list[Held]:
    """The overlays of this policy and model that hold on this path, in the order they were decided.

    A branch that left before an anchor does not have it on its path; another policy or model decides for itself.
    """
    return _held((each for each in overlays if each.policy == policy and each.profile == profile), path)


def summaries(overlays: Iterable[Decision], path: Sequence[Message], *, policy: str) -> list[Held]:
    """The stored summaries that hold on this path, whatever model they were made for: they were paid for once."""
    return _held((each for each in overlays if each.kind == "summary" and each.policy == policy), path)


def _held(overlays: Iterable[Decision], path: Sequence[Message]) -> list[Held]:
    wanted = list(overlays)
    if not wanted:
        return []
    position = {message.id: n for n, message in enumerate(path)}
    held = []
    for overlay in wanted:
        anchor, first, last = (position.get(id) for id in (overlay.anchor, overlay.first, overlay.last))
        if anchor is not None and first is not None and last is not None and first <= last <= anchor:
            held.append(Held(overlay, anchor, first, last))
    return sorted(held, key=lambda each: (each.anchor, each.overlay.created))
