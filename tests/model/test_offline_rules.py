"""What the offline reader refuses, in the provider's words. The numbers of the cases are the provider's."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import httpx2
import pytest
from PIL import Image

from jupyter_history.errors import TooLarge
from jupyter_history.model.client import Client
from jupyter_history.model.offline import OfflineReader, images
from jupyter_history.transcript import problems

HEADERS = {"x-api-key": "any", "anthropic-version": "2026-10-21"}


def post(body: Any, *, path: str = "/v1/messages", headers: dict[str, str] = HEADERS) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    with httpx2.Client(transport=OfflineReader(), base_url="http://offline.invalid") as client:
        return client.post(path, content=content, headers=headers)


def body(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "offline", "max_tokens": 100, "messages": list(messages), **fields}


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def model(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **fields}


def call(id: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id: str, content: Any = "ok") -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def png(width: int, height: int, form: str = "PNG") -> dict[str, Any]:
    stream = io.BytesIO()
    Image.new("1", (width, height)).save(stream, form)
    data = base64.b64encode(stream.getvalue()).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


HI = user(text("hi"))
UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block "
    "must have a corresponding `tool_result` block in the next message."
)
TOOL = {"name": "f", "description": "f", "input_schema": {"type": "object", "properties": {}}}
MARK = {"cache_control": {"type": "ephemeral"}}

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "1 too long": (body(user(text("word " * 9_000))), "prompt is too long: 9004 tokens > 8000 maximum"),
    "3 too much output": (
        body(HI, max_tokens=5_000),
        "max_tokens: 5000 > 1024, which is the maximum allowed number of output tokens for offline",
    ),
    "5 a call without its result": (body(HI, model(call("t1")), user(text("and?"))), UNANSWERED),
    "5 a call at the very end of the middle": (
        body(HI, model(call("t1"), call("t2")), user(result("t2"))),
        UNANSWERED,
    ),
    "6 a result without its call": (
        body(HI, model(text("ok")), user(result("t9"))),
        "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block "
        "must have a corresponding `tool_use` block in the previous message.",
    ),
    "7 text before the result": (body(HI, model(call("t1")), user(text("here:"), result("t1"))), UNANSWERED),
    "7 a message between": (body(HI, model(call("t1")), HI, model(text("x")), user(result("t1"))), UNANSWERED),
    "9 empty text": (body(user(text(""))), "messages: text content blocks must be non-empty"),
    "10 blank text": (body(user(text(" \n"))), "messages: text content blocks must contain non-whitespace text"),
    "11 a cache mark on nothing": (
        body(user(text("", **MARK))),
        "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ),
    "12 empty content": (
        body(HI, model(), HI),
        "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ),
    "13 trailing blanks": (
        body(HI, model(text("so "))),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    "14 a prefilled answer": (
        body(HI, model(text("so"))),
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    ),
    "15 no messages": (body(), "messages: at least one message is required"),
    "15 begins with an answer": (body(model(text("x")), HI), 'messages: first message must use the "user" role'),
    "16 a system message": (
        body(HI, {"role": "system", "content": "x"}, HI),
        "role 'system' is not supported on this model",
    ),
    "17 five cache marks": (
        body(*[user(text("x", **MARK)), model(text("y", **MARK))] * 2, HI, cache_control={"type": "ephemeral"}),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "17 cache marks inside a result": (
        body(
            *(HI, model(call("t1")), user(result("t1", [text(f"{n}", **MARK) for n in range(4)]), text("x", **MARK))),
        ),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "a cache mark on a thought": (
        body(HI, model({"type": "thinking", "thinking": "x", "signature": "s", **MARK}, text("y")), HI),
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ),
    "a blank system prompt": (
        body(HI, system=" \n"),
        "system: text content blocks must contain non-whitespace text",
    ),
    "a tool's name": (
        body(HI, tools=[{**TOOL, "name": "two words"}]),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "two tools of a name": (body(HI, tools=[TOOL, TOOL]), "tools: Tool names must be unique."),
    "a tool without a schema": (
        body(HI, tools=[{"name": "f", "description": "f"}]),
        "tools.0.custom.input_schema: Field required",
    ),
    "arguments that are no object": (
        body(HI, model({**call("t1"), "input": "x"}), user(result("t1"))),
        "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ),
    "21 an image of too many bytes": (
        body(user({"type": "image", "source": {**png(8, 8)["source"], "data": "A" * (11 * 1024 * 1024)}})),
        "messages.0.content.0.image.source.base64: image exceeds 10 MB maximum: 11534336 bytes > 10485760 bytes",
    ),
    "22 adaptive thinking": (
        body(HI, thinking={"type": "adaptive"}),
        "adaptive thinking is not supported on this model",
    ),
    "22 a forced tool": (
        body(HI, tools=[TOOL], tool_choice={"type": "any"}),
        "tool_choice: forced tool use is not supported on this model",
    ),
    "18 not that image type": (
        body(user(png(8, 8, "GIF"))),
        "messages.0.content.0.image.source.base64: The image was specified using the image/png media type, but the "
        "image appears to be a image/gif image",
    ),
    "19 no base64": (
        body(user({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "%%"}})),
        "messages.0.content.0.image.source.base64: invalid base64 data",
    ),
    "21 too many images": (body(user(*[png(8, 8)] * 101)), "too many images and documents: 101 > 100"),
    "21 a large image among many": (
        body(user(*[png(8, 8)] * 20, png(2_001, 8))),
        "messages.0.content.20.image: At least one of the image dimensions exceed max allowed size for many-image "
        "requests: 2000 pixels",
    ),
    "21 a large image inside a result": (
        body(HI, model(call("t1")), user(result("t1", [png(8, 8_001)]))),
        "messages.2.content.0.tool_result.content.0.image: At least one of the image dimensions exceed max allowed "
        "size: 8000 pixels",
    ),
    "22 sampling": (body(HI, temperature=1.0), "temperature: sampling parameters are not supported"),
    "22 thinking of old": (
        body(HI, thinking={"type": "enabled", "budget_tokens": 1024}),
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".',
    ),
    "24 an unsigned thought": (
        body(HI, model({"type": "thinking", "thinking": "x", "signature": ""}, text("y")), HI),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "an unknown field": (body(HI, cell="abc"), "cell: Extra inputs are not permitted"),
    "an unknown field of a block": (
        body(user(text("x", turn="t"))),
        "messages.0.content.0.text.turn: Extra inputs are not permitted",
    ),
    "no room named": ({"model": "offline", "messages": [HI]}, "max_tokens: Field required"),
    "a call id used twice": (
        body(HI, model(call("t1")), user(result("t1")), model(call("t1")), user(result("t1"))),
        "messages.3: `tool_use` ids must be unique",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_provider_would_refuse(case: str) -> None:
    request, message = REFUSED[case]
    response = post(request)
    assert response.status_code == 400
    envelope = response.json()
    assert envelope["type"] == "error"
    assert (envelope["error"]["type"], envelope["error"]["message"]) == ("invalid_request_error", message)


@pytest.mark.parametrize("case", [case for case in REFUSED if case[:2].strip() in {"5", "6", "7", "10", "12", "14"}])
def test_our_own_validator_catches_what_the_provider_would_refuse_rule_11(case: str) -> None:
    assert list(problems(REFUSED[case][0]["messages"]))


def test_more_than_100000_messages_are_refused() -> None:
    response = post(body(*[user(text("a")), model(text("b"))] * 50_001))
    assert response.json()["error"]["message"].startswith("messages: List should have at most 100000 items")


def test_neighbours_of_one_role_are_merged_not_refused() -> None:
    assert post(body(HI, HI, model(text("a")), model(text("b")), HI)).status_code == 200
    assert post(body(HI, model(call("t1")), user(result("t1")), HI)).status_code == 200


def test_a_body_over_32_mb_is_refused_at_the_edge() -> None:
    response = post(body(user(text("x" * (33 * 1024 * 1024)))))
    assert response.status_code == 413
    assert response.json() == {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}


@pytest.mark.parametrize(
    ("raw", "refused"), [(rb"\ud83d", True), (rb"\ud83d\ude00", False), (rb"\\ud83d", False), (rb"\udc00", True)]
)
def test_half_a_character_is_no_json(raw: bytes, refused: bool) -> None:
    response = post(json.dumps(body(user(text("@@")))).encode().replace(b"@@", b"a" + raw))
    assert (response.status_code == 400) is refused
    if refused:
        assert "no low surrogate in string" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-api-key": "k", "anthropic-version": "v"}, 200),
        ({"authorization": "Bearer k", "anthropic-version": "v"}, 200),
        ({"anthropic-version": "v"}, 401),
        ({"x-api-key": "k"}, 400),
    ],
)
def test_either_kind_of_key_is_taken_and_a_version_is_asked_for(headers: dict[str, str], status: int) -> None:
    assert post(body(HI), headers=headers).status_code == status


@pytest.mark.parametrize("name", ["offline-9k", "claude-opus-5"])
def test_a_model_it_is_not_is_not_found(name: str) -> None:
    response = post({**body(HI), "model": name})
    assert (response.status_code, response.json()["error"]["type"]) == (404, "not_found_error")


def test_a_reader_without_vision_refuses_images_as_a_text_only_server_does() -> None:
    response = post({**body(user(png(56, 56), text("what is it?"))), "model": "offline-text"})
    assert response.status_code == 400
    assert "image input is not supported" in response.json()["error"]["message"]


def test_a_request_of_the_wrong_shape_is_answered_and_not_a_broken_connection() -> None:
    assert post(body(user({"type": "text"}))).status_code == 500
    assert post(body("hello")).status_code == 500
    assert post(b"{").status_code == 400
    assert post([1]).status_code == 400


def test_counting_refuses_the_same_but_for_the_window() -> None:
    assert post(REFUSED["1 too long"][0], path="/v1/messages/count_tokens").json() == {"input_tokens": 9_004}
    assert post(REFUSED["9 empty text"][0], path="/v1/messages/count_tokens").status_code == 400


def test_the_refusal_reaches_the_user_as_too_large_with_its_figures() -> None:
    with Client().stream(REFUSED["1 too long"][0]) as stream, pytest.raises(TooLarge) as caught:
        list(stream)
    assert (caught.value.tokens, caught.value.limit) == (9_004, 8_000)


@pytest.mark.parametrize(
    ("size", "tier", "seen", "tokens"),
    [
        ((896, 1344), "standard", (896, 1344), 1_536),
        ((896, 1344), "high", (896, 1344), 1_536),
        ((1932, 1932), "high", (1932, 1932), 4_761),
        ((1092, 1092), "standard", (1092, 1092), 1_521),
        ((2000, 2000), "standard", (1092, 1092), 1_521),
        ((1240, 1754), "standard", (924, 1307), 1_551),
        ((10, 4000), "standard", (3, 1568), 56),
    ],
)
def test_an_image_costs_its_squares_after_the_tiers_resize(
    size: images.Size, tier: Any, seen: images.Size, tokens: int
) -> None:
    resized = images.resized(size, tier)
    assert abs(resized[0] - seen[0]) <= 1
    assert abs(resized[1] - seen[1]) <= 1
    assert images.cost(size, tier) == tokens


@pytest.mark.parametrize("form", ["PNG", "GIF", "JPEG", "WEBP"])
def test_the_size_of_every_kind_of_image_is_read(form: str) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (60, 33)).save(stream, form)
    data = base64.b64encode(stream.getvalue()).decode()
    block = {"type": "image", "source": {"type": "base64", "media_type": f"image/{form.lower()}", "data": data}}
    assert images.size(block) == (60, 33)
    assert post(body(user(block, text("what?")))).status_code == 200
