"""Batches on their way: in the store before they are sent, whatever becomes of the kernel; prompts on their way too."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Writer, turn

from jupyter_history.errors import NotFound
from jupyter_history.store import Store

ASKED = {"prompt": "Why \ud800?", "points": {"aaaaaa": {"settings": {"model": "x"}}}}


def test_a_batch_is_there_before_it_is_sent_and_after_a_restart(writer: Writer, where: str | Path) -> None:
    made = writer.store.begin_batch(writer.conversation, ASKED)
    writer.store.close()
    with Store.open(where) as store:
        (found,) = store.batches(writer.conversation)
        assert found == made
        assert (found.provider, found.state) == (None, "sending")
        assert found.asked == {**ASKED, "prompt": "Why \ufffd?"}


def test_a_batch_is_sent_then_filed_and_no_longer_on_its_way(writer: Writer) -> None:
    store = writer.store
    first, second = (store.begin_batch(writer.conversation, {"n": n}) for n in range(2))
    store.batch_sent(first.id, "msgbatch_1")
    assert [(each.id, each.provider, each.state) for each in store.batches(writer.conversation)] == [
        (first.id, "msgbatch_1", "waiting"),
        (second.id, None, "sending"),
    ]
    store.close_batch(first.id)
    store.close_batch(second.id, "refused")
    assert store.batches(writer.conversation) == []
    assert [each.state for each in store.batches(writer.conversation, closed=True)] == ["filed", "refused"]


def test_what_was_closed_stays_closed_whoever_is_late(writer: Writer) -> None:
    """Two kernels file the same batch."""
    made = writer.store.begin_batch(writer.conversation, {})
    writer.store.close_batch(made.id, "dropped")
    writer.store.close_batch(made.id)
    writer.store.batch_sent(made.id, "msgbatch_1")
    (found,) = writer.store.batches(writer.conversation, closed=True)
    assert (found.provider, found.state) == (None, "dropped")


def test_a_batch_of_nothing_known_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        store.begin_batch("nowhere", {})
    with pytest.raises(NotFound, match="zzzz"):
        store.batch_sent("zzzz", "msgbatch_1")
    with pytest.raises(NotFound, match="zzzz"):
        store.close_batch("zzzz")


def test_a_batch_does_not_travel_with_a_fork_or_an_export(writer: Writer) -> None:
    id = writer.ask()
    writer.store.begin_batch(writer.conversation, {})
    fork, _ = writer.store.fork(writer.conversation, id)
    brought, _ = writer.store.bring(writer.store.bundle(writer.conversation), "brought")
    assert writer.store.batches(fork.id) == writer.store.batches(brought.id) == []


def test_a_batch_that_was_noted_in_memory_comes_home(tmp_path: Path) -> None:
    (tmp_path / "history.db").mkdir()
    store = Store.stand_in(tmp_path / "history.db", reason="away")  # type: ignore[arg-type]
    conversation = store.create().id
    made = store.begin_batch(conversation, ASKED)
    (tmp_path / "history.db").rmdir()
    assert store.come_back()
    assert store.batches(conversation) == [made]
    store.close()


def test_a_prompt_on_its_way_is_what_a_killed_kernel_leaves(writer: Writer, where: str | Path) -> None:
    writer.store.attempt(turn(writer.conversation, "bbbbbb", None, "Lost?"))
    writer.store.close()
    with Store.open(where) as store:
        (left,) = store.failed(writer.conversation)
        assert (left.id, left.prompt, left.error) == ("bbbbbb", "Lost?", None)
        assert store.topology(writer.conversation).heads == ()


def test_a_prompt_that_was_answered_failed_or_was_not_sent_is_no_longer_on_its_way(writer: Writer) -> None:
    answered, failed, unsent = (turn(writer.conversation, id, None, id) for id in ("bbbbbb", "cccccc", "dddddd"))
    for each in (answered, failed, unsent):
        writer.store.attempt(each)
    writer.commit(answered)
    writer.store.fail(turn(writer.conversation, "cccccc", None, "cccccc", error="overloaded"))
    writer.store.withdraw("dddddd")
    assert [(each.id, each.error) for each in writer.store.failed(writer.conversation)] == [("cccccc", "overloaded")]
