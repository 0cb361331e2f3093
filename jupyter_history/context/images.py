"""The second rung: old images become one-line stubs. Free, and the text around them stays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from ..transcript import Block
from .budget import MANY_SIDE
from .draft import Draft
from .overlay import Place
from .picture import picture
from .stubs import dropped_image


def live(draft: Draft) -> Iterator[tuple[Place, Block]]:
    """The images that are still sent as images, oldest first."""
    for n in draft.shown:
        if not draft.weight(n).count:
            continue
        for b, block in enumerate(draft.scene.path[n].content):
            if (n, b, -1) in draft.elided or (n, b, -1) in draft.dropped:
                continue
            if block["type"] == "image":
                yield (n, b, -1), block
            elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
                for c, part in enumerate(block["content"]):
                    if part["type"] == "image" and (n, b, c) not in draft.dropped:
                        yield (n, b, c), part


def drop_old(draft: Draft, target: int) -> Draft:
    """The draft with its old images dropped, oldest first, until it is under `target` tokens and breaks no limit.

    The newest `live_images` stay for the tokens' sake; only a limit on images or bytes, or the wall, forces them out.
    """
    images = [(place, block) for place, block in live(draft) if place[0] not in draft.scene.pinned]
    stay = 0 if draft.scene.wall else draft.scene.policy.live_images
    old, newest = images[: len(images) - stay], images[len(images) - stay :]
    now = _until(draft, old, lambda each: each.tokens < target and not each.overflows)
    if now.overflows and now.measure.side > MANY_SIDE:
        # one oversized image spoils a request with many: it goes before the newest that are of a fair size
        oversized = [each for each in newest if max(picture(each[1]).width, picture(each[1]).height) > MANY_SIDE]
        now = _until(now, oversized, lambda each: not each.overflows)
        newest = [each for each in newest if each not in oversized]
    return _until(now, newest, lambda each: not each.overflows) if now.overflows else now


def _until(draft: Draft, images: list[tuple[Place, Block]], enough: Callable[[Draft], bool]) -> Draft:
    """Drop as few of `images`, oldest first, as are enough; found by halving, since each drop only takes away."""
    worth = [place for place, block in images if _worth(draft, place, block)]
    if not worth or enough(draft):
        return draft
    low, high = 0, len(worth)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(draft.drop(worth[:middle])) else (middle, high)
    return draft.drop(worth[:high])


def _worth(draft: Draft, place: Place, block: Block) -> bool:
    """Whether the stub is smaller than the image (rule 15)."""
    estimator, tag = draft.scene.estimator, draft.scene.tag(place[0])
    stub = dropped_image(block, f"the prompt of {tag}")
    return estimator.content((stub,)).tokens < estimator.content((block,)).tokens


def lost(draft: Draft, places: Collection[Place]) -> str:
    """What dropping them gave up, in words."""
    tags = sorted({draft.scene.tag(place[0]) for place in places})
    shown = ", ".join(tags[:6]) + (f" and {len(tags) - 6} more turns" if len(tags) > 6 else "")
    return f"{len(places)} image{'s' * (len(places) != 1)} of {shown}"
