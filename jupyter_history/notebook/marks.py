"""What is worth saying of a turn wherever a tree is drawn: one list of marks, in the order in which they stand.

The front end draws the same marks from the same data (`labextension/src/core/marks.ts`); `labextension/test/marks.json`
holds both to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..store.records import Head

LEGEND = {
    "path": ("●", "on the path: the next prompt continues from its end"),
    "beside": ("○", "on another branch"),
    "label": ("[name]", "label"),
    "favourite": ("★", "favourite"),
    "checkpoint": ("⚑", "checkpoint"),
    "compaction": ("▤", "the ladder decided after this turn"),
    "fork": ("↳", "forked into another conversation"),
}
"""Kind -> sign, meaning. The other kinds are words that say themselves."""


class Mark(NamedTuple):
    """One mark: its kind (a key of LEGEND, "place", "model", "outcome", "unsaved" or "here"), and its words."""

    kind: str
    text: str

    def __str__(self) -> str:
        if self.kind == "label":
            return f"[{self.text}]"
        sign = "<-" if self.kind == "here" else LEGEND[self.kind][0] if self.kind in LEGEND else ""
        return f"{sign} {self.text}".strip()


class Noted(NamedTuple):
    """What is known of turns besides their shape, by turn."""

    favourites: Collection[str] = ()
    hidden: Collection[str] = ()
    unsaved: Collection[str] = ()
    checkpoints: Mapping[str, Sequence[str]] = {}
    compactions: Mapping[str, Sequence[str]] = {}
    forks: Mapping[str, Sequence[str]] = {}


NOTHING = Noted()


def marks(
    head: Head,
    parent: Head | None,
    *,
    labels: Iterable[str] = (),
    place: tuple[int, int] | None = None,
    here: bool = False,
    noted: Noted = NOTHING,
) -> Iterator[Mark]:
    """The marks of a turn, in the order in which they stand.

    `place`: which answer of how many it is; `here`: whether it is the tip.
    """
    yield from (Mark("label", label) for label in labels)
    if head.id in noted.favourites:
        yield Mark("favourite", "")
    if place is not None:
        yield Mark("place", f"answer {place[0]} of {place[1]}")
    if parent is None or parent.model != head.model:
        yield Mark("model", head.model)
    if head.outcome != "complete":
        yield Mark("outcome", head.outcome)
    if head.id in noted.unsaved:
        yield Mark("unsaved", "not saved")
    yield from (Mark("checkpoint", label) for label in noted.checkpoints.get(head.id, ()))
    if head.id in noted.compactions:
        yield Mark("compaction", ", ".join(noted.compactions[head.id]))
    yield from (Mark("fork", name) for name in noted.forks.get(head.id, ()))
    if here:
        yield Mark("here", "you are here")


def legend(seen: Set[str]) -> list[tuple[str, str]]:
    """Sign and meaning of the kinds that were seen and have a sign; nothing where there are only words."""
    if not seen & (LEGEND.keys() - {"path", "beside", "label"}):
        return []
    return [LEGEND[kind] for kind in LEGEND if kind in seen]
