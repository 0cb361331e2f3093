"""Rules 1, 2, 3, 5: a turn is stored whole, with its place; conflicts become branches; what is stored never changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import Writer, assistant, call, result, tool_exchange, turn, user
from raw import everything, execute, rows
from sqlalchemy.exc import DBAPIError, IntegrityError

from jupyter_history.errors import BadInput, BrokenChain, NotFound
from jupyter_history.store import Basis, Store
from jupyter_history.transcript import DIGEST, Maker, Usage

NEW = Basis(0, 0, None)


def test_a_turn_comes_back_as_it_was_stored(store: Store) -> None:
    conversation = store.create().id
    stored = turn(
        conversation,
        "aaaaaa",
        prompt="Why?",
        messages=(
            user([{"type": "text", "text": "Why?"}, {"type": "image", "source": {"type": "base64", "data": "aGk="}}]),
            assistant(
                [{"type": "thinking", "thinking": "…", "signature": "c2ln"}, call(depth=3, ratio=0.1, big=2**70)]
            ),
            user([result(content="nul \0 in it")]),
            assistant("Because.\r\n\t«é» \U0001f600"),
        ),
        model="claude-x",
        outcome="stopped",
        usage=Usage(1, 2, 3, 4, 5),
        cost=0.25,
        seconds=1.5,
        created=1e9 + 0.125,
        maker=Maker("nb", "cell", 2),
        settings={"model": "x", "max_tokens": 5},
        inherited={"system": "s"},
        context=100,
        window=8000,
        stop_reason="end_turn",
        error="interrupted",
    )
    store.commit(stored, place="nb", basis=NEW)
    assert store.turn("aaaaaa") == stored


def test_the_prompt_is_kept_where_the_message_says_something_else(store: Store) -> None:
    conversation = store.create().id
    stored = turn(conversation, "aaaaaa", prompt="Explain $`df`", messages=(user("Explain 3 rows"), assistant("So.")))
    store.commit(stored, place="nb", basis=NEW)
    assert store.turn("aaaaaa").prompt == "Explain $`df`"


def test_lone_surrogates_are_cleaned_before_they_are_stored(store: Store) -> None:
    conversation = store.create().id
    store.commit(
        turn(
            conversation,
            "aaaaaa",
            prompt="a\ud800",
            messages=(
                user("a\ud800"),
                assistant([call(text="b\udfff")]),
                user([result(content="c\ud83d")]),
                assistant("d"),
            ),
            settings={"system": "e\udc00"},
            error="f\udc00",
        ),
        place="nb",
        basis=NEW,
    )
    back = store.turn("aaaaaa")
    assert back.prompt == back.messages[0].text == "a\ufffd"
    assert back.messages[1].content[0]["input"] == {"text": "b\ufffd"}
    assert back.messages[2].content[0]["content"] == "c\ufffd"
    assert (back.settings, back.error) == ({"system": "e\ufffd"}, "f\ufffd")
    assert store.topology(conversation).heads[0].title == "a\ufffd"


def test_values_nested_deeply_come_back(store: Store) -> None:
    conversation = store.create().id
    value: list[object] = []
    for _ in range(400):
        value = [value]
    store.commit(
        turn(
            conversation,
            "aaaaaa",
            messages=(user("q"), assistant([call(value=value)]), user([result()]), assistant("a")),
        ),
        place="nb",
        basis=NEW,
    )
    assert store.turn("aaaaaa").messages[1].content[0]["input"]["value"] == value


def test_the_tips_move_in_the_transaction_that_stores_the_turn(writer: Writer) -> None:
    id = writer.ask()
    store, conversation = writer.store, writer.conversation
    assert store.conversation(conversation).tip == id
    assert store.place(writer.place, conversation) == (True, id)
    assert [(visit.place, visit.turn) for visit in store.topology(conversation).visits] == [(writer.place, id)]


def test_the_summary_of_a_conversation_grows_with_its_turns(writer: Writer) -> None:
    writer.ask("  First\n prompt " + "x" * 300, cost=0.5)
    writer.ask("Second", cost=None)
    before = writer.basis.revision
    writer.ask("Third", cost=0.25)
    found = writer.store.conversation(writer.conversation)
    assert (found.turns, found.cost, found.revision) == (3, 0.75, writer.basis.revision)
    assert found.revision > before
    assert found.title.startswith("First prompt xxx")
    assert len(found.title) == 160
    assert found.updated > found.created


def test_committing_a_turn_twice_changes_nothing(writer: Writer) -> None:
    writer.ask("First")
    record = turn(writer.conversation, "bbbbbb", writer.tip, "Second")
    done = writer.commit(record)
    before = everything(writer.store)
    again = writer.store.commit(record, place=writer.place, basis=writer.basis)
    assert again.n == done.n
    assert everything(writer.store) == before


def test_an_id_that_another_turn_has_is_refused(writer: Writer) -> None:
    writer.ask("First", id="aaaaaa")
    with pytest.raises(BadInput, match="aaaaaa"):
        writer.ask("Another", id="aaaaaa")
    assert len(writer.store.topology(writer.conversation).heads) == 1


@pytest.mark.parametrize(
    "messages",
    [(), (user("q"),), (user("q"), assistant([call()])), tool_exchange("q")[:3]],
    ids=["nothing", "no answer", "a call without its result", "a result without an answer"],
)
def test_a_turn_that_does_not_end_at_a_boundary_is_refused(writer: Writer, messages: tuple) -> None:
    with pytest.raises(BadInput, match="boundary"):
        writer.ask(id="aaaaaa", messages=messages)
    assert writer.store.topology(writer.conversation).heads == ()


def test_a_stopped_turn_may_end_with_the_results_of_its_calls_rule_24(writer: Writer) -> None:
    writer.ask(id="aaaaaa", messages=tool_exchange("q")[:3], outcome="stopped")
    assert writer.store.turn("aaaaaa").outcome == "stopped"


def test_a_digest_is_whole_though_no_model_answered_and_no_other_such_turn_is(writer: Writer) -> None:
    kept = tool_exchange("Nothing was found.")[:1]
    writer.ask(id="aaaaaa", messages=kept, stop_reason=DIGEST)
    assert writer.store.turn("aaaaaa").outcome == "complete"
    with pytest.raises(BadInput, match="boundary"):
        writer.ask(id="bbbbbb", messages=kept)


def test_a_turn_whose_parent_is_missing_names_both_ids_rule_6(writer: Writer) -> None:
    with pytest.raises(BrokenChain, match=r"bbbbbb.*aaaaaa"):
        writer.ask(id="bbbbbb", at="aaaaaa")


def test_a_turn_cannot_continue_from_another_conversation_rule_6(writer: Writer) -> None:
    other = Writer(writer.store, writer.store.create().id)
    there = other.ask()
    with pytest.raises(BrokenChain, match=f"bbbbbb.*{there}"):
        writer.ask(id="bbbbbb", at=there)


def test_a_turn_of_an_unknown_conversation_is_refused(store: Store) -> None:
    with pytest.raises(NotFound):
        store.commit(turn("nowhere", "aaaaaa"), place="nb", basis=NEW)


def test_an_edit_stands_beside_the_first_answer(writer: Writer) -> None:
    first = writer.ask("One")
    second = writer.ask("Two", at=None)
    heads = writer.store.topology(writer.conversation).heads
    assert [(head.id, head.parent, head.depth) for head in heads] == [(first, None, 1), (second, None, 1)]


def test_a_slower_writer_keeps_its_turn_as_a_branch_and_is_told_rule_5(writer: Writer) -> None:
    root = writer.ask("Root")
    one, two = writer, Writer(writer.store, writer.conversation, place="notebook-2")
    fast = one.ask("Fast")
    done = two.commit(turn(writer.conversation, "bbbbbb", root, "Slow"))
    assert done.beside == (fast,)
    assert not done.moved
    assert {head.id: head.parent for head in writer.store.topology(writer.conversation).heads}["bbbbbb"] == root
    assert writer.store.place(one.place, writer.conversation) == (True, fast)
    assert writer.store.conversation(writer.conversation).tip == "bbbbbb"


def test_own_turns_are_not_reported_as_beside(writer: Writer) -> None:
    writer.ask("One", at=None)
    assert writer.commit(turn(writer.conversation, "bbbbbb", None, "Two")).beside == ()


def test_a_place_moved_by_another_kernel_is_reported_rule_5(writer: Writer) -> None:
    first = writer.ask("First")
    second = writer.ask("Second")
    Writer(writer.store, writer.conversation).move(first)
    done = writer.commit(turn(writer.conversation, "cccccc", second, "Third"))
    assert (done.moved, done.elsewhere) == (True, first)
    assert writer.store.place(writer.place, writer.conversation) == (True, "cccccc")


def test_a_newcomer_is_not_told_that_it_was_moved(writer: Writer) -> None:
    first = writer.ask("First")
    newcomer = Writer(writer.store, writer.conversation, place="notebook-2")
    assert newcomer.tip == first
    writer.ask("Second")
    done = newcomer.commit(turn(writer.conversation, "cccccc", first, "Mine"))
    assert not done.moved


def test_a_large_body_is_kept_once_by_its_hash(writer: Writer) -> None:
    large = "x" * 70_000
    for id in ("aaaaaa", "bbbbbb"):
        writer.ask("q", id=id, messages=(user("q"), assistant(large)))
    assert rows(writer.store, "SELECT count(*) FROM blob") == [(1,)]
    assert rows(writer.store, "SELECT count(*) FROM message WHERE body IS NULL") == [(2,)]
    assert [record.text for record in writer.store.path("bbbbbb")] == [large, large]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE message SET body = NULL",
        "UPDATE turn SET parent = NULL",
        "UPDATE turn SET depth = 1",
        "UPDATE blob SET data = sha",
    ],
)
def test_what_is_stored_cannot_be_updated_rule_10(writer: Writer, statement: str) -> None:
    writer.ask("q", messages=(user("q"), assistant("x" * 70_000)))
    with pytest.raises(DBAPIError, match="never changes"):
        execute(writer.store, statement)


def test_a_failed_outcome_has_no_place_in_the_tree(writer: Writer) -> None:
    with pytest.raises(IntegrityError):
        writer.ask(outcome="failed")
    assert writer.store.conversation(writer.conversation).turns == 0


def test_two_runs_share_a_question_when_the_user_wrote_the_same(writer: Writer) -> None:
    writer.ask("Same", settings={"model": "x", "system": "y"})
    writer.ask("Same", settings={"system": "y", "model": "x"})
    writer.ask("Same", settings={"system": "z", "model": "x"})
    one, two, three = (head.question for head in writer.store.topology(writer.conversation).heads)
    assert one == two != three
    assert len(one) == 16


def test_a_new_id_starts_with_a_letter_and_is_not_taken(store: Store) -> None:
    drawn = {store.new_id() for _ in range(200)}
    assert len(drawn) == 200
    assert all(len(id) == 6 and id[0].isalpha() and id.isalnum() for id in drawn)


def test_the_outcome_of_a_turn_survives_reopening(where: str | Path) -> None:
    with Store.open(where) as store:
        writer = Writer(store, store.create("kept").id)
        record = turn(writer.conversation, "aaaaaa", outcome="stopped")
        writer.commit(record)
    with Store.open(where) as store:
        assert store.turn("aaaaaa") == replace(record, conversation=writer.conversation)
        assert store.conversation("kept").tip == "aaaaaa"
        assert store.problems() == []
