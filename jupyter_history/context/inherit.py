"""From overlays to a draft and back: what was decided before on this path, and what is new (rules 10 and 18)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..transcript import Block
from . import snapshot
from .draft import Digest, Draft, Scene
from .overlay import Held, Overlay, Place, summaries, visible


def apply(scene: Scene, overlays: Iterable[Overlay]) -> Draft:
    """The draft that the decisions on this path make. Later pages and summaries take the place of earlier ones."""
    held = visible(overlays, scene.path, policy=scene.policy.name, profile=scene.profile.id)
    if not held:
        return Draft(scene)
    elided: set[Place] = set()
    dropped: set[Place] = set()
    digest: Digest | None = None
    pages: Held | None = None
    head: int | None = None
    for each in held:
        payload = each.overlay.payload
        match each.overlay.kind:
            case "elision":
                elided |= _places(each)
            case "images":
                dropped |= _places(each)
            case "summary" | "recall":
                found = _digest(each)
                if each.overlay.kind == "recall" or smaller(scene, found, digest):
                    digest, head = found, payload.get("head")
            case "snapshot":
                pages, head = each, payload.get("head") if digest is None else head
    draft = Draft(scene).decide(elided, dropped, max(each.anchor for each in held) + 1)
    draft = draft.replaced(digest, None, head if digest is not None else None)
    if any(each.overlay.kind == "summary" and each.anchor == len(scene.path) - 1 for each in held):
        draft = replace(draft, written=True)
    if pages is not None and (digest is None or pages.first > digest.last):
        draft = snapshot.redraw(draft, pages.first, pages.last, head, str(pages.overlay.payload.get("pages") or ""))
    return draft


def smaller(scene: Scene, digest: Digest, prior: Digest | None) -> bool:
    """Whether a summary is shorter than what it stands for (rule 15): messages, and the summary it took up."""
    if prior is not None and prior.kind == "recall":
        prior = None
    begin = prior.last + 1 if prior is not None else digest.first
    told = sum(scene.weights[n].tokens for n in range(begin, digest.last + 1))
    before = scene.estimator.text(prior.text) if prior is not None else 0.0
    return scene.estimator.text(digest.text) < told + before


def _places(held: Held) -> set[Place]:
    return {(held.first + n, b, c) for n, b, c in held.overlay.payload["places"]}


def _digest(held: Held) -> Digest:
    payload = held.overlay.payload
    return Digest(
        held.first, held.last, payload["text"], held.overlay.kind, str(payload.get("model", "")), anchor=held.anchor
    )


def adopt(base: Draft, overlays: Iterable[Overlay]) -> Draft:
    """`base` with the summary that another model paid for, where that reaches further than its own."""
    scene = base.scene
    if "summary" not in scene.policy.rungs:
        return base
    reach = base.digest.last if base.digest is not None else -1
    stored = summaries(overlays, scene.path, policy=scene.policy.name)
    others = [each for each in stored if each.last > reach and smaller(scene, _digest(each), None)]
    if not others:
        return base
    best = max(others, key=lambda each: each.last)
    section = base.section if base.section is not None and base.section.first > best.last else None
    draft = base.strip(len(scene.path))
    return draft.replaced(_digest(best), section, best.overlay.payload.get("head"))


def decided(draft: Draft, base: Draft) -> tuple[Overlay, ...]:
    """The overlays that lead from `base`, what was inherited, to `draft`. Their anchor is the end of the path."""
    scene = draft.scene
    if draft is base or not scene.path:
        return ()
    made = []
    for kind, new in (("elision", draft.elided - base.elided), ("images", draft.dropped - base.dropped)):
        if new:
            places = sorted(new)
            first = places[0][0]
            payload: dict[str, Any] = {"places": [[n - first, b, c] for n, b, c in places]}
            made.append(_overlay(scene, kind, first, places[-1][0], payload))
    if draft.digest is not None and draft.digest != base.digest:
        digest = draft.digest
        payload = {"text": digest.text, "head": draft.head, "model": digest.by}
        made.append(_overlay(scene, digest.kind, digest.first, digest.last, payload))
    if draft.section is not None and draft.section is not base.section:
        section = draft.section
        payload = {"pages": section.profile, "count": len(section.pages), "head": draft.head}
        made.append(_overlay(scene, "snapshot", section.first, section.last, payload))
    return tuple(made)


def _overlay(scene: Scene, kind: str, first: int, last: int, payload: dict[str, Any]) -> Overlay:
    path = scene.path
    return Overlay(path[-1].id, kind, path[first].id, path[last].id, scene.policy.name, scene.profile.id, payload)


def first_edit(base: Draft, draft: Draft) -> int | None:
    """The position of the first message that `draft` sends otherwise than `base`; None if there is none."""
    edits = [place[0] for place in (draft.elided ^ base.elided) | (draft.dropped ^ base.dropped)]
    for part, old in ((draft.digest, base.digest), (draft.section, base.section)):
        if part is not None and part is not old:
            edits.append(part.first)
    if draft.stripped > base.stripped:
        edits += [n for n in draft.scene.thoughts if base.stripped <= n < draft.stripped][:1]
    return min(edits) if edits else None


def stale(
    base: Draft,
    overlays: Iterable[Overlay],
    epochs: Mapping[str, str] | None,
    system: Sequence[Block],
    tools: Sequence[Mapping[str, Any]],
) -> int:
    """Up to which position thinking was signed against another prefix than `base` sends.

    With `epochs` known, everything up to the last turn that was made under another one. Without, decisions on this
    path that `base` does not follow (another ladder was in force) make all thinking up to the end suspect.
    """
    path = base.scene.path
    if epochs is not None:
        current = epoch(base, system, tools)
        return max((n + 1 for n, message in enumerate(path) if epochs.get(message.turn, current) != current), default=0)
    ids = {message.id for message in path}
    key = (base.scene.policy.name, base.scene.profile.id)
    inherit = base.scene.policy.inherit
    foreign = any(each.anchor in ids and (not inherit or (each.policy, each.profile) != key) for each in overlays)
    return len(path) if foreign else 0


def epoch(draft: Draft, system: Sequence[Block], tools: Sequence[Mapping[str, Any]]) -> str:
    """A short name for the form of the prefix: instructions, tools, and all that the ladder decided."""
    path = draft.scene.path
    parts: list[Any] = [draft.scene.profile.id, list(system), list(tools), draft.head, draft.scene.depth]
    parts += [[path[n].id, b, c] for n, b, c in sorted(draft.elided | draft.dropped)]
    for part in (draft.digest, draft.section):
        if part is not None:
            parts.append([type(part).__name__, path[part.first].id, path[part.last].id])
    if draft.digest is not None:
        parts.append(draft.digest.text)
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
