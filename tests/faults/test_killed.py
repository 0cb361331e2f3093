"""SIGKILL: the database opens, the tip is at a boundary, turns are whole, and nothing acknowledged is lost (rule 2);
the prompt that was on its way can be retried (rule 9)."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from kernels import Kernel, Say, opened
from sqlalchemy import event as listen

from jupyter_history.model.events import Text
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Begin
from jupyter_history.session.retry import NothingToRetry, Retryable
from jupyter_history.session.session import Session
from jupyter_history.session.turn import Turn
from jupyter_history.store import Store
from jupyter_history.transcript import problems

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no os.fork here"),
    pytest.mark.usefixtures("warmed"),
]


def sound(file: Path, acknowledged: set[str]) -> int:
    """What must be true of a database whose writer was killed; how many turns it has."""
    with Store.open(file) as store:
        assert store.problems() == []
        conversation = store.conversation("notes")
        heads = store.topology(conversation.id).heads
        assert acknowledged <= {head.id for head in heads}
        assert conversation.tip == (heads[-1].id if heads else None)
        path = store.path(conversation.tip)
        prompt = {"role": "user", "content": [{"type": "text", "text": "And on."}]}
        assert not list(problems([*(message.wire() for turn in path for message in turn.messages), prompt]))
        assert all(turn.messages[-1].role == "assistant" and not turn.messages[-1].calls for turn in path)
        return len(heads)


def test_fifty_kills_at_random_lose_no_turn_that_was_acknowledged(file: Path) -> None:
    opened(file).store.close()
    chance, acknowledged = random.Random(4), set[str]()

    def work(say: Say) -> None:
        script = Scripted()
        session = opened(file, script)
        for n in range(1000):
            began = time.monotonic()
            script.reply("word " * 40, chunks=4, delay=0.001)
            say(session.send(f"Question {n}").id)
            if n == 1:  # the first makes the client, too
                say(f"took {time.monotonic() - began}")

    for _ in range(50):
        kernel = Kernel(work)
        acknowledged |= {kernel.line() or "", kernel.line() or ""}
        took = float((kernel.line() or "").split()[1])
        time.sleep(chance.uniform(0, 3 * took))
        kernel.kill()
        acknowledged |= set(kernel.rest())
        assert kernel.status == -signal.SIGKILL
        sound(file, acknowledged)
    assert len(acknowledged) > 125, "the kills came too early to say anything"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def before_the_request(session: Session, _script: Scripted) -> None:
    session.send("doomed", watch=lambda event: die() if isinstance(event, Begin) else None)


def in_the_middle_of_the_stream(session: Session, _script: Scripted) -> None:
    session.send("doomed", watch=lambda event: die() if isinstance(event, Text) else None)


def between_a_call_and_its_result(session: Session, script: Scripted) -> None:
    script.tool_call("look", {})

    def look() -> str:
        die()
        return "never"

    session.tools.add(look)
    session.send("doomed")


def in_the_commit(session: Session, _script: Scripted) -> None:
    """After the turn and its messages were written, before its place was."""

    def written(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "INSERT INTO visit" in statement:
            die()

    engine = session.store._database._engine
    assert engine is not None
    listen.listen(engine, "before_cursor_execute", written)
    session.send("doomed")


def after_the_commit(session: Session, _script: Scripted) -> None:
    """Before the writer hears of it."""
    commit = session.store.commit

    def committed(*args: Any, **options: Any) -> Any:
        commit(*args, **options)
        die()

    session.store.commit = committed  # type: ignore[method-assign]
    session.send("doomed")


@pytest.mark.parametrize(
    ("stage", "kept"),
    [
        (before_the_request, 1),
        (in_the_middle_of_the_stream, 1),
        (between_a_call_and_its_result, 1),
        (in_the_commit, 1),
        (after_the_commit, 2),
    ],
)
def test_a_kill_at_each_stage_of_a_turn_leaves_whole_turns_and_the_prompt_to_retry(
    file: Path, stage: Any, kept: int
) -> None:
    def work(say: Say) -> None:
        session = opened(file, script := Scripted())
        say(session.send("first").id)
        stage(session, script)

    kernel = Kernel(work)
    acknowledged = set(kernel.rest())
    assert kernel.status == -signal.SIGKILL
    assert sound(file, acknowledged) == kept
    again = opened(file)
    found = again.retryable()
    if kept == 1:
        assert isinstance(found, Retryable)
        assert (found.record.prompt, found.record.parent) == ("doomed", again.tip)
        assert "ended meanwhile" in str(found)
        answered = again.retry()
        assert isinstance(answered, Turn)
        assert again.tree.path(again.tip) == [answered.parent, answered.id]
        found = opened(file).retryable()
    assert isinstance(found, NothingToRetry)
    assert again.send("and on").parent is not None
