"""A decision of the ladder, laid over the transcript that never changes (rule 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..transcript import Message, Overlay

__all__ = ["Held", "Overlay", "Place", "summaries", "visible"]


Place = tuple[int, int, int]
"""[message on the path, block of it, part of a tool result or -1]."""


@dataclass(frozen=True, slots=True)
class Held:
    """An overlay that holds on a path, with the positions of its three messages there."""

    overlay: Overlay
    anchor: int
    first: int
    last: int


def visible(overlays: Iterable[Overlay], path: Sequence[Message], *, policy: str, profile: str) -> list[Held]:
    """The overlays of this policy and model that hold on this path, in the order they were decided.

    A branch that left before an anchor does not have it on its path; another policy or model decides for itself.
    """
    return _held((each for each in overlays if each.policy == policy and each.profile == profile), path)


def summaries(overlays: Iterable[Overlay], path: Sequence[Message], *, policy: str) -> list[Held]:
    """The stored summaries that hold on this path, whatever model they were made for: they were paid for once."""
    return _held((each for each in overlays if each.kind == "summary" and each.policy == policy), path)


def _held(overlays: Iterable[Overlay], path: Sequence[Message]) -> list[Held]:
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
