"""What is kept beside the tree: turns that failed (rule 9), and the ladder's decisions (rule 10)."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Writer, turn

from jupyter_history.errors import NotFound
from jupyter_history.store import Overlay, Store
from jupyter_history.transcript import Maker, Usage


def test_a_failed_turn_is_recorded_off_the_path_and_survives_a_restart(writer: Writer, where: str | Path) -> None:
    parent = writer.ask()
    failed = turn(
        writer.conversation,
        "ffffff",
        parent,
        "Why \0 \ud800?",
        usage=Usage(1, 2),
        maker=Maker("nb", "cell", 1),
        settings={"model": "x"},
        error="overloaded",
    )
    writer.store.fail(failed)
    writer.store.fail(failed)
    writer.store.close()
    with Store.open(where) as store:
        (back,) = store.failed(writer.conversation)
        assert (back.outcome, back.messages, back.prompt) == ("failed", (), "Why \0 \ufffd?")
        assert (back.parent, back.maker, back.settings, back.error, back.usage) == (
            parent, failed.maker, {"model": "x"}, "overloaded", failed.usage
        )  # fmt: skip
        assert [head.id for head in store.topology(writer.conversation).heads] == [parent]
        assert store.conversation(writer.conversation).tip == parent


def test_a_conversation_without_failures_has_none(writer: Writer) -> None:
    writer.ask()
    assert writer.store.failed(writer.conversation) == []


def test_a_decision_of_the_ladder_comes_back_as_it_was(writer: Writer) -> None:
    first, second = writer.ask(), writer.ask()
    decisions = [
        Overlay("", "elision", f"{first}.0", f"{first}.1", "policy", "profile", {"stub": "\ud800", "n": [1]}, 1.5),
        Overlay(f"{second}.1", "summary", f"{first}.0", f"{second}.0", "policy", "profile", {}, 2.5),
    ]
    writer.store.add_overlays(writer.conversation, decisions)
    back = writer.store.overlays(writer.conversation)
    assert back[1] == decisions[1]
    assert back[0].payload == {"stub": "\ufffd", "n": [1]}
    assert (back[0].anchor, back[0].first, back[0].last) == ("", f"{first}.0", f"{first}.1")


@pytest.mark.parametrize("wrong", ["zzzzzz.0", "{}.9", "{}", "{}.x", "elsewhere"])
def test_a_decision_about_a_message_that_is_not_there_is_refused_whole(writer: Writer, wrong: str) -> None:
    id = writer.ask()
    other = Writer(writer.store, writer.store.create().id)
    target = f"{other.ask()}.0" if wrong == "elsewhere" else wrong.format(id)
    good = Overlay("", "elision", f"{id}.0", f"{id}.1", "p", "f", {}, 1.0)
    with pytest.raises(NotFound):
        writer.store.add_overlays(
            writer.conversation, [good, Overlay("", "elision", target, f"{id}.1", "p", "f", {}, 1.0)]
        )
    assert writer.store.overlays(writer.conversation) == []
