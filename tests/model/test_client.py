"""Streaming through the real SDK, over the scripted transport."""

from __future__ import annotations

import json
import time
import warnings
from typing import Any

import pytest

from jupyter_history.errors import ModelError, TooLarge
from jupyter_history.model.client import AnswerStream, Client, prepared
from jupyter_history.model.events import Call, Done, Event, Retry, Sent, Text, Thinking
from jupyter_history.model.scripted import Scripted
from jupyter_history.transcript import Usage

BODY: dict[str, Any] = {"model": "offline", "max_tokens": 500, "messages": [{"role": "user", "content": "hi"}]}
SOON = {"retry-after-ms": "1"}


def run(script: Scripted, body: dict[str, Any] = BODY) -> tuple[AnswerStream, list[Event]]:
    with Client(transport=script).stream(body) as stream:
        return stream, list(stream)


def fail(script: Scripted, body: dict[str, Any] = BODY) -> tuple[AnswerStream, ModelError]:
    with Client(transport=script).stream(body) as stream, pytest.raises(ModelError) as caught:
        list(stream)
    assert "\n" not in str(caught.value)
    return stream, caught.value


def test_an_answer_streams_and_adds_up() -> None:
    usage = Usage(input=7, output=9, cache_read=5, cache_write=3, cache_write_1h=2)
    stream, events = run(
        Scripted().reply("hello world", thinking="let me see", chunks=["hel", "lo world"], usage=usage)
    )
    assert events == [Sent(), Thinking("let me see"), Text("hel"), Text("lo world"), Done()]
    assert stream.content == [
        {"type": "thinking", "thinking": "let me see", "signature": "signed"},
        {"type": "text", "text": "hello world"},
    ]
    assert (stream.usage, stream.stop_reason, stream.request_id) == (usage, "end_turn", "req_1")
    assert stream.seconds_to_first is not None


def test_tool_calls_come_with_their_arguments() -> None:
    stream, events = run(Scripted().tool_call("add", {"a": 1, "b": "é"}, text="I add."))
    call = stream.content[1]
    assert Call(call["id"], "add") in events
    assert (call["input"], stream.stop_reason) == ({"a": 1, "b": "é"}, "tool_use")


def test_a_call_cut_at_the_token_limit_is_left_out() -> None:
    from jupyter_history.model import sse

    opened = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    script = Scripted().raw(
        sse.start("offline", {"input_tokens": 1}, "m"),
        *list(sse.block(0, opened, ['{"a": 1']))[:-1],
        sse.event({"type": "content_block_stop", "index": 0}),
        sse.stop("max_tokens", 5),
    )
    stream, _ = run(script)
    assert (stream.content, stream.stop_reason) == ([], "max_tokens")


def test_a_call_that_is_no_json_is_an_error_and_no_answer() -> None:
    from jupyter_history.model import sse

    opened = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    script = Scripted().raw(
        sse.start("offline", {"input_tokens": 1}, "m"), *sse.block(0, opened, ["{nope}"]), sse.stop("tool_use", 5)
    )
    stream, error = fail(script)
    assert (error.kind, stream.content) == ("server", [])


def test_unknown_blocks_and_redacted_thinking_are_kept_as_they_came() -> None:
    redacted = {"type": "redacted_thinking", "data": "opaque"}
    stream, _ = run(Scripted().blocks(redacted, {"type": "text", "text": "so"}))
    assert stream.content[0] == redacted


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_server_is_asked_again_in_sight(status: int) -> None:
    script = Scripted().error(status, "overloaded_error", "Overloaded", headers=SOON).reply("here")
    stream, events = run(script)
    assert [type(event) for event in events] == [Sent, Retry, Sent, Text, Done]
    retry = events[1]
    assert isinstance(retry, Retry)
    assert (retry.seconds, retry.attempt) == (0.001, 1)
    assert stream.content == [{"type": "text", "text": "here"}]


def test_a_refused_connection_is_tried_again() -> None:
    _, events = run(Scripted().unreachable().reply("here"))
    assert Retry(0.5, "no connection to the offline reader", 1) in events


def test_an_error_inside_the_stream_before_anything_was_shown_is_tried_again() -> None:
    _, events = run(Scripted().error(200, "overloaded_error", "Overloaded", midstream="").reply("here"))
    assert Text("here") in events
    assert any(isinstance(event, Retry) for event in events)


def test_nothing_is_asked_again_once_text_was_shown() -> None:
    script = Scripted().error(200, "overloaded_error", "Overloaded", midstream="so far").reply("never")
    stream, error = fail(script)
    assert (error.kind, len(script.requests)) == ("overloaded", 1)
    assert stream.content == [{"type": "text", "text": "so far"}]


def test_retries_end() -> None:
    script = Scripted()
    for _ in range(9):
        script.error(529, "overloaded_error", "Overloaded", headers=SOON)
    _, error = fail(script)
    assert (error.kind, len(script.requests)) == ("overloaded", 4)


def test_a_long_retry_after_is_capped_and_a_stop_ends_the_wait() -> None:
    script = Scripted().error(429, "rate_limit_error", "slow down", headers={"retry-after": "86400"})
    began = time.monotonic()
    with Client(transport=script).stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Retry):
                assert event.seconds == 30.0
                stream.close()
    assert time.monotonic() - began < 5


def test_a_spend_limit_is_no_reason_to_wait() -> None:
    details = {"error_code": "enforced_spend_limit_reached"}
    script = Scripted().error(429, "rate_limit_error", "spend limit reached", details=details)
    _, error = fail(script)
    assert (error.kind, len(script.requests)) == ("rate_limited", 1)


@pytest.mark.parametrize("broken", ["cut", "eof"])
def test_a_stream_that_ends_early_is_cut_and_keeps_its_text(broken: str) -> None:
    script = getattr(Scripted(), broken)("half an ans")
    stream, error = fail(script)
    assert error.kind == "cut"
    assert stream.content == [{"type": "text", "text": "half an ans"}]
    assert stream.stop_reason is None


def test_an_empty_body_is_a_cut() -> None:
    _, error = fail(Scripted().raw())
    assert error.kind == "cut"


def test_a_stop_keeps_the_open_text_and_no_half_thought_rule_24() -> None:
    script = Scripted().reply("a long answer", thinking="all of it", chunks=4)
    with Client(transport=script).stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Text):
                break
    assert [block["type"] for block in stream.content] == ["thinking", "text"]
    assert stream.content[1]["text"] == "a lo"
    assert script.streams[0].closed
    with Client(transport=Scripted().reply("never", thinking="half a thought")).stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Thinking):
                break
    assert stream.content == []


def test_a_stop_inside_a_call_keeps_no_half_call_rule_24() -> None:
    with Client(transport=Scripted().tool_call("add", {"a": 1}, text="I add.")).stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Call):
                break
    assert stream.content == [{"type": "text", "text": "I add."}]


def test_an_unsigned_thought_stays_in_a_complete_answer_only_rule_24() -> None:
    stream, _ = run(Scripted().reply("so", thinking="hm", signature=""))
    assert stream.content[0]["thinking"] == "hm"
    with Client(transport=Scripted().reply("so it is", thinking="hm", signature="", chunks=4)).stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Text):
                break
    assert stream.content == [{"type": "text", "text": "so"}]


def test_an_interrupt_inside_the_stream_passes_through_and_closes_it() -> None:
    script = Scripted().interrupt("some text")
    with pytest.raises(KeyboardInterrupt), Client(transport=script).stream(BODY) as stream:
        list(stream)
    assert script.streams[0].closed
    assert stream.content == [{"type": "text", "text": "some text"}]


def test_blank_text_is_no_content() -> None:
    stream, _ = run(Scripted().blocks({"type": "text", "text": " \n"}))
    assert stream.content == []


def test_a_refusal_says_what_the_model_said() -> None:
    script = Scripted().blocks(stop_reason="refusal", stop_details={"type": "refusal", "explanation": "Not that."})
    _, error = fail(script)
    assert error.kind == "refused"
    assert "Not that" in str(error)


def test_too_large_carries_the_figures_of_the_server() -> None:
    script = Scripted().error(400, "invalid_request_error", "prompt is too long: 210883 tokens > 200000 maximum")
    _, error = fail(script)
    assert isinstance(error, TooLarge)
    assert (error.tokens, error.limit, error.kind) == (210_883, 200_000, "too_large")


def test_fields_of_a_newer_api_pass_through() -> None:
    script = Scripted()
    run(script, {**BODY, "system": "Be brief.", "some_new_field": {"x": 1}})
    assert script.requests[0]["some_new_field"] == {"x": 1}
    assert script.requests[0]["system"] == "Be brief."


def test_the_messages_go_out_byte_for_byte() -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "é\n\t🙂", "cache_control": {"type": "ephemeral"}}]}
    ]
    script = Scripted()
    run(script, {**BODY, "messages": messages})
    assert json.dumps(script.requests[0]["messages"]) == json.dumps(messages)


def test_thinking_is_asked_for_where_it_would_stay_hidden() -> None:
    asked = prepared({**BODY, "model": "claude-opus-5-5"})
    assert asked["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert prepared(asked) == asked
    assert "thinking" not in prepared(BODY)
    assert prepared({**asked, "thinking": {"type": "disabled"}})["thinking"] == {"type": "disabled"}


def test_an_unsigned_thought_of_another_server_is_not_sent_to_a_hosted_model() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": ""}
    text = {"type": "text", "text": "so"}
    body = {**BODY, "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [thought, text]}]}
    assert prepared({**body, "model": "claude-opus-5"})["messages"][1]["content"] == [text]
    assert prepared({**body, "model": "qwen3:8b"})["messages"][1]["content"] == [thought, text]


def test_a_deprecated_model_warns_nobody() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(Scripted(), {**BODY, "model": "claude-opus-4-5"})


def test_counting_and_limits_are_courtesies_of_the_server() -> None:
    script = Scripted()
    client = Client(transport=script)
    counted = client.count(BODY)
    assert counted is not None
    assert counted > 0
    assert "max_tokens" not in script.counted[0]
    assert client.limits() == []
