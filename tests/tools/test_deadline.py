"""A call that does not come back is ended with the turn's time, wherever it runs."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from jupyter_history.errors import Stopped
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.tools import deadline
from jupyter_history.tools.calling import Caller, Result
from jupyter_history.tools.tools import Tool
from jupyter_history.transcript import problems


def spin() -> None:
    while True:
        pass


def wait() -> None:
    time.sleep(9_999)


def catches() -> None:
    while True:
        try:
            time.sleep(9_999)
        except Exception:
            continue


def called(function: Callable[..., Any], seconds: float = 0.2) -> Result:
    return Caller({"f": Tool("f", function)}).run("f", {}, seconds)


def text(result: Result) -> str:
    return "".join(block["text"] for block in result.content)


@pytest.mark.parametrize("function", [spin, wait, catches])
def test_a_call_that_never_returns_is_broken_off_in_the_main_thread(function: Callable[..., Any]) -> None:
    began = time.monotonic()
    result = called(function)
    assert time.monotonic() - began < 5
    assert result.failed
    assert text(result) == "f took longer than the turn had time for (max_seconds). It was broken off."


def test_a_tool_that_catches_everything_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "AGAIN", 0.1)
    caught: list[BaseException] = []

    def stubborn() -> None:
        for _ in range(3):
            try:
                time.sleep(9_999)
            except BaseException as error:
                caught.append(error)
        time.sleep(9_999)

    assert called(stubborn).failed
    assert len(caught) == 3


def test_a_tool_runs_in_the_main_thread_as_a_cell_does() -> None:
    assert text(called(lambda: threading.current_thread() is threading.main_thread(), 900)) == "true"


def test_after_a_call_nothing_rings_and_the_signal_is_as_it_was() -> None:
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        called(lambda: 1, 900)
        called(wait, 0.05)
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_IGN
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_alarm_of_the_users_own_is_left_alone() -> None:
    rang = threading.Event()
    before = signal.signal(signal.SIGALRM, lambda *_: rang.set())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert text(called(lambda: rang.wait(5), 900)) == "true"
        signal.setitimer(signal.ITIMER_REAL, 900)
        assert called(spin).failed
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 800
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_a_call_is_asked_to_end_and_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "GRACE", 0.3)
    let_go = threading.Event()

    def stuck() -> None:
        let_go.wait(30)

    with ThreadPoolExecutor(1) as elsewhere:
        assert text(elsewhere.submit(called, spin).result(10)).endswith("It was broken off.")
        try:
            assert text(elsewhere.submit(called, stuck).result(10)).endswith("It may still be running.")
        finally:
            let_go.set()


def test_a_coroutine_is_cancelled_and_one_that_blocks_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "GRACE", 0.3)
    let_go = threading.Event()
    ended: list[str] = []

    async def forever() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(9_999)
        ended.append("cancelled")

    async def blocks() -> None:
        let_go.wait(30)

    assert text(called(forever)).endswith("It was broken off.")
    assert ended == ["cancelled"]
    try:
        assert text(called(blocks)).endswith("It may still be running.")
    finally:
        let_go.set()


def test_the_turn_ends_at_its_time_with_what_had_come(session: Session, script: Scripted) -> None:
    session.configure(max_seconds=0.3)
    session.tools.add(wait)
    script.tool_call("wait", {}, text="I wait.", more=[("wait", {})])
    with pytest.raises(Stopped, match=r"stopped after 0\.3 s \(max_seconds\)"):
        session.send("go")
    first, second = session.path()[-1].messages[-1].results
    assert "took longer than the turn had time for" in first["content"][0]["text"]
    assert second["content"][0]["text"] == "Not run: the time of this turn is up."
    assert first["is_error"]
    session.send("next")
    assert not list(problems(script.requests[-1]["messages"]))


def test_an_answer_that_streams_on_ends_at_the_turns_time(session: Session, script: Scripted) -> None:
    session.configure(max_seconds=0.4)
    script.reply("tick " * 200, chunks=200, delay=0.05)
    with pytest.raises(Stopped, match="max_seconds"):
        session.send("go")
    assert session.path()[-1].text.startswith("tick tick")
    assert script.streams[-1].closed


def test_time_that_is_up_before_a_word_came_is_said_so_and_can_be_retried(session: Session, script: Scripted) -> None:
    session.configure(max_seconds=0.2)
    script.reply("late", thinking="hm " * 100, delay=0.05)
    with pytest.raises(Exception, match=r"max_seconds.*Nothing had come"):
        session.send("go")
    assert session.path() == []
    assert "failed" in str(session.retryable())
