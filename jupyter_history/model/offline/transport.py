"""The offline reader as a server: what the SDK talks to when the model's name begins with `offline`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from ...transcript import Block, Usage
from .. import catalog, sse
from ..scripted import wire_usage
from . import count, passages, rules, signing, speak
from .cache import Cache

DELAY = "JUPYTER_HISTORY_OFFLINE_DELAY"
"""The environment variable that names the seconds before each part of an answer, to watch it stream or to stop it."""


class OfflineReader(httpx2.BaseTransport):
    """Answers `POST /v1/messages`, `POST /v1/messages/count_tokens` and `GET /v1/models`, in this process."""

    def __init__(self, cache: Cache | None = None) -> None:
        self._cache = cache or Cache()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return self._route(request)
        except rules.Refusal as refusal:
            if refusal.status == 413:
                # the edge answers, in an envelope without "type"
                body = {"error": {"type": refusal.type, "message": refusal.message}}
                return sse.error(413, refusal.type, refusal.message, body=body)
            return sse.error(refusal.status, refusal.type, refusal.message, details=refusal.details)
        except Exception as error:
            # a server that fails says so; an exception here would look like a broken connection
            return sse.error(500, "api_error", f"the offline reader failed: {error!r}")

    def _route(self, request: httpx2.Request) -> httpx2.Response:
        headers, path = request.headers, request.url.path.rstrip("/")
        if not (headers.get("x-api-key") or headers.get("authorization", "").startswith("Bearer ")):
            raise rules.Refusal("x-api-key header is required", status=401, type="authentication_error")
        if not headers.get("anthropic-version"):
            raise rules.Refusal("anthropic-version: header is required")
        if request.method == "GET" and path.endswith("/v1/models"):
            return httpx2.Response(200, json=_listing())
        if request.method != "POST" or not path.endswith(("/v1/messages", "/v1/messages/count_tokens")):
            raise rules.Refusal("Not found", status=404, type="not_found_error")
        raw = request.read()
        body = _parse(raw)
        tokens = rules.check(body, size=len(raw), counting=path.endswith("count_tokens"))
        if path.endswith("count_tokens"):
            return httpx2.Response(200, json={"input_tokens": tokens})
        return self._answer(body, tokens)

    def _answer(self, body: dict[str, Any], tokens: int) -> httpx2.Response:
        window = catalog.profile(body["model"]).window
        room = min(int(body["max_tokens"]), window - tokens)
        request = passages.read(body)
        text, call = speak.answer(request, tokens=tokens, window=window, room=room)
        said, reason = _fitted(text, room)
        if reason == "max_tokens" and window - tokens < int(body["max_tokens"]):
            reason = "model_context_window_exceeded"  # rule 2
        usage = self._cache.charge(body)
        name = sse.digest([body["model"], body["messages"]])
        content: list[Block] = [signing.thought(body, speak.thought(request))] if body["model"] == signing.MODEL else []
        content += [{"type": "text", "text": said}] if said else []
        if call is not None and reason == "end_turn":
            content.append({"type": "tool_use", "id": f"toolu_{name}", "name": call.name, "input": call.input})
            reason = "tool_use"
        spoken = sum(count.block(part, "standard") for part in content)
        if not body.get("stream"):
            return httpx2.Response(200, json=_message(body, name, content, reason, usage, spoken))

        def events() -> Iterator[bytes]:
            pause = _pause()
            yield sse.start(body["model"], wire_usage(usage), f"msg_{name}")
            for index, block in enumerate(content):
                for event in sse.block(index, block):
                    if pause:
                        time.sleep(pause)
                    yield event
            yield sse.stop(reason, spoken)

        return sse.streaming(events(), f"req_{name}")


def _parse(raw: bytes) -> dict[str, Any]:
    text = raw.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError as error:
        raise rules.Refusal(f"The request body is not valid JSON: {error}") from None
    if half := rules.half_character(body):
        raise rules.Refusal(half)
    model = body.get("model") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(model, str):
        raise rules.Refusal("model: Field required")
    if not catalog.profile(model).known or not catalog.is_offline(model):
        raise rules.Refusal(f"model: {model}", status=404, type="not_found_error")
    return body


def _fitted(text: str, room: int) -> tuple[str, str]:
    """(as much of `text` as `room` tokens hold, the stop reason)."""
    if count.text(text) <= room:
        return text, "end_turn"
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        fits, too_long = (middle, too_long) if count.text(text[:middle]) <= room else (fits, middle)
    return text[:fits].rstrip(), "max_tokens"


def _message(
    body: dict[str, Any], name: str, content: list[Block], reason: str, usage: Usage, spoken: int
) -> dict[str, Any]:
    return {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {**wire_usage(usage), "output_tokens": spoken},
    }


def _listing() -> dict[str, Any]:
    entries = [
        {
            "type": "model",
            "id": entry.id,
            "display_name": entry.id,
            "created_at": "1970-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": entry.window,
            "max_tokens": entry.max_output,
            "capabilities": {"image_input": {"supported": entry.vision}},
        }
        for entry in catalog.models()
        if catalog.is_offline(entry.id)
    ]
    return {"data": entries, "has_more": False, "first_id": entries[0]["id"], "last_id": entries[-1]["id"]}


def _pause() -> float:
    try:
        return float(os.environ.get(DELAY) or 0)
    except ValueError:
        return 0.0
