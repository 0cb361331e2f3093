"""Rule 9: four states are told apart, the same before and after a restart; a retry repeats nothing in the context."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_history.errors import ModelError, Stopped, StoreUnavailable
from jupyter_history.model.events import Done
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.retry import EmptyConversation, NothingToRetry, Retryable
from jupyter_history.session.session import Session
from jupyter_history.session.turn import Turn

Opened = Callable[..., Session]


def prompts(body: dict) -> list[str]:
    return [message["content"][0]["text"] for message in body["messages"] if message["role"] == "user"]


def fail(session: Session, script: Scripted, prompt: str, **settings: object) -> None:
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError):
        session.send(prompt, **settings)  # type: ignore[arg-type]


@pytest.fixture(params=["before a restart", "after a restart"])
def now(request: pytest.FixtureRequest, opened: Opened) -> Callable[[Session], Session]:
    """The session as it is, or as another process finds it."""
    return lambda session: session if request.param == "before a restart" else opened()


def test_rule_9_an_empty_conversation_says_so(session: Session, now: Callable[[Session], Session]) -> None:
    found = now(session).retry()
    assert isinstance(found, EmptyConversation)
    assert "is empty" in str(found)


def test_rule_9_after_a_success_there_is_nothing_to_retry(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    turn = session.send("one")
    assert now(session).retry() == NothingToRetry(turn.id)
    assert len(script.requests) == 1


def test_rule_9_a_failed_first_prompt_is_no_empty_conversation(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    fail(session, script, "one", system="Be brief.")
    found = now(session).retryable()
    assert isinstance(found, Retryable)
    assert (found.record.prompt, found.record.parent, found.stopped) == ("one", None, False)
    turn = now(session).retry()
    assert isinstance(turn, Turn)
    assert (turn.prompt, turn.settings) == ("one", {"system": "Be brief."})
    assert prompts(script.requests[-1]) == ["one"]


def test_rule_9_a_retry_continues_from_the_failed_turns_parent_and_repeats_nothing(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    first = session.send("one")
    session.send("two")
    fail(session, script, "deux", at=first.id)
    turn = now(session).retry()
    assert isinstance(turn, Turn)
    assert turn.parent == first.id
    assert prompts(script.requests[-1]) == ["one", "deux"]
    assert isinstance(now(session).retryable(), NothingToRetry)


def test_rule_9_a_failure_that_fails_again_can_be_retried_again(session: Session, script: Scripted) -> None:
    session.send("one")
    fail(session, script, "two")
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError):
        session.retry()
    assert isinstance(session.retry(), Turn)
    assert prompts(script.requests[-1]) == ["one", "two"]


def test_rule_9_a_failure_is_over_when_the_conversation_went_on(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    session.send("one")
    fail(session, script, "two")
    last = session.send("three")
    assert now(session).retry() == NothingToRetry(last.id)


def test_rule_9_a_failure_is_over_when_its_cell_ran_again(session: Session, script: Scripted) -> None:
    first = session.send("one")
    fail(session, script, "two")
    session.send("two")
    session.branch(first.id)
    assert isinstance(session.retryable(), NothingToRetry)


def test_rule_9_a_stop_before_anything_came_can_be_retried(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    session.send("one")
    script.interrupt()
    with pytest.raises(Stopped):
        session.send("two")
    assert isinstance(now(session).retry(), Turn)
    assert prompts(script.requests[-1]) == ["one", "two"]


def test_rule_9_a_stopped_answer_is_retried_beside_it(
    session: Session, script: Scripted, now: Callable[[Session], Session]
) -> None:
    session.send("one")
    script.interrupt("half an ans")
    with pytest.raises(Stopped) as stop:
        session.send("two")
    turn = now(session).retry()
    assert isinstance(turn, Turn)
    assert stop.value.turn in turn.siblings
    assert prompts(script.requests[-1]) == ["one", "two"]


def test_rule_9_a_failure_that_could_not_be_recorded_can_be_retried_and_is_recorded_with_the_next_turn(
    session: Session, script: Scripted, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = session.send("one")

    def full(*_: object) -> None:
        raise StoreUnavailable("The disk is full.")

    with monkeypatch.context() as disk:
        disk.setattr(session.store, "attempt", full)
        disk.setattr(session.store, "fail", full)
        fail(session, script, "two")
        assert "could not be recorded" in "".join(session.refresh())
        assert isinstance(session.retryable(), Retryable)
        assert isinstance(opened().retryable(), NothingToRetry)
    session.branch(first.id)
    assert isinstance(opened().retryable(), Retryable)


def test_rule_9_a_prompt_that_is_on_its_way_is_none_that_failed(session: Session, opened: Opened) -> None:
    session.send("one")
    seen: list[object] = []

    def look(event: object) -> None:
        if isinstance(event, Done):
            seen.append(opened().retryable())

    session.send("two", watch=look)
    (meanwhile,) = seen
    assert isinstance(meanwhile, Retryable)
    assert "is still at it" in str(meanwhile)
    assert isinstance(opened().retryable(), NothingToRetry)
    assert session.store.failed(session.id) == []


def test_rule_5_another_notebooks_failure_is_not_this_ones(opened: Opened, script: Scripted) -> None:
    here, there = opened(place="here"), opened(place="there")
    turn = here.send("one")
    there.branch(turn.id)
    fail(there, script, "two")
    assert isinstance(here.retryable(), NothingToRetry)
    assert isinstance(there.retryable(), Retryable)
