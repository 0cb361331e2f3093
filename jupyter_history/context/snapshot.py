"""The third rung: the middle of the history drawn as pages. Free, and it keeps every word."""

from __future__ import annotations

from .draft import Draft


def propose(draft: Draft, *, summarise: bool) -> tuple[Draft, str]:
    """The draft with its middle on pages, and if that is the same draft, why."""
    if not draft.scene.profile.vision:
        return draft, f"{draft.scene.profile.id} cannot see images; the next rung is used"
    return draft, "pages cannot be drawn yet"


def redraw(draft: Draft, first: int, last: int, head: int | None, profile: str) -> Draft:
    """The draft with the pages that were decided before."""
    return draft


def reach(draft: Draft, target: int) -> int:
    """The last message of the oldest pages that have to go so that the request is under `target` tokens."""
    raise NotImplementedError
