"""The Messages API as a server speaks it: an answer as server-sent events, an error as its envelope.

What the offline reader and the scripted transport share. Importing it imports httpx2, not the SDK.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import httpx2

from ..transcript import Block


def event(data: Mapping[str, Any]) -> bytes:
    """One server-sent event; its name is the data's `type`."""
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def pieces(text: str, size: int = 24) -> list[str]:
    """`text` cut into parts of `size` characters."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def start(model: str, usage: Mapping[str, int], id: str) -> bytes:
    message: dict[str, Any] = {
        "id": id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    return event({"type": "message_start", "message": message}) + event({"type": "ping"})


def block(index: int, content: Block, parts: Sequence[str] | None = None) -> Iterator[bytes]:
    """The events of one content block; `parts` says how its text (or thinking, or input) is cut."""
    kind = content["type"]
    field = {"text": "text", "thinking": "thinking", "tool_use": "input"}.get(kind)
    if field is None:
        yield event({"type": "content_block_start", "index": index, "content_block": content})
    else:
        empty = {**content, field: {} if kind == "tool_use" else ""}
        if kind == "thinking":
            empty["signature"] = ""
        yield event({"type": "content_block_start", "index": index, "content_block": empty})
        whole = json.dumps(content[field]) if kind == "tool_use" else content[field]
        name = {"text": "text_delta", "thinking": "thinking_delta", "tool_use": "input_json_delta"}[kind]
        key = "partial_json" if kind == "tool_use" else field
        for part in parts if parts is not None else pieces(whole):
            yield event({"type": "content_block_delta", "index": index, "delta": {"type": name, key: part}})
        if kind == "thinking" and content.get("signature"):
            delta = {"type": "signature_delta", "signature": content["signature"]}
            yield event({"type": "content_block_delta", "index": index, "delta": delta})
    yield event({"type": "content_block_stop", "index": index})


def stop(reason: str, output_tokens: int, **extra: Any) -> bytes:
    delta = {"stop_reason": reason, "stop_sequence": None, **extra}
    usage = {"output_tokens": output_tokens}
    return event({"type": "message_delta", "delta": delta, "usage": usage}) + event({"type": "message_stop"})


def error_event(type: str, message: str) -> bytes:
    return event({"type": "error", "error": {"type": type, "message": message}})


class Chunks(httpx2.SyncByteStream):
    """A body that is sent part by part; `closed` tells that the reader let go of it."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = iter(parts)
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self._parts

    def close(self) -> None:
        self.closed = True


def streaming(parts: Iterable[bytes], request_id: str) -> httpx2.Response:
    headers = {"content-type": "text/event-stream", "request-id": request_id}
    return httpx2.Response(200, headers=headers, stream=Chunks(parts))


def error(
    status: int,
    type: str,
    message: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    details: Mapping[str, Any] | None = None,
) -> httpx2.Response:
    """An error in the provider's envelope, or `body` as it is."""
    said: dict[str, Any] = {"type": type, "message": message}
    if details:
        said["details"] = dict(details)
    envelope = {"type": "error", "error": said, "request_id": "req_offline"} if body is None else body
    return httpx2.Response(status, headers={"request-id": "req_offline", **(headers or {})}, json=envelope)


def digest(value: Any) -> str:
    """A short stable name for a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:24]
