"""What a reader of an exported conversation sees, whatever the format: the path, and the branches beside it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..store.records import Bundle
from ..transcript import Block, TurnRecord


@dataclass(frozen=True, slots=True)
class Branch:
    """Turns that are off the path: those below one turn of it, up to one end."""

    after: str | None
    turns: tuple[TurnRecord, ...]


def heading(bundle: Bundle) -> str:
    conversation = bundle.conversation
    return conversation.name or conversation.title or "A conversation"


def path(bundle: Bundle) -> list[TurnRecord]:
    """From the root to the tip."""
    by_id = {turn.id: turn for turn in bundle.turns}
    found: list[TurnRecord] = []
    step = bundle.conversation.tip
    while step is not None:
        found.append(by_id[step])
        step = by_id[step].parent
    return found[::-1]


def branches(bundle: Bundle) -> list[Branch]:
    """The other branches, oldest first. What two of them share is in the first alone."""
    told = {turn.id for turn in path(bundle)}
    by_id = {turn.id: turn for turn in bundle.turns}
    parents = {turn.parent for turn in bundle.turns}
    found = []
    for leaf in (turn for turn in bundle.turns if turn.id not in parents):
        step: str | None = leaf.id
        line: list[TurnRecord] = []
        while step is not None and step not in told:
            told.add(step)
            line.append(by_id[step])
            step = by_id[step].parent
        if line:
            found.append(Branch(step, tuple(line[::-1])))
    return found


def facts(turn: TurnRecord, labels: dict[str, str]) -> str:
    """The line below an answer."""
    parts = [turn.id, *(f"label {label}" for label, at in labels.items() if at == turn.id), turn.model]
    if turn.outcome == "stopped":
        parts.append("stopped")
    if turn.usage.prompt or turn.usage.output:
        parts.append(f"{turn.usage.prompt:,} tokens in, {turn.usage.output:,} out")
    if turn.cost is not None:
        parts.append(f"${turn.cost:.4f}")
    if turn.created:
        parts.append(time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(turn.created)))
    return " · ".join(parts)


def steps(turn: TurnRecord) -> Iterator[tuple[str, str, Sequence[Block]]]:
    """What followed the prompt: ("answer" | "thinking" | "call" | "result", its text, its images)."""
    for message in turn.messages[1:]:
        for block in message.content:
            match block["type"]:
                case "text":
                    yield ("answer" if message.role == "assistant" else "result"), block["text"], ()
                case "thinking":
                    yield "thinking", block["thinking"], ()
                case "tool_use":
                    yield "call", f"{block['name']}({json.dumps(block['input'], ensure_ascii=False)})", ()
                case "tool_result":
                    yield "result", *_parts(block.get("content") or "")
                case "image":
                    yield "result", "", (block,)


def images(turn: TurnRecord) -> list[Block]:
    """Of the prompt."""
    return [block for block in turn.messages[0].content if block["type"] == "image"]


def _parts(content: Any) -> tuple[str, list[Block]]:
    if isinstance(content, str):
        return content, []
    text = "\n".join(part["text"] for part in content if part["type"] == "text")
    return text, [part for part in content if part["type"] == "image"]
