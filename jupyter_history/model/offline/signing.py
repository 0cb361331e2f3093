"""Thoughts of the reader (`offline-thinking`), signed as the provider signs them.

A signature binds a thought to its own words, to all that stands before it (system, tools, messages; thoughts and cache
marks left out) and to its place among the thoughts: thoughts may be left out from the first on or all of them, never
one in the middle. Thoughts that another model signed are not read, and dropped silently.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from ...transcript import THINKING, Block
from . import count

MODEL = "offline-thinking"
_BINDING = "thinking.block_binding.prefix_mismatch_behavior"


def thought(body: Mapping[str, Any], words: str) -> Block:
    """A thought that stands before the answer to `body`."""
    place = max((_place(part) for _, _, part in _own(body)), default=0) + 1
    signature = f"offline.{place}.{_seal(place, words)}.{_before(body, len(body['messages']), 0)}"
    return {"type": "thinking", "thinking": words, "signature": signature}


def wrong(body: Mapping[str, Any]) -> Iterator[str]:
    """Rules 23 to 25, for each thought that is not as it was signed."""
    messages = body["messages"]
    last = max((n for n, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
    in_loop = any(part["type"] == "tool_result" for part in count.blocks(messages[-1]["content"]))
    expected: int | None = None
    for n, m, part in _own(body):
        where = f"messages.{n}.content.{m}: Invalid `signature` in `thinking` block"
        _, place, sealed, before = (part["signature"].split(".", 3) + [""] * 3)[:4]
        if not place.isdigit() or sealed != _seal(int(place), part["thinking"]):
            if n == last and in_loop:
                yield (
                    f"messages.{n}.content.{m}: `thinking` or `redacted_thinking` blocks in the latest assistant "
                    "message cannot be modified. These blocks must remain as they were in the original response."
                )
            yield where
            continue
        if before != _before(body, n, m) or (expected is not None and int(place) != expected):
            yield (
                f"{where}. The block is bound to a different conversation. Remove the block, or set `{_BINDING}` "
                'to "drop_block".'
            )
        expected = int(place) + 1


def _own(body: Mapping[str, Any]) -> Iterator[tuple[int, int, Block]]:
    """(message, block, thought) for every thought that says to be the reader's."""
    for n, message in enumerate(body["messages"]):
        for m, part in enumerate(count.blocks(message["content"])):
            if part["type"] == "thinking" and str(part.get("signature")).startswith("offline."):
                yield n, m, part


def _place(part: Block) -> int:
    place = part["signature"].split(".")[1]
    return int(place) if place.isdigit() else 0


def _seal(place: int, words: str) -> str:
    return _digest([place, words])


def _before(body: Mapping[str, Any], n: int, m: int) -> str:
    """All that stands before block `m` of message `n`."""

    def clean(blocks: Any) -> list[Any]:
        return [count.bare(block) for block in count.blocks(blocks) if block.get("type") not in THINKING]

    told = [[message["role"], clean(message["content"])] for message in body["messages"][:n]]
    within = clean(count.blocks(body["messages"][n]["content"])[:m]) if m else []
    return _digest([clean(body.get("system") or ""), clean(list(body.get("tools") or ())), told, within])


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:24]
