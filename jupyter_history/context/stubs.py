"""The one-line stubs that elision and image drop leave, and the lines of text that stand for calls and results."""

from __future__ import annotations

import json
from typing import Any

from ..transcript import Block
from .picture import picture

RECALL = "recall"
"""The tool that shows the source text of a turn; see `recall`."""
ARGUMENTS = 160
"""Characters of a call's arguments that a stub shows."""


def call_line(call: Block | None, most: int | None = None) -> str:
    """`name(arguments)` of a tool call; arguments as JSON, cut to `most` characters."""
    if call is None:
        return "a tool"
    arguments = json.dumps(call.get("input", {}), ensure_ascii=False)
    if most is not None and len(arguments) > most:
        arguments = arguments[: most - 1] + "…"
    return f"{call['name']}({arguments})"


def back(tag: str, recall: bool) -> str:
    """How to get at what a stub stands for."""
    return f'recall("{tag}") shows it' if recall else f"ask for {tag} to see it"


def result_text(block: Block) -> tuple[str, int]:
    """The text of a tool result, and how many images it has besides."""
    content = block.get("content", "")
    if isinstance(content, str):
        return content, 0
    texts = [part["text"] for part in content if part["type"] == "text"]
    return "\n".join(texts), sum(part["type"] == "image" for part in content)


def elided_result(block: Block, call: Block | None, tag: str, recall: bool) -> Block:
    """The tool result with a stub for its content: tool, arguments, size and how to get it back."""
    if call is not None and call["name"] == RECALL:
        return {**block, "content": recalled(call)}
    text, images = result_text(block)
    size = f"{len(text):,} characters" + (f" and {images} image{'s' * (images > 1)}" if images else "")
    stub = f"[elided: {call_line(call, ARGUMENTS)} returned {size}; {back(tag, recall)}]"
    return {**block, "content": stub}


def recalled(call: Block) -> str:
    """What stands for a text that recall had shown: it can be shown again."""
    return f"[recalled earlier: {call_line(call, ARGUMENTS)}; call it again to see it]"


def dropped_image(block: Block, where: str) -> Block:
    """A text block for an image: its size and where it came from. Recall shows text only, so only the user has it."""
    return {"type": "text", "text": image_stub(block, where)[:-1] + "; no longer in view, ask for it if you need it]"}


def image_stub(block: Block, where: str) -> str:
    """An image as a line of text."""
    seen = picture(block)
    size = f", {seen.bytes:,} bytes" if seen.bytes else ""
    return f"[image: {seen}{size}, from {where}]"


def plain(value: Any) -> str:
    """A block of a kind that has no text of its own, as one line."""
    kind = value.get("type", "block") if isinstance(value, dict) else "block"
    title = value.get("title") or "" if isinstance(value, dict) else ""
    return f"[{kind}{': ' + str(title) if title else ''}]"
