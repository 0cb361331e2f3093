"""A whole conversation out of a database and into one, on both kinds. (The formats of files: tests/transfer.)"""

from __future__ import annotations

import pytest
from builders import Writer, assistant, turn, user
from raw import everything

from jupyter_history.errors import BadInput
from jupyter_history.store import Bundle, Overlay, Store


def test_a_conversation_is_brought_whole_under_new_ids(writer: Writer) -> None:
    store = writer.store
    first = writer.ask("One", messages=(user("One"), assistant("x" * 70_000)), cost=0.5)
    second = writer.ask("Two")
    writer.ask("Two!", at=first)
    store.label(second, "good")
    store.add_overlays(writer.conversation, [Overlay("", "elision", f"{first}.0", f"{second}.1", "p", "f", {}, 1.0)])
    store.fail(turn(writer.conversation, "faaaaa", second, "Lost", error="529"))
    writer.refresh()
    writer.move(second)
    bundle = store.bundle(writer.conversation)
    made, ids = store.bring(bundle, "brought")
    copy = store.bundle(made.id)
    assert [each.id for each in copy.turns] == [ids[each.id] for each in bundle.turns]
    assert [each.parent for each in copy.turns] == [ids[each.parent] if each.parent else None for each in bundle.turns]
    assert [[m.wire() for m in each.messages] for each in copy.turns] == [
        [m.wire() for m in each.messages] for each in bundle.turns
    ]
    assert copy.labels == {"good": ids[second]}
    assert copy.visits == tuple((place, ids[at] if at else None) for place, at in bundle.visits)
    assert (copy.overlays[0].first, copy.overlays[0].last) == (f"{ids[first]}.0", f"{ids[second]}.1")
    assert [each.prompt for each in copy.failed] == ["Lost"]
    assert (made.name, made.tip, made.turns, made.cost) == ("brought", ids[second], 3, 0.5)
    assert store.bring(bundle, "brought")[0].name == "brought-2"
    assert store.bundle(writer.conversation) == bundle
    assert store.problems() == []


def test_rule_4_pinned_turns_are_pinned_in_a_fork_and_in_what_is_brought(writer: Writer) -> None:
    first, second = writer.ask(), writer.ask()
    beside = writer.ask(at=first)
    writer.store.configure(writer.conversation, {"model": "x", "pinned": [first, beside]})
    fork, new = writer.store.fork(writer.conversation, second)
    assert fork.settings == {"model": "x", "pinned": [new[first]]}
    made, ids = writer.store.bring(writer.store.bundle(writer.conversation))
    assert made.settings == {"model": "x", "pinned": [ids[first], ids[beside]]}


def test_a_bundle_that_does_not_hang_together_leaves_nothing(store: Store) -> None:
    source = store.create()
    before = everything(store)
    child = turn(source.id, "bbbbbb", "aaaaaa")
    unfinished = turn(source.id, "aaaaaa", messages=(user("q"),))
    for turns in ((child,), (unfinished,)):
        with pytest.raises(BadInput):
            store.bring(Bundle(source, turns))
    with pytest.raises(BadInput, match="cccccc"):
        store.bring(Bundle(source, (turn(source.id, "aaaaaa"),), labels={"x": "cccccc"}))
    assert everything(store) == before
