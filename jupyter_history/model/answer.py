"""An answer while it comes in: the provider's events put together into content blocks that may be sent back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from ..transcript import THINKING, Block, Usage
from .events import Call, Event, Text, Thinking


class Draft:
    """Content blocks as far as they have come. `take` feeds it one event of the SDK and returns what to show."""

    def __init__(self) -> None:
        self._used = Usage()
        self.model = ""
        self.stop_reason: str | None = None
        self.stop_details: Any = None
        self.complete = False
        self.broken_call: str | None = None
        self.shown = 0
        self._blocks: dict[int, _Part] = {}

    def take(self, event: Any) -> Event | None:
        kind = event.type
        if kind == "content_block_delta":
            part = self._blocks.get(event.index)
            return self._count(part.add(event.delta)) if part else None
        if kind == "content_block_start":
            opened = event.content_block.model_dump(mode="json", exclude_none=True)
            part = self._blocks[event.index] = _Part({"type": opened.pop("type"), **opened})
            return self._count(part.opening())
        if kind == "content_block_stop":
            if (part := self._blocks.get(event.index)) and not part.finish():
                self.broken_call = str(part.block.get("name", "a tool"))
        elif kind == "message_start":
            self.model = event.message.model
            self._use(event.message.usage)
        elif kind == "message_delta":
            self.stop_reason = event.delta.stop_reason or self.stop_reason
            self.stop_details = getattr(event.delta, "stop_details", None) or self.stop_details
            self._use(event.usage)
        elif kind == "message_stop":
            self.complete = True
        return None

    @property
    def usage(self) -> Usage:
        """As the server counted. It counts the output at the end: of an answer that has none, its text / 3."""
        if self.stop_reason is not None:
            return self._used
        return replace(self._used, output=max(self._used.output, self.shown // 3))

    @property
    def content(self) -> list[Block]:
        """What may be stored and sent back: finished blocks and the open text; no half call or thought (rule 24).

        A thought without a signature stays in a complete answer only: some servers sign none.
        """
        blocks = [self._blocks[index].value() for index in sorted(self._blocks)]
        return [block for block in blocks if block is not None and (self.complete or not unsigned(block))]

    def _count(self, event: Event | None) -> Event | None:
        if isinstance(event, Text | Thinking):
            self.shown += len(event.text)
        elif event is not None:
            self.shown += 1
        return event

    def _use(self, usage: Any) -> None:
        # figures are cumulative; a server that leaves one out, or says 0 later, does not take back what it said
        def figure(name: str, before: int) -> int:
            return getattr(usage, name, None) or before

        written = getattr(usage, "cache_creation", None)
        longer = getattr(written, "ephemeral_1h_input_tokens", None) or self._used.cache_write_1h
        total = figure("cache_creation_input_tokens", self._used.cache_write + self._used.cache_write_1h)
        self._used = Usage(
            figure("input_tokens", self._used.input),
            figure("output_tokens", self._used.output),
            figure("cache_read_input_tokens", self._used.cache_read),
            max(0, total - longer),
            longer,
        )


class _Part:
    """One content block: what it began with, and the deltas that came since."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.finished = False
        self._text: list[str] = []
        self._json: list[str] = []

    def opening(self) -> Event | None:
        kind = self.block["type"]
        if kind == "tool_use":
            return Call(str(self.block.get("id", "")), str(self.block.get("name", "")))
        if kind == "text" and self.block.get("text"):
            return Text(self.block["text"])
        if kind == "thinking" and self.block.get("thinking"):
            return Thinking(self.block["thinking"])
        return None

    def add(self, delta: Any) -> Event | None:
        kind = delta.type
        if kind == "text_delta":
            self._text.append(delta.text)
            return Text(delta.text)
        if kind == "thinking_delta":
            self._text.append(delta.thinking)
            return Thinking(delta.thinking)
        if kind == "input_json_delta":
            self._json.append(delta.partial_json)
        elif kind == "signature_delta":
            self.block["signature"] = delta.signature
        elif kind == "citations_delta":
            self.block.setdefault("citations", []).append(delta.citation.model_dump(mode="json", exclude_none=True))
        return None

    def finish(self) -> bool:
        """Close the block; False if its arguments are not a JSON object (cut at the token limit, or malformed)."""
        if self._json and (whole := "".join(self._json)):
            try:
                self.block["input"] = json.loads(whole)
            except ValueError:
                return False
            if not isinstance(self.block["input"], dict):
                return False
        self.finished = True
        return True

    def value(self) -> Block | None:
        kind = self.block["type"]
        if kind == "text":
            text = self.block.get("text", "") + "".join(self._text)
            return {**self.block, "text": text} if text.strip() else None
        if not self.finished:
            return None
        if kind == "thinking":
            return {**self.block, "thinking": self.block.get("thinking", "") + "".join(self._text)}
        return self.block


def unsigned(block: Block) -> bool:
    """Whether `block` is a thought without a signature, which a hosted model does not take back."""
    return block["type"] in THINKING and not (block.get("signature") or block.get("data"))
