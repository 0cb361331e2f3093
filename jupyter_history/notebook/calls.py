"""Tool calls as a reader sees them: a line with name and arguments, the result folded under it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..context.picture import picture
from ..transcript import Block, Message
from .markdown import safe, safe_line, visible

ARGUMENTS = 120
"""Characters of a call's arguments on its line."""
MARK = "▸"
"""Stands before a call on a line; where the result is folded, the viewer draws a triangle of its own."""
RESULT = 4_000
"""Characters of a result that are shown; the store has all of it."""


def signature(name: str, arguments: Mapping[str, Any]) -> str:
    """`name(a=1, b='x')` on one line, as Python would write it, cut where it is long."""
    told = ", ".join(f"{key}={_value(value)}" for key, value in arguments.items())
    return f"{name}({told if len(told) <= ARGUMENTS else told[: ARGUMENTS - 1] + '…'})"


def line(name: str, arguments: Mapping[str, Any], said: str) -> str:
    """A call on one line of Markdown, before it is made safe: what was called, and what came of it."""
    shown = signature(name, arguments).replace("`", "'")
    return f"{MARK} `{' '.join(shown.split())}` {said}"


def outcome(content: Sequence[Block], failed: bool) -> str:
    """What came of a call, in a few words."""
    text = _text(content)
    if failed:
        return f"failed: {' '.join(text.split())[:200]}"
    images = sum(block["type"] == "image" for block in content)
    lines = text.count("\n") + 1
    parts = [f"{images} image{'s' * (images > 1)}"] if images else []
    if text:
        parts.append(" ".join(text.split()) if lines == 1 and len(text) <= 60 else f"{len(text):,} characters")
    return "→ " + ", ".join(parts)


def story(messages: Sequence[Message]) -> str:
    """The answer as harmless Markdown: its texts in order, and between them the calls with their results folded."""
    return "\n\n".join(filter(None, (part if html else safe(part).rstrip() for part, html in _parts(messages))))


def plain(messages: Sequence[Message]) -> str:
    """The answer as plain text, a line for each call."""
    return "\n\n".join(visible(part).rstrip() for part, _ in _parts(messages, folded=False) if part)


def _parts(messages: Sequence[Message], *, folded: bool = True) -> Iterator[tuple[str, bool]]:
    """The parts of an answer: Markdown of the model's, or (True) our own HTML."""
    results = {block["tool_use_id"]: block for message in messages for block in message.results}
    for message in messages:
        if message.role != "assistant":
            continue
        if message.text:
            yield message.text, False
        for call in message.calls:
            result = results.get(call["id"], {})
            content, failed = _content(result), bool(result.get("is_error"))
            told = line(call["name"], call.get("input") or {}, outcome(content, failed))
            if not folded:
                yield told, False
                continue
            text = visible(_text(content))
            cut = text[:RESULT] + ("\n[…]" if len(text) > RESULT else "")
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", cut)), default=0))
            body = safe(f"{fence}\n{cut}\n{fence}").strip()
            yield f"<details><summary>{_html(told.removeprefix(f'{MARK} '))}</summary>\n\n{body}\n\n</details>", True


def _html(told: str) -> str:
    """A line of ours for a place where Markdown is not read."""
    return safe_line(told.replace("`", "")).replace("\n", " ")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return repr(value)
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return repr(value)


def _content(result: Mapping[str, Any]) -> list[Block]:
    content = result.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _text(content: Sequence[Block]) -> str:
    return "\n".join(
        block["text"] if block["type"] == "text" else f"[image: {picture(block)}]"
        for block in content
        if block["type"] in ("text", "image")
    )
