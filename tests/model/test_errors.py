"""Every failure is one line without a key, that says what happened, what was kept and what to do (rules 20, 25)."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_history.errors import ModelError, TooLarge
from jupyter_history.model.client import Client
from jupyter_history.model.errors import NOT_STORED, redact
from jupyter_history.model.scripted import Scripted

KEY = "sk-ant-api03-abcdefghijklmnop"
PLAIN = "gateway0secret0value"
BODY: dict[str, Any] = {"model": "claude-opus-5", "max_tokens": 500, "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("MY_GATEWAY_TOKEN", PLAIN)


def fails(script: Scripted, body: dict[str, Any] = BODY) -> ModelError:
    with Client(transport=script, pauses=(0, 0, 0)).stream(body) as stream, pytest.raises(ModelError) as caught:
        list(stream)
    line = str(caught.value)
    assert "\n" not in line
    assert KEY not in line
    assert PLAIN not in line
    assert NOT_STORED in line
    what_to_do = line.partition(NOT_STORED)[2].lstrip("; ").rstrip(".")
    assert what_to_do, line
    assert line.endswith(".")
    return caught.value


@pytest.mark.parametrize(
    ("status", "type", "kind"),
    [
        (400, "invalid_request_error", "invalid"),
        (401, "authentication_error", "auth"),
        (402, "billing_error", "auth"),
        (403, "permission_error", "auth"),
        (404, "not_found_error", "not_found"),
        (408, "timeout_error", "server"),
        (409, "conflict_error", "invalid"),
        (412, "precondition_failed", "invalid"),
        (413, "request_too_large", "too_large"),
        (422, "invalid_request_error", "invalid"),
        (429, "rate_limit_error", "rate_limited"),
        (431, "headers", "invalid"),
        (499, "client_closed", "invalid"),
        (500, "api_error", "server"),
        (503, "api_error", "server"),
        (504, "timeout_error", "server"),
        (529, "overloaded_error", "overloaded"),
    ],
)
def test_each_status_is_one_line_without_a_key(status: int, type: str, kind: str) -> None:
    script = Scripted()
    for _ in range(4):
        said = f"bad things\nwith {KEY} and Bearer {PLAIN}"
        script.error(status, type, said, headers={"retry-after-ms": "1", "request-id": "req_9"})
    assert fails(script).kind == kind


@pytest.mark.parametrize("type", ["overloaded_error", "api_error", "invalid_request_error", "rate_limit_error", "odd"])
def test_each_error_inside_the_stream_is_one_line(type: str) -> None:
    error = fails(Scripted().error(200, type, f"broken {KEY}", midstream="text"))
    assert "broke off" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><h1>502 Bad Gateway</h1>\n<p>nginx</p></body></html>",
        {"error": f"model crashed, key {PLAIN}"},
        {"detail": "no such route"},
        {"object": "error", "message": "it broke", "type": "BadRequestError"},
        [],
        None,
    ],
)
def test_each_shape_of_body_is_one_line(body: Any) -> None:
    fails(Scripted().error(500, "api_error", "it failed", body=body))


def test_a_refused_connection_names_the_server_and_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://user:{PLAIN}x@localhost:1")
    script = Scripted()
    for _ in range(4):
        script.error(529, "overloaded_error", "x", headers={"retry-after-ms": "1"})
    assert f"{PLAIN}x" not in str(fails(script))


def test_an_unreachable_server_says_so() -> None:
    script = Scripted().unreachable().unreachable().unreachable().unreachable()
    error = fails(script)
    assert error.kind == "connection"
    assert "Connection refused" in str(error)


def test_a_missing_key_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with Client().stream(BODY) as stream, pytest.raises(ModelError) as caught:
        list(stream)
    assert caught.value.kind == "auth"
    assert "ANTHROPIC_API_KEY" in str(caught.value)
    assert "-m offline" in str(caught.value)


def test_a_lone_surrogate_is_named() -> None:
    error = fails(Scripted(), {**BODY, "messages": [{"role": "user", "content": "half \ud83d"}]})
    assert (error.kind, "surrogate" in str(error)) == ("invalid", True)


HOSTED = "invalid_request_error"
TOO_LARGE: list[tuple[int, Any, int | None, int | None]] = [
    (400, "prompt is too long: 210883 tokens > 200000 maximum", 210_883, 200_000),
    (400, "prompt is too long: 200251 tokens > 199999", 200_251, 199_999),
    (400, "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease", 178_959, 136_000),
    (413, "Request exceeds the maximum size", None, None),
    # llama.cpp
    (
        400,
        {
            "error": {
                "code": 400,
                "message": "request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 13392,
                "n_ctx": 8192,
            }
        },
        13_392,
        8_192,
    ),
    (400, "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it", 9_412, 8_192),
    (500, "Context size has been exceeded.", None, None),
    # Ollama
    (400, {"error": "prompt too long; exceeded max context length by 65590 tokens"}, None, None),
    (400, {"error": "the input length exceeds the context length"}, None, None),
    # vLLM
    (
        400,
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, "
        "1000 in the completion). Please reduce the length of the messages or completion.",
        4_000,
        4_096,
    ),
    (
        400,
        "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
        5_000,
        4_096,
    ),
    (
        400,
        "This model's maximum context length is 16384 tokens. However, you requested 8192 output tokens and your "
        "prompt contains at least 8193 input tokens, for a total of at least 16385 tokens.",
        8_193,
        16_384,
    ),
    (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 5_000, 4_096),
    # LM Studio
    (
        400,
        {
            "error": "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded "
            "with context length of only 7866 tokens, which is not enough."
        },
        10_136,
        7_866,
    ),
    (
        400,
        "The number of tokens to keep from the initial prompt is greater than the context length "
        "(n_keep: 10247 >= n_ctx: 4096). Try to load the model with a larger context length.",
        10_247,
        4_096,
    ),
    (400, "Input length 6491 exceeds context length 1500", 6_491, 1_500),
    # a gateway
    (400, "litellm.ContextWindowExceededError: context_length_exceeded", None, None),
]


@pytest.mark.parametrize(("status", "said", "tokens", "limit"), TOO_LARGE)
def test_too_large_is_recognised_in_every_servers_words(
    status: int, said: Any, tokens: int | None, limit: int | None
) -> None:
    script = Scripted()
    if isinstance(said, str):
        script.error(status, HOSTED, said)
    else:
        script.error(status, body=said)
    error = fails(script)
    assert isinstance(error, TooLarge)
    assert (error.tokens, error.limit) == (tokens, limit)
    assert len(script.requests) == 1


def test_too_large_inside_a_stream_is_recognised_too() -> None:
    assert isinstance(fails(Scripted().error(200, "api_error", "prompt too long; exceeded", midstream="")), TooLarge)


@pytest.mark.parametrize(
    "said",
    [
        "max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens",
        "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after",
        "This request would exceed the rate limit for your organization of 30,000 input tokens per minute",
    ],
)
def test_other_refusals_with_figures_are_not_too_large(said: str) -> None:
    assert not isinstance(fails(Scripted().error(400, HOSTED, said)), TooLarge)


@pytest.mark.parametrize(
    "text",
    [
        f"key {KEY}!",
        "Authorization: Bearer abc.def-ghi",
        "authorization: bearer abc.def-ghi",
        "x-api-key: abc.def-ghi",
        "http://me:abc.def-ghi@host/v1",
        f"token={PLAIN}",
    ],
)
def test_nothing_that_looks_like_a_key_is_left(text: str) -> None:
    said = redact(text)
    assert "[key]" in said
    assert "abc.def-ghi" not in said
