"""What the provider refuses, with its own words and status codes. The numbers are those of the project's fact sheet.

`check` raises the first refusal it finds, as a server does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...transcript import THINKING, Block
from .. import catalog
from . import count, images, signing

_MOST_BYTES = 32 * 1024 * 1024
_MOST_IMAGE_BYTES = 10 * 1024 * 1024
_MANY_IMAGES, _EDGE_OF_MANY, _EDGE = 20, 2000, 8000
_TOP = {
    *("model", "messages", "max_tokens", "system", "tools", "tool_choice", "stream", "stop_sequences", "metadata"),
    *("cache_control", "thinking", "output_config", "container", "context_management", "service_tier"),
    *("inference_geo", "diagnostics"),
}
_SAMPLING = ("temperature", "top_p", "top_k")
_FIELDS = {
    "text": {"text", "citations", "cache_control"},
    "image": {"source", "cache_control"},
    "tool_use": {"id", "name", "input", "caller", "cache_control"},
    "tool_result": {"tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
}
_ALWAYS = {"type"}
_MOST_MESSAGES = 100_000
_PREFILL = "This model does not support assistant message prefill. The conversation must end with a user message."
_TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,128}$")
_LONE = re.compile("[\ud800-\udfff]")


class Refusal(Exception):
    """A request that is not answered: the status, type and message that a server sends."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: str = "invalid_request_error",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.type, self.details = message, status, type, details


def check(body: Mapping[str, Any], *, size: int, counting: bool = False) -> int:
    """The tokens of a request of `size` bytes that may be answered (or only counted). Raises Refusal."""
    if size > _MOST_BYTES:  # rule 4
        raise Refusal("Request exceeds the maximum size", status=413, type="request_too_large")
    if not counting and "max_tokens" not in body:
        raise Refusal("max_tokens: Field required")
    for refusal in (_fields, _messages, _pairs, _pictures, _caching, _thoughts):
        for message in refusal(body):
            raise Refusal(message) if isinstance(message, str) else message
    entry = catalog.profile(body["model"])
    tokens = count.request(body)
    if tokens > entry.window and not counting:  # rule 1
        raise Refusal(f"prompt is too long: {tokens} tokens > {entry.window} maximum")
    return tokens


def _fields(body: Mapping[str, Any]) -> Iterator[str]:
    for name in ("model", "messages"):
        if name not in body:
            yield f"{name}: Field required"
    for name in _SAMPLING:  # rule 22
        if name in body:
            yield f"{name}: sampling parameters are not supported"
    for name in sorted(body.keys() - _TOP):
        yield f"{name}: Extra inputs are not permitted"
    thinking = (body.get("thinking") or {}).get("type")
    if thinking == "enabled":
        yield '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".'
    elif thinking == "adaptive":
        yield "adaptive thinking is not supported on this model"
    most = catalog.profile(body["model"]).max_output
    asked = body.get("max_tokens")
    if asked is not None and asked > most:  # rule 3
        yield (
            f"max_tokens: {asked} > {most}, which is the maximum allowed number of output tokens for {body['model']}"
        )
    if asked is not None and asked < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    names = [tool.get("name", "") for tool in body.get("tools") or ()]
    for n, name in enumerate(names):
        if not _TOOL_NAME.match(name):
            yield f"tools.{n}.custom.name: String should match pattern '{_TOOL_NAME.pattern}'"
        if "input_schema" not in body["tools"][n]:
            yield f"tools.{n}.custom.input_schema: Field required"
    if len(set(names)) != len(names):
        yield "tools: Tool names must be unique."
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield "tool_choice: forced tool use is not supported on this model"


def _messages(body: Mapping[str, Any]) -> Iterator[str]:
    messages: Sequence[Mapping[str, Any]] = body["messages"]
    if not messages:
        yield "messages: at least one message is required"
    if len(messages) > _MOST_MESSAGES:
        yield f"messages: List should have at most {_MOST_MESSAGES} items after validation, not {len(messages)}"
    for part in count.blocks(body.get("system") or ""):
        if not part["text"].strip():
            yield "system: text content blocks must contain non-whitespace text"
    for n, message in enumerate(messages):
        role = message.get("role")
        if role == "system":  # rule 16
            yield "role 'system' is not supported on this model"
        if role not in ("user", "assistant"):
            yield f"messages.{n}.role: Input should be 'user' or 'assistant'"
        for name in sorted(message.keys() - {"role", "content"}):
            yield f"messages.{n}.{name}: Extra inputs are not permitted"
        parts = count.blocks(message.get("content") or [])
        if not parts and not (n == len(messages) - 1 and role == "assistant"):  # rule 12
            yield (
                f"messages.{n}: all messages must have non-empty content except for the optional final "
                "assistant message"
            )
        for m, part in enumerate(parts):
            yield from _block(f"messages.{n}.content.{m}", part)
    last = messages[-1]
    if messages[0]["role"] != "user":  # rule 15
        yield 'messages: first message must use the "user" role'
    if last["role"] == "assistant":
        parts = count.blocks(last["content"])
        if parts and parts[-1]["type"] == "text" and parts[-1]["text"] != parts[-1]["text"].rstrip():  # rule 13
            yield "messages: final assistant content cannot end with trailing whitespace"
        yield _PREFILL  # rule 14


def _block(where: str, part: Block) -> Iterator[str]:
    kind = part.get("type")
    if kind not in _FIELDS:
        expected = ", ".join(f"'{name}'" for name in _FIELDS)
        yield f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {expected}"
        return
    for name in sorted(part.keys() - _FIELDS[kind] - _ALWAYS):
        yield f"{where}.{kind}.{name}: Extra inputs are not permitted"
    if kind == "text":
        text = part["text"]
        if not text.strip() and part.get("cache_control"):  # rule 11
            yield f"{where}.text: cache_control cannot be set for empty text blocks"
        if not text:  # rule 9
            yield "messages: text content blocks must be non-empty"
        if not text.strip():  # rule 10
            yield "messages: text content blocks must contain non-whitespace text"
    if kind == "tool_use" and not isinstance(part.get("input"), dict):
        yield f"{where}.tool_use.input: Input should be a valid dictionary"
    if kind in THINKING and not (part.get("signature") or part.get("data")):  # rule 24
        yield f"{where}: Invalid `signature` in `thinking` block"
    if kind == "tool_result" and not isinstance(part.get("content", ""), str):
        for m, inner in enumerate(part["content"]):
            yield from _block(f"{where}.tool_result.content.{m}", inner)


def merged(messages: Sequence[Mapping[str, Any]]) -> list[tuple[int, str, list[Block]]]:
    """Neighbours of one role as one message (rule 15): (number of the first of them, role, blocks)."""
    joined: list[tuple[int, str, list[Block]]] = []
    for n, message in enumerate(messages):
        parts = count.blocks(message["content"])
        if joined and joined[-1][1] == message["role"]:
            joined[-1][2].extend(parts)
        else:
            joined.append((n, message["role"], parts))
    return joined


def _pairs(body: Mapping[str, Any]) -> Iterator[str]:
    """Rules 5 to 7: every call answered at the head of the next message, every answer called for."""
    waiting: tuple[int, list[str]] | None = None
    seen: set[str] = set()
    for n, role, parts in merged(body["messages"]):
        answered = [part["tool_use_id"] for part in parts if part["type"] == "tool_result"]
        if waiting is not None:
            head = [part.get("tool_use_id") for part in parts[: len(answered)]]
            missing = [id for id in waiting[1] if role != "user" or id not in head]
            if missing:
                yield (
                    f"messages.{waiting[0]}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                    f"{', '.join(missing)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                    "next message."
                )
        called = waiting[1] if waiting else []
        for m, part in enumerate(parts):
            if part["type"] == "tool_result" and part["tool_use_id"] not in called:
                yield (
                    f"messages.{n}.content.{m}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{part['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message."
                )
        if len(set(answered)) != len(answered):
            yield f"messages.{n}: each tool_use must have a single result"
        calls = [part["id"] for part in parts if part["type"] == "tool_use"]
        if len(set(calls)) != len(calls) or seen & set(calls):
            yield f"messages.{n}: `tool_use` ids must be unique"
        seen.update(calls)
        waiting = (n, calls) if calls else None


def _thoughts(body: Mapping[str, Any]) -> Iterator[str]:
    """Rules 23 to 25: a model reads back the thoughts that it signed itself."""
    if body["model"] == signing.MODEL:
        yield from signing.wrong(body)


def _caching(body: Mapping[str, Any]) -> Iterator[str]:
    marked = [piece for piece, _ in count.pieces(body)]
    marked += [
        part
        for piece in marked
        if piece.get("type") == "tool_result"
        for part in count.blocks(piece.get("content") or "")
    ]
    marks = bool(body.get("cache_control")) + sum("cache_control" in piece for piece in marked)
    if marks > 4:  # rule 17
        yield f"A maximum of 4 blocks with cache_control may be provided. Found {marks}."


def pictures(body: Mapping[str, Any]) -> Iterator[tuple[str, Block]]:
    """Every image of the request with its place, those inside tool results too."""
    for n, message in enumerate(body["messages"]):
        for m, part in enumerate(count.blocks(message["content"])):
            if part["type"] == "image":
                yield f"messages.{n}.content.{m}.image", part
            elif part["type"] == "tool_result" and not isinstance(part.get("content", ""), str):
                for k, inner in enumerate(part["content"]):
                    if inner["type"] == "image":
                        yield f"messages.{n}.content.{m}.tool_result.content.{k}.image", inner


def _pictures(body: Mapping[str, Any]) -> Iterator[str | Refusal]:
    """Rules 18, 19 and 21."""
    entry = catalog.profile(body["model"])
    shown = list(pictures(body))
    if shown and not entry.vision:
        yield f"image input is not supported by {body['model']}: it reads text only"
    if len(shown) > entry.max_images:
        yield f"too many images and documents: {len(shown)} > {entry.max_images}"
    edge = _EDGE_OF_MANY if len(shown) > _MANY_IMAGES else _EDGE
    large: list[str] = []
    for where, part in shown:
        encoded = len((part.get("source") or {}).get("data") or "")
        if encoded > _MOST_IMAGE_BYTES:
            yield f"{where}.source.base64: image exceeds 10 MB maximum: {encoded} bytes > {_MOST_IMAGE_BYTES} bytes"
        try:
            claimed, found = part["source"].get("media_type"), images.kind(images.data(part))
            if claimed != found:
                yield (
                    f"{where}.source.base64: The image was specified using the {claimed} media type, "
                    f"but the image appears to be a {found} image"
                )
            if max(images.size(part)) > edge:
                large.append(where)
        except images.Unreadable as error:
            yield f"{where}.{error}"
    if large:
        many = " for many-image requests" if edge == _EDGE_OF_MANY else ""
        yield Refusal(
            f"{large[0]}: At least one of the image dimensions exceed max allowed size{many}: {edge} pixels",
            details={"error_code": "image_dimensions_too_large", "max_side_length_pixels": edge, "paths": large},
        )


def half_character(value: Any) -> str | None:
    """Rule 20: what is said of a parsed body with a lone surrogate; None if it has none."""
    found = _LONE.search(json.dumps(value, ensure_ascii=False))
    if found is None:
        return None
    return f"The request body is not valid JSON: no low surrogate in string: line 1 column {found.start() + 1}"
