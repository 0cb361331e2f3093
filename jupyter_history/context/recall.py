"""The `recall` tool: a turn tag -> the source text, from the transcript and not from any page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..transcript import Message
from .draft import Draft, Scene
from .source import parts
from .stubs import RECALL

SHARE = 0.10
"""Of the window: what recall may show in one turn."""

DEFINITION: dict[str, Any] = {
    "name": RECALL,
    "description": (
        "Show the exact text of an earlier turn of this conversation, by its tag (T012). Use it before you quote or "
        "rely on exact words, numbers, names or paths that you only see on a page, in a stub or in a summary. A long "
        "turn comes in pieces: the reply says which `from` continues it. A tool result that was shortened names the "
        "`result` that shows all of it."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "turn": {"type": "string", "description": "The tag of the turn, such as T012"},
            "result": {"type": "string", "description": "Instead of a turn: the name of a shortened result"},
            "from": {"type": "integer", "description": "The character to start at; 0 if left out", "minimum": 0},
        },
    },
}
"""Declared from the first request on: a tool added later would break the cache and signed thinking."""


Earlier = Callable[[int], Sequence[Message]]
"""Gives the messages of a turn that stands before the path (of a long conversation the newest part is loaded), by its
depth from the root."""


def answer(
    scene: Scene, arguments: Mapping[str, Any], spent: int = 0, earlier: Earlier | None = None
) -> tuple[str, bool]:
    """The text for one call and whether it is an error. `spent`: tokens that recall has shown in this turn already."""
    tag = str(arguments.get("turn", "")).strip().upper().strip("[]")
    found = re.fullmatch(r"T?0*(\d+)", tag)
    depth = int(found[1]) if found else -1
    if earlier is not None and 1 <= depth <= scene.depth:
        scene = replace(scene, path=tuple(earlier(depth)), depth=depth - 1, pinned=frozenset())
    positions = [n for n, turn in enumerate(scene.turns) if turn == depth]
    if not positions:
        first = "T001" if earlier is not None else scene.tag(0) if scene.path else ""
        known = f"{first} to {scene.tag(len(scene.path) - 1)}" if scene.path else "none yet"
        return f"There is no turn {tag or '(empty)'} on this path; turns are {known}.", True
    return piece(scene, text(scene, positions), scene.tag(positions[0]), arguments.get("from"), spent)


def piece(scene: Scene, whole: str, name: str, start: object, spent: int = 0) -> tuple[str, bool]:
    """As much of a text as recall may still show, from a character on; and whether it is an error."""
    left = round(SHARE * scene.budget.window_of(scene.profile)) - spent
    if left < 50:
        return "recall has shown as much as it may in this turn; answer with what is there, or ask the user.", True
    begin = max(0, _whole_number(start))
    if begin >= len(whole) > 0:
        return f"{name} has {len(whole):,} characters; {begin:,} is behind its end.", True
    shown = _fitting(scene, whole[begin:], left)
    end = begin + len(shown)
    if end < len(whole):
        shown += f"\n[{len(whole) - end:,} of {len(whole):,} characters are left; from={end} continues]"
    return shown, False


def text(scene: Scene, positions: Sequence[int]) -> str:
    """All that a turn says, nothing elided."""
    draft = Draft(scene)
    return "\n\n".join(f"[{tag} {role}]\n{said}" for n in positions for tag, role, said in parts(draft, n))


def _fitting(scene: Scene, text: str, most: int) -> str:
    """The longest beginning that costs at most `most` tokens."""
    if scene.text_tokens(text) <= most:
        return text
    low, high = 0, len(text)
    while low + 1 < high:
        middle = (low + high) // 2
        fits = scene.text_tokens(text[:middle]) <= most
        low, high = (middle, high) if fits else (low, middle)
    return text[:low]


def _whole_number(value: object) -> int:
    try:
        return int(str(value or 0))
    except ValueError:
        return 0
