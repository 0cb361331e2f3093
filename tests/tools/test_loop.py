"""The loop over tools: what runs, what the model gets, where a turn ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from PIL import Image

import jupyter_history
from jupyter_history.errors import BadInput, ModelError, NotFound, Stopped
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import ToolFinished, ToolStarted
from jupyter_history.session.exchange import INTERRUPTED
from jupyter_history.session.session import Session
from jupyter_history.transcript import Maker, Usage, problems

Opened = Callable[..., Session]


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def tools_of(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", ())]


def results_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The results in the last message of a request."""
    return [block for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]


def said(result: dict[str, Any]) -> str:
    return "".join(part["text"] for part in result["content"] if part["type"] == "text")


def test_a_call_runs_and_the_answer_goes_on(session: Session, script: Scripted) -> None:
    session.tools.add(add)
    script.tool_call("add", {"a": 2, "b": 40}, text="Let me see.").reply("It is 42.")
    turn = session.send("what is 2 + 40?")
    assert said(results_of(script.requests[1])[0]) == "42"
    assert turn.text == "Let me see.\n\nIt is 42."
    assert [message.role for message in turn.messages] == ["user", "assistant", "user", "assistant"]
    assert not list(problems(script.requests[1]["messages"]))
    session.send("and now?")
    assert not list(problems(script.requests[2]["messages"]))


def test_calls_of_one_answer_all_have_results_in_their_order(session: Session, script: Scripted) -> None:
    session.tools.add(add)
    script.tool_call(
        "add", {"a": 1, "b": 1}, more=[("add", {"a": "x", "b": 1}), ("gone", {}), ("add", {"a": 2, "b": 2})]
    )
    session.send("go")
    first, second, third, fourth = results_of(script.requests[1])
    assert (said(first), said(fourth)) == ("2", "4")
    assert second["is_error"]
    assert third["is_error"]
    assert "a: Input should be a valid integer" in said(second)
    assert "There is no tool 'gone'" in said(third)
    assert "is_error" not in first


def test_registered_tools_are_offered_and_an_option_chooses(session: Session, script: Scripted) -> None:
    jupyter_history.tool(add)
    session.tools.add(lambda: 1, name="one")
    session.send("all")
    session.send("some", tools="one")
    session.send("none", tools="none", checkpoints=False, ladder="off")
    assert {"add", "one"} <= set(tools_of(script.requests[0]))
    assert "add" not in tools_of(script.requests[1])
    assert tools_of(script.requests[2]) == []
    with pytest.raises(NotFound, match="no tool 'two'; there are add, one"):
        session.send("other", tools=["two"])
    assert len(script.requests) == 3


def test_registered_tools_are_inherited_and_never_cause_a_call_on_a_rerun(opened: Opened, script: Scripted) -> None:
    maker = Maker("nb", "cell")
    session = opened(place="nb")
    session.tools.add(add)
    first = session.run(maker, "what?", {})
    later = opened(place="nb")
    later.tools.add(lambda: 1, name="one")
    again = later.run(maker, "what?", {})
    assert (again.stored, again.turn.id) == (True, first.turn.id)
    assert "Answered with add; registered now: one." in again.notes[0]
    assert len(script.requests) == 1
    chosen = later.run(maker, "what?", {"tools": ["one"]})
    assert not chosen.stored, "what the user wrote is part of the question"


def test_looking_at_a_turn_shows_the_tools_it_was_given(opened: Opened, script: Scripted) -> None:
    session = opened()
    session.tools.add(add)
    turn = session.send("one")
    sent = tools_of(script.requests[0])
    assert "add" in sent
    assert tools_of(opened().request(turn=turn.id)) == sent


@pytest.mark.parametrize("stop", ["max_tokens", "end_turn", "refusal"])
def test_tools_run_only_on_a_stop_for_them(session: Session, script: Scripted, stop: str) -> None:
    ran: list[int] = []
    session.tools.add(lambda: ran.append(1), name="mark")
    call = {"type": "tool_use", "id": "t1", "name": "mark", "input": {}}
    script.blocks({"type": "text", "text": "words"}, call, stop_reason=stop)
    with pytest.raises(ModelError, match="declined") if stop == "refusal" else nullcontext():
        turn = session.send("go")
        assert turn.text == "words"
        assert not [call for message in turn.messages for call in message.calls]
    assert ran == []
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


def test_what_runs_is_told_while_it_runs(session: Session, script: Scripted) -> None:
    session.tools.add(add)
    script.tool_call("add", {"a": 2, "b": 3}, id="t1")
    heard: list[Any] = []
    session.send("go", watch=heard.append)
    started = next(event for event in heard if isinstance(event, ToolStarted))
    finished = next(event for event in heard if isinstance(event, ToolFinished))
    assert (started.id, started.name, dict(started.arguments)) == ("t1", "add", {"a": 2, "b": 3})
    assert (finished.id, finished.failed, finished.content[0]["text"]) == ("t1", False, "5")


def test_an_image_result_is_an_image_block_and_words_for_a_model_that_sees_none(
    session: Session, script: Scripted
) -> None:
    session.tools.add(lambda: Image.new("RGB", (30, 20)), name="draw")
    script.tool_call("draw", {})
    session.send("go")
    assert results_of(script.requests[1])[0]["content"][0]["type"] == "image"


def test_a_long_result_is_shortened_and_recall_shows_the_rest_in_later_turns_too(
    opened: Opened, script: Scripted
) -> None:
    session = opened()
    whole = "".join(f"line {n}\n" for n in range(20_000))
    session.tools.add(lambda: whole, name="read")
    script.tool_call("read", {})
    session.send("go")
    short = said(results_of(script.requests[1])[0])
    assert len(short) < 31_000
    name = short.split('recall(result="')[1].split('"')[0]
    script.tool_call("recall", {"result": name, "from": 100_000})
    later = opened()
    later.send("what is in the middle?")
    shown = said(results_of(script.requests[-1])[0])
    assert shown.startswith(whole[100_000:100_500])
    script.tool_call("recall", {"result": "r0000000000000000"})
    later.send("and this?")
    assert results_of(script.requests[-1])[0]["is_error"]


def test_rounds_are_capped_and_the_turn_is_stored_with_the_reason(session: Session, script: Scripted) -> None:
    session.configure(max_rounds=3)
    session.tools.add(add)
    for _ in range(5):
        script.tool_call("add", {"a": 1, "b": 1})
    with pytest.raises(Stopped, match=r"stopped after 3 rounds \(max_rounds\)\. What had come is kept as"):
        session.send("go")
    assert len(script.requests) == 3
    assert session.path()[-1].outcome == "stopped"
    script._queue.clear()
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


def test_cost_is_capped(session: Session, script: Scripted) -> None:
    session.configure(max_cost=0.5)
    session.tools.add(add)
    script.tool_call("add", {"a": 1, "b": 1}, usage=Usage(input=300_000, output=10))
    with pytest.raises(Stopped, match=r"has cost \$0\.60: stopped at its limit \(max_cost\)"):
        session.send("go")
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("max_rounds", 0), ("max_rounds", 1.5), ("max_cost", "much"), ("max_seconds", -1)]
)
def test_a_limit_that_is_none_is_refused(session: Session, name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        session.configure(**{name: value})


def test_limits_are_no_part_of_the_question(session: Session, script: Scripted) -> None:
    maker = Maker("nb", "cell")
    session.run(maker, "what?", {})
    session.configure(max_cost=5)
    assert session.run(maker, "what?", {}).stored


def test_results_are_shortened_to_fit_the_window_before_they_are_sent(session: Session, script: Scripted) -> None:
    session.tools.add(lambda: "many words here " * 1500, name="read")
    script.tool_call("read", {}, more=[("read", {}), ("read", {})])
    session.send("go", window=8_000, checkpoints=False)
    sent = [said(result) for result in results_of(script.requests[1])]
    assert all("characters left out; recall(result=" in text for text in sent)
    assert sum(map(len, sent)) < 7_000 * 4


def test_a_loop_that_outgrows_the_window_ends_at_a_boundary_and_retry_begins_with_the_ladder(
    session: Session, script: Scripted
) -> None:
    session.send("a word " * 2000)
    session.tools.add(lambda: "many words here " * 1500, name="read")
    script.tool_call("read", {}, usage=Usage(input=17_400, output=95))
    with pytest.raises(Stopped, match="outgrew the window"):
        session.send("go", window=20_000)
    assert len(script.requests) == 2
    turn = session.path()[-1]
    assert (turn.outcome, turn.messages[-1].role) == ("stopped", "user")
    retried = session.retry()
    assert isinstance(retried, jupyter_history.Turn)
    assert retried.parent == turn.parent
    assert [m["role"] for m in script.requests[-1]["messages"]].count("user") >= 1


def test_rule_24_an_interrupt_inside_a_tool_closes_the_turn_at_a_boundary(session: Session, script: Scripted) -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    session.tools.add(stop)
    session.tools.add(add)
    script.tool_call("add", {"a": 1, "b": 1}, text="I look.", more=[("stop", {}), ("add", {"a": 2, "b": 2})])
    with pytest.raises(Stopped):
        session.send("go")
    turn = session.path()[-1]
    first, second, third = turn.messages[-1].results
    assert said(first) == "2"
    assert [said(result) for result in (second, third)] == [INTERRUPTED, INTERRUPTED]
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))
    assert "I look." in str(script.requests[-1]["messages"])


def test_rule_24_an_interrupt_between_rounds_keeps_what_ran(session: Session, script: Scripted) -> None:
    session.tools.add(add)
    script.tool_call("add", {"a": 1, "b": 1})

    def watch(event: Any) -> None:
        if isinstance(event, ToolFinished):
            raise KeyboardInterrupt

    with pytest.raises(Stopped):
        session.send("go", watch=watch)
    assert session.path()[-1].messages[-1].results
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


def test_a_pause_is_taken_up_again_in_the_same_message(session: Session, script: Scripted) -> None:
    script.blocks({"type": "text", "text": "first half, "}, stop_reason="pause_turn").reply("second half")
    turn = session.send("go")
    assert script.requests[1]["messages"][-1]["role"] == "assistant"
    assert turn.text == "first half, second half"
    assert [message.role for message in turn.messages] == ["user", "assistant"]
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


def test_pauses_end(session: Session, script: Scripted) -> None:
    for _ in range(10):
        script.blocks({"type": "text", "text": "more "}, stop_reason="pause_turn")
    with pytest.raises(Stopped, match="paused more than 5 times"):
        session.send("go")
    assert len(script.requests) == 6


def test_rule_19_images_over_the_limit_of_a_request_become_words(session: Session, script: Scripted) -> None:
    session.tools.add(lambda: [Image.new("RGB", (2, 2)) for _ in range(70)], name="draw")
    for _ in range(2):
        script.tool_call("draw", {})
    session.send("go", model="claude-haiku-4-5")
    sent = script.requests[-1]["messages"]
    kinds = [part["type"] for message in sent for block in message["content"] for part in block.get("content", ())]
    assert kinds == ["image"] * 70 + ["text"] * 70
    assert "there was no room for it" in said(results_of(script.requests[-1])[0])


def test_a_result_of_100_megabytes_is_shortened_and_not_kept(session: Session, script: Scripted) -> None:
    session.tools.add(lambda: "x" * 100_000_000, name="read")
    script.tool_call("read", {})
    session.send("go")
    short = said(results_of(script.requests[1])[0])
    assert len(short) < 31_000
    assert "of 100,000,000 characters left out; the rest is not kept" in short


def test_rule_24_an_interrupt_while_the_answer_is_stored_waits_until_it_is(
    session: Session, script: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = session.store.commit

    def interrupted(*args: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        return commit(*args, **options)

    monkeypatch.setattr(session.store, "commit", interrupted)
    with pytest.raises(Stopped, match="The answer had come, and is kept") as stop:
        session.send("go")
    assert session.store.turn(str(stop.value.turn)).text == "ok 1"
    assert session.tip == stop.value.turn
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
