"""The provider's faults: each ends in one line, and the conversation works after it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_history.errors import ChatError, ModelError, Stopped
from jupyter_history.model import sse
from jupyter_history.model.client import Client
from jupyter_history.model.events import Retry, Text
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.session.turn import Turn
from jupyter_history.store import Store
from jupyter_history.transcript import problems

Fault = Callable[[Scripted], object]


@pytest.fixture
def talk(tmp_path: Path, script: Scripted) -> Iterator[Session]:
    """A conversation with one turn, over a client that does not wait long."""
    store = Store.open(tmp_path / "history.db")
    session = Session.open("notes", store, "claude-sonnet-5-5", client=Client(transport=script, pauses=(0.01, 0.01)))
    session.send("before")
    yield session
    store.close()


def works(session: Session, script: Scripted) -> list[str]:
    """Ask once more; the prompts that were sent, in a request that is valid."""
    turn = session.send("after")
    assert turn.outcome == "complete"
    body = script.requests[-1]
    assert not list(problems(body["messages"]))
    return [message["content"][0]["text"] for message in body["messages"] if message["role"] == "user"]


def one_line(error: BaseException) -> str:
    text = str(error)
    assert text.strip()
    assert "\n" not in text
    assert "Traceback" not in text
    return text


BUSY = {"retry-after-ms": "1"}
LASTING: dict[str, tuple[Fault, str]] = {
    "429 before the stream": (
        lambda script: [script.error(429, "rate_limit_error", "slow down", headers=BUSY) for _ in range(3)],
        "limits how much",
    ),
    "529 before the stream": (
        lambda script: [script.error(529, "overloaded_error", "Overloaded") for _ in range(3)],
        "overloaded",
    ),
    "429 in the stream": (
        lambda script: script.error(200, "rate_limit_error", "slow down", midstream="half an answer"),
        "broke off",
    ),
    "529 in the stream": (
        lambda script: script.error(200, "overloaded_error", "Overloaded", midstream="half an answer"),
        "broke off",
    ),
    "a dropped socket": (lambda script: script.cut("half an answer"), "broke off"),
    "a clean early end": (lambda script: script.eof("half an answer"), "broke off"),
    "a refusal": (lambda script: script.blocks(stop_reason="refusal"), "declined"),
    "an empty answer": (lambda script: script.blocks(), "empty answer"),
    "blank text": (lambda script: script.blocks({"type": "text", "text": " \n"}), "empty answer"),
    "max_tokens before any text": (lambda script: script.blocks(stop_reason="max_tokens"), "--max-tokens"),
    "401": (lambda script: script.error(401, "authentication_error", "invalid x-api-key"), "credentials"),
    "403": (lambda script: script.error(403, "permission_error", "no"), "credentials"),
    "404, an unknown model": (lambda script: script.error(404, "not_found_error", "model: x"), "does not know"),
    "500": (lambda script: script.error(500, "api_error", "oops"), "failed"),
    "a web page instead of an answer": (
        lambda script: script.error(502, body="<html><h1>Bad Gateway</h1></html>"),
        "Bad Gateway",
    ),
    "a spend limit": (
        lambda script: script.error(
            429, "rate_limit_error", "limit", details={"error_code": "enforced_spend_limit_reached"}
        ),
        "limit",
    ),
}


@pytest.mark.parametrize("name", LASTING)
def test_a_fault_is_one_line_recorded_for_retry_and_the_conversation_works(
    talk: Session, script: Scripted, name: str
) -> None:
    fault, words = LASTING[name]
    fault(script)
    tip = talk.tip
    with pytest.raises(ModelError) as caught:
        talk.send("what fails")
    assert words in one_line(caught.value)
    assert talk.tip == tip
    assert [turn.prompt for turn in talk.store.failed(talk.id)] == ["what fails"]
    assert works(talk, script) == ["before", "after"]


@pytest.mark.parametrize("name", LASTING)
def test_a_fault_that_passed_is_retried(talk: Session, script: Scripted, name: str) -> None:
    LASTING[name][0](script)
    with pytest.raises(ModelError):
        talk.send("what fails")
    turn = talk.retry()
    assert isinstance(turn, Turn)
    assert turn.prompt == "what fails"
    assert works(talk, script) == ["before", "what fails", "after"]


@pytest.mark.parametrize("status", [429, 529])
def test_a_busy_server_is_asked_again_in_sight(talk: Session, script: Scripted, status: int) -> None:
    script.error(status, "overloaded_error" if status == 529 else "rate_limit_error", "busy").reply("there")
    heard: list[object] = []
    assert talk.send("now", watch=heard.append).text == "there"
    assert [event.attempt for event in heard if isinstance(event, Retry)] == [1]


def test_a_huge_retry_after_is_capped_told_and_interruptible(talk: Session, script: Scripted) -> None:
    script.error(429, "rate_limit_error", "slow down", headers={"retry-after": "86400"})
    waits: list[float] = []

    def watch(event: Any) -> None:
        if isinstance(event, Retry):
            waits.append(event.seconds)
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(Stopped) as caught:
        talk.send("now", watch=watch)
    assert waits == [30.0]
    assert time.monotonic() - began < 5
    one_line(caught.value)
    assert works(talk, script) == ["before", "after"]


def call(text: str = "", arguments: str = "{}", stop: str = "tool_use") -> list[bytes]:
    """The events of an answer that calls `mark` with these arguments, as they come over the wire."""
    blocks = [] if not text else [*sse.block(0, {"type": "text", "text": text})]
    index = 1 if text else 0
    opening = {"type": "tool_use", "id": "t1", "name": "mark", "input": {}}
    events = [
        ("content_block_start", {"type": "content_block_start", "index": index, "content_block": opening}),
        (
            "content_block_delta",
            {
                "type": "content_block_delta",
                "index": index,
                "delta": {"type": "input_json_delta", "partial_json": arguments},
            },
        ),
        ("content_block_stop", {"type": "content_block_stop", "index": index}),
    ]
    wire = [f"event: {name}\ndata: {json.dumps(data)}\n\n".encode() for name, data in events]
    return [sse.start("claude-sonnet-5-5", {"input_tokens": 5}, "m"), *blocks, *wire, sse.stop(stop, 5)]


@pytest.mark.parametrize("arguments", ['{"a": 1', "not json", "[1]", '"x"'])
def test_truncated_tool_json_never_runs(talk: Session, script: Scripted, arguments: str) -> None:
    ran: list[int] = []
    talk.tools.add(lambda a=0: ran.append(a), name="mark")
    script.raw(*call("I look.", arguments))
    with pytest.raises(ModelError) as caught:
        talk.send("go")
    assert "arguments that are not JSON" in one_line(caught.value)
    assert ran == []
    assert works(talk, script) == ["before", "after"]


def test_max_tokens_inside_a_tool_call_keeps_the_text_and_runs_nothing(talk: Session, script: Scripted) -> None:
    ran: list[int] = []
    talk.tools.add(lambda a=0: ran.append(a), name="mark")
    script.raw(*call("I look.", '{"a": 1', stop="max_tokens"))
    heard: list[Any] = []
    turn = talk.send("go", watch=heard.append)
    assert (turn.text, ran) == ("I look.", [])
    assert "--max-tokens" in str(heard)
    assert works(talk, script) == ["before", "go", "after"]


def test_max_tokens_inside_a_tool_call_without_text_is_one_line(talk: Session, script: Scripted) -> None:
    talk.tools.add(lambda a=0: a, name="mark")
    script.raw(*call("", '{"a": 1', stop="max_tokens"))
    with pytest.raises(ModelError) as caught:
        talk.send("go")
    assert "--max-tokens" in one_line(caught.value)
    assert works(talk, script) == ["before", "after"]


@pytest.mark.parametrize("fault", ["cut", "eof", "overloaded", "refusal", "401"])
def test_a_fault_after_tools_ran_is_one_line_and_recorded(talk: Session, script: Scripted, fault: str) -> None:
    talk.tools.add(lambda: 1, name="mark")
    script.tool_call("mark", {}, text="I look.")
    {
        "cut": lambda: script.cut("half"),
        "eof": lambda: script.eof("half"),
        "overloaded": lambda: script.error(200, "overloaded_error", "busy", midstream="half"),
        "refusal": lambda: script.blocks(stop_reason="refusal"),
        "401": lambda: script.error(401, "authentication_error", "no"),
    }[fault]()
    with pytest.raises(ModelError) as caught:
        talk.send("go")
    one_line(caught.value)
    assert works(talk, script) == ["before", "after"]
    assert [turn.prompt for turn in talk.store.failed(talk.id)] == ["go"]


BOUND = (
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)


def thoughts(body: dict[str, Any]) -> list[str]:
    return [block["thinking"] for m in body["messages"] for block in m["content"] if block["type"] == "thinking"]


def test_rule_18_an_invalid_thinking_signature_is_stripped_and_asked_once_more(talk: Session, script: Scripted) -> None:
    script.reply("one", thinking="a thought")
    talk.send("thinking")
    script.error(400, "invalid_request_error", BOUND).reply("two", thinking="another")
    heard: list[Any] = []
    turn = talk.send("go", watch=heard.append)
    assert turn.text == "two"
    assert (thoughts(script.requests[-2]), thoughts(script.requests[-1])) == (["a thought"], [])
    assert "refused the signature" in str(heard)
    works(talk, script)
    assert thoughts(script.requests[-1]) == ["another"], "what is signed for the new prefix stays, the rest stays away"


def test_rule_18_a_signature_that_is_refused_again_is_one_line(talk: Session, script: Scripted) -> None:
    script.reply("one", thinking="a thought")
    talk.send("thinking")
    sent = len(script.requests)
    script.error(400, "invalid_request_error", BOUND).error(400, "invalid_request_error", BOUND)
    with pytest.raises(ModelError) as caught:
        talk.send("go")
    one_line(caught.value)
    assert len(script.requests) == sent + 2
    works(talk, script)


def test_rule_18_a_signature_refused_inside_a_tool_loop_touches_only_closed_turns(
    talk: Session, script: Scripted
) -> None:
    talk.tools.add(lambda: 1, name="mark")
    script.reply("one", thinking="a thought")
    talk.send("thinking")
    script.tool_call("mark", {}, thinking="the open one").error(400, "invalid_request_error", BOUND).reply("two")
    assert talk.send("go").text == "two"
    assert thoughts(script.requests[-1]) == ["the open one"]


def test_a_wrong_base_url_is_one_line_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1/nowhere")
    session = Session.open("notes", tmp_path / "history.db", "local-model", client=Client(pauses=(0.01,)))
    with pytest.raises(ChatError) as caught:
        session.send("hello")
    text = one_line(caught.value)
    assert "http://127.0.0.1:1/nowhere" in text
    assert "ANTHROPIC_BASE_URL" in text
    assert session.send("hello", model="offline").outcome == "complete"
    session.store.close()


def test_a_stop_while_text_streams_keeps_what_was_read(talk: Session, script: Scripted) -> None:
    script.reply("one two three four", chunks=4)
    seen: list[str] = []

    def watch(event: Any) -> None:
        if isinstance(event, Text):
            seen.append(event.text)
            if len(seen) == 2:
                raise KeyboardInterrupt

    with pytest.raises(Stopped) as caught:
        talk.send("go", watch=watch)
    one_line(caught.value)
    assert talk.path()[-1].text == "".join(seen)
    assert script.streams[-1].closed
    assert works(talk, script) == ["before", "go", "after"]
    assert "".join(seen) in json.dumps(script.requests[-1])
