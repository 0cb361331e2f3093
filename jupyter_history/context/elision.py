"""The first rung: old, uneventful tool results become one-line stubs. Free, and every word of the story stays."""

from __future__ import annotations

from collections.abc import Iterable

from .draft import Draft
from .overlay import Place
from .stubs import RECALL, elided_result

FRESH_MOST = 20_000
"""Tokens of results that are left alone at most, however large the window."""


def eligible(draft: Draft) -> list[Place]:
    """The results that may go: no errors, not the newest tokens' worth, not pinned, larger than their stub.

    A result larger than the tail's share of the window is never too new, and at the wall none is. What is already on
    pages or in a summary is not looked at: that prefix is sealed.
    """
    scene = draft.scene
    fresh = 0.0 if scene.wall else min(FRESH_MOST, scene.policy.fresh_results * scene.room)
    large = scene.budget.tail * scene.budget.window_of(scene.profile)
    found: list[Place] = []
    newer = 0.0
    for n in reversed(draft.shown):
        message = scene.path[n]
        if message.role != "user" or not message.results:
            continue
        for b in reversed(range(len(message.content))):
            block = message.content[b]
            place = (n, b, -1)
            if block["type"] != "tool_result" or place in draft.elided:
                continue
            tokens = scene.estimator.content((block,)).tokens if len(message.results) > 1 else draft.weight(n).tokens
            fresh_one = newer < fresh and tokens <= large
            newer += tokens
            call = scene.calls.get(place)
            again = call is not None and call["name"] == RECALL
            if block.get("is_error") or n in scene.pinned or (fresh_one and not again):
                continue
            stub = elided_result(block, call, scene.tag(n), scene.policy.recall)
            if tokens > scene.estimator.content((stub,)).tokens:
                found.append(place)
    return sorted(found)


def lost(draft: Draft, places: Iterable[Place]) -> str:
    """What eliding them gave up, in words."""
    names: dict[str, int] = {}
    for place in places:
        call = draft.scene.calls.get(place)
        name = call["name"] if call is not None else "a tool"
        names[name] = names.get(name, 0) + 1
    return ", ".join(f"{count} result{'s' * (count > 1)} of {name}" for name, count in sorted(names.items()))
