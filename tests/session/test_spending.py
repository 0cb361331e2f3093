"""What was paid is counted whatever became of it: failed turns, stopped ones, summaries that were written by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jupyter_history.errors import ModelError, Stopped
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.transcript import Usage

PAID = Usage(input=100_000, output=10)
COST = 0.2001
"""Dollars of that, on claude-sonnet-5-5."""


def fill(session: Session) -> None:
    """Turns for a middle that a summary can replace."""
    for n in range(12):
        session.send(f"{n} " + "many words here " * 300, max_tokens=500)
    session.configure(max_tokens=500)


def summary(script: Scripted) -> None:
    """One of that, in three parts."""
    for _ in range(3):
        script.reply("What was said.", usage=PAID)


def stop() -> None:
    raise KeyboardInterrupt


def counted(session: Session, opened: Callable[..., Session]) -> None:
    """Here and after a restart."""
    assert session.cost == pytest.approx(COST)
    again = opened()
    assert again.cost == pytest.approx(COST)
    (spent,) = again.unanswered
    assert (spent.model, spent.usage) == ("claude-sonnet-5-5", PAID)


def test_rule_23_an_interrupt_in_a_first_tool_round_without_text_keeps_nothing_but_its_cost(
    session: Session, script: Scripted, opened: Callable[..., Session]
) -> None:
    session.tools.add(stop)
    script.tool_call("stop", {}, usage=PAID)
    with pytest.raises(
        Stopped, match=r"before anything came; nothing was added to the conversation\. It cost \$0\.2001\."
    ):
        session.send("go")
    assert session.tip is None
    counted(session, opened)


def test_rule_23_an_error_after_a_tool_round_tells_what_the_round_cost(
    session: Session, script: Scripted, opened: Callable[..., Session]
) -> None:
    session.tools.add(lambda: 1, name="one")
    script.tool_call("one", {}, text="I look.", usage=PAID).error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError, match=r"It cost \$0\.2001\.$"):
        session.send("go")
    assert session.tip is None
    counted(session, opened)
    assert "It cost" not in str(session.store.failed(session.id)[0].error)


def test_a_refused_request_costs_nothing_and_says_nothing(session: Session, script: Scripted) -> None:
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError) as caught:
        session.send("go")
    assert "cost" not in str(caught.value)
    assert (session.cost, session.unanswered) == (0.0, [])


def test_a_stream_that_broke_off_is_counted_with_the_output_that_was_seen(session: Session, script: Scripted) -> None:
    script.cut("half an answer " * 20)
    with pytest.raises(ModelError, match="It cost"):
        session.send("go")
    (spent,) = session.unanswered
    assert spent.usage.output == 100


def test_a_stopped_answer_is_counted_with_the_output_that_was_seen(session: Session, script: Scripted) -> None:
    script.interrupt("half an answer " * 20)
    with pytest.raises(Stopped):
        session.send("go")
    assert session.path()[-1].usage.output == 100
    assert session.unanswered == []


def test_max_cost_counts_the_summary_of_the_same_turn_and_the_turn_has_its_cost(
    session: Session, script: Scripted
) -> None:
    session.tools.add(lambda: 1, name="one")
    fill(session)
    before = session.cost
    session.configure(max_cost=0.2)
    summary(script)
    script.tool_call("one", {})
    with pytest.raises(Stopped, match="max_cost"):
        session.send("go", ladder="summary", window=12_000)
    assert session.path()[-1].cost == pytest.approx(session.cost - before)
    assert session.path()[-1].cost > 0.2


def test_rule_23_a_summary_written_by_hand_is_in_the_cost_of_the_conversation(
    session: Session, script: Scripted, opened: Callable[..., Session]
) -> None:
    fill(session)
    session.configure(window=12_000)
    before = session.cost
    summary(script)
    heard: list[object] = []
    session.compact("summary", watch=heard.append)
    assert f"The summary cost ${3 * COST:.4f}" in str(heard)
    assert session.cost == pytest.approx(before + 3 * COST)
    assert opened().cost == pytest.approx(before + 3 * COST)
    session.send("next", ladder="auto")
    assert "What was said." in str(script.requests[-1]["messages"])
    assert len(session.unanswered) == 1
