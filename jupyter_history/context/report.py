"""The account of a plan: what each rung took back, and what became of each message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from ..transcript import Message
from . import elision, images
from .budget import RUNGS
from .draft import Draft
from .summary import Need


@dataclass(frozen=True, slots=True)
class Taken:
    """One rung: tokens of the whole request before and after it, dollars, what was given up, and why (not)."""

    rung: str
    before: int
    after: int
    applied: bool
    why: str
    lost: str = ""
    cost: float | None = 0.0
    new: bool = False
    """Whether anything of it was decided by this plan, and not earlier on the path."""

    @property
    def back(self) -> int:
        """Tokens taken back."""
        return self.before - self.after


class Row(NamedTuple):
    """One message of the path: what becomes of it, why, and its tokens before and after (calibrated)."""

    id: str
    tag: str
    role: str
    disposition: str
    """kept, elided, image dropped (or both), on page n, in the summary, left to recall."""
    reason: str
    before: int
    after: int
    text: str
    """Its first characters."""


def taken(draft: Draft, base: Draft, reasons: Mapping[str, str], need: Need | None) -> tuple[Taken, ...]:
    """The rungs in their order, each with the totals of the request before and after it."""
    if not draft.scene.path:
        total = draft.tokens
        return tuple(Taken(rung, total, total, False, reasons.get(rung, "")) for rung in RUNGS)
    found = []
    stage = Draft(draft.scene)
    section, digest = draft.section, draft.digest
    decided = {
        "elision": draft.elided,
        "images": draft.dropped,
        "snapshot": section,
        "summary": digest,
    }
    if not any(decided.values()):
        stage = stage.strip(draft.stripped)
    final = next((rung for rung in reversed(RUNGS) if decided[rung]), None)
    for rung in RUNGS:
        before = stage.tokens
        if not decided[rung]:
            why = reasons.get(rung, "")
            if rung == "summary" and need is not None:
                why = f"needed: {need}"
            cost = need.cost if rung == "summary" and need is not None else 0.0
            found.append(Taken(rung, before, before, False, why, cost=cost))
            continue
        if rung != final:
            stage = stage.strip(draft.stripped)
        thought = "" if found and any(each.applied for each in found) else _thinking(draft)
        match rung:
            case "elision":
                stage = draft if rung == final else stage.elide(draft.elided)
                lost = elision.lost(draft, draft.elided)
            case "images":
                stage = draft if rung == final else stage.drop(draft.dropped)
                lost = images.lost(draft, draft.dropped)
            case "snapshot":
                assert section is not None
                head = draft.head if section.first == 1 else None
                stage = draft if rung == final else stage.replaced(None, section, head)
                pages = len(section.pages)
                lost = f"{len(section.on)} messages are on {pages} page{'s' * (pages != 1)}"
                lost += f"; {section.removed:,} characters were not drawn" if section.removed else ""
            case _:
                assert digest is not None
                stage = draft
                count = digest.last - digest.first + 1
                told = f", told by {digest.by}" if digest.by else ""
                lost = f"the words of {count} messages{told}"
                if digest.kind == "recall":
                    lost = f"{count} messages are left to recall"
        new = _new(rung, draft, base)
        why = "decided now" if new else "decided earlier on this path"
        if reasons.get(rung) and not new:
            why += f"; {reasons[rung]}"
        lost = "; ".join(filter(None, (lost, thought)))
        found.append(Taken(rung, before, stage.tokens, True, why, lost, new=new))
    return tuple(found)


def _new(rung: str, draft: Draft, base: Draft) -> bool:
    match rung:
        case "elision":
            return draft.elided != base.elided
        case "images":
            return draft.dropped != base.dropped
        case "snapshot":
            return draft.section is not base.section
        case _:
            return draft.digest is not base.digest


def _thinking(draft: Draft) -> str:
    """What stripping gave up: thinking of the closed turns, which a rewritten prefix makes invalid."""
    count = sum(n < draft.stripped for n in draft.scene.thoughts)
    return f"the thinking of {count} messages" if count else ""


def rows(draft: Draft) -> list[Row]:
    """Every message of the path. The tokens of pages and of a summary are shared out by length: sums are right."""
    scene = draft.scene
    ratio = scene.calibration.ratio
    shares = dict(_shares(draft))
    elided = {place[0] for place in draft.elided}
    dropped = {place[0] for place in draft.dropped}
    hidden = draft.hidden
    off = "the ladder is off" if not scene.policy.rungs else "no rung can take it back"
    idle = "there is room" if draft.tokens <= scene.room else f"there is no room, but {off}"
    made = []
    for n, message in enumerate(scene.path):
        raw = scene.weights[n]
        before = round(raw.text * ratio) + raw.images
        if hidden and draft.covers(n):
            disposition, reason = _replaced(draft, n)
            after = shares.get(n, 0)
        else:
            weight = draft.weight(n)
            after = round(weight.text * ratio) + weight.images + (shares.get(n, 0) if n == 0 else 0)
            if n == 0 and hidden and draft.head is not None:
                cut = scene.estimator.content(draft.head_content)
                after = round(cut.text * ratio) + cut.images + shares.get(0, 0)
            if n in elided or n in dropped:
                what = [word for word, places in (("elided", elided), ("image dropped", dropped)) if n in places]
                disposition = ", ".join(what)
                reason = "old and uneventful" if n in elided else "old"
            else:
                disposition, reason = "kept", _kept(draft, n, idle)
            if n < draft.stripped and raw.thinking:
                reason += "; without its thinking"
        made.append(Row(message.id, scene.tag(n), message.role, disposition, reason, before, after, _glance(message)))
    return made


def _replaced(draft: Draft, n: int) -> tuple[str, str]:
    digest, section = draft.digest, draft.section
    if digest is not None and digest.first <= n <= digest.last:
        if digest.kind == "recall":
            return "left to recall", "over a limit at the wall"
        return "in the summary", "in the middle" + (f"; told by {digest.by}" if digest.by else "")
    if section is not None and n in section.on:
        on = section.on[n]
        pages = f"on page {on[0]}" if len(on) == 1 else f"on pages {on[0]} to {on[-1]}"
        return pages, "in the middle" + ("; kept as text beside the page" if n in section.whole else "")
    return "on no page", "it holds nothing to draw"


def _kept(draft: Draft, n: int, idle: str) -> str:
    hidden = draft.hidden
    if n == 0 and hidden:
        return "head" if draft.head is None else "head; its excess is in the middle"
    if n in draft.scene.pinned:
        return "pinned"
    return "tail" if hidden and n >= hidden.stop else idle


def _shares(draft: Draft) -> Iterator[tuple[int, int]]:
    """For each message in the middle its share of the tokens that stand for it."""
    calibration = draft.scene.calibration
    if draft.section is not None and draft.section.drawn:
        weight = draft.section.weight
        yield from _split(draft.section.drawn, calibration.tokens(weight.text, weight.images))
    if draft.digest is not None:
        digest, estimator = draft.digest, draft.scene.estimator
        tokens = calibration.tokens(estimator.text(digest.text))
        inside = [n for n in range(digest.first, digest.last + 1) if n not in draft.scene.pinned]
        yield from _split({n: max(1, round(draft.weight(n).text)) for n in inside}, tokens)


def _split(sizes: Mapping[int, int], tokens: int) -> Iterator[tuple[int, int]]:
    whole = sum(sizes.values()) or 1
    before = 0
    for n, so_far in zip(sizes, accumulate(sizes.values()), strict=True):
        upto = tokens * so_far // whole
        yield n, upto - before
        before = upto


def _glance(message: Message) -> str:
    """The beginning of a message on one line."""
    for block in message.content:
        match block["type"]:
            case "text":
                text = block["text"]
            case "tool_use":
                text = f"{block['name']}(…)"
            case "tool_result":
                content = block.get("content", "")
                text = content if isinstance(content, str) else next((p.get("text", "") for p in content), "")
            case "image":
                text = "[image]"
            case _:
                continue
        if text.strip():
            return " ".join(text[:100].split())[:80]
    return ""
