"""A resumed conversation is cut at a turn, said once, complete and without thinking; an uncut one is not touched."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from builders import Writer, assistant, call, result, turn, user
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Note
from jupyter_history.session.resume import Window, survive
from jupyter_history.session.session import Session
from jupyter_history.session.standing import Standing
from jupyter_history.store import Store
from jupyter_history.store.records import Checkpoint, Marks
from jupyter_history.transcript import Block, problems

Opened = Callable[..., Session]
NEXT = {"role": "user", "content": [{"type": "text", "text": "go on"}]}


def unmarked(messages: list[dict[str, Any]]) -> str:
    clean = [
        {**m, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in m["content"]]}
        for m in messages
    ]
    return json.dumps(clean, ensure_ascii=False)


def thoughts(body: dict[str, Any]) -> list[str]:
    return [block["thinking"] for m in body["messages"] for block in m["content"] if block["type"] == "thinking"]


def prompts(body: dict[str, Any]) -> list[str]:
    return [
        m["content"][0]["text"] for m in body["messages"] if m["role"] == "user" and m["content"][0]["type"] == "text"
    ]


def talk(session: Session, script: Scripted, turns: int) -> None:
    for n in range(turns):
        script.reply(f"answer {n}", thinking=f"thought {n}")
        session.send(f"question {n}")


def notes(session: Session, prompt: str) -> list[str]:
    heard: list[Any] = []
    session.send(prompt, watch=heard.append)
    return [event.text for event in heard if isinstance(event, Note) and event.text.startswith("Loaded")]


def test_rule_12_an_uncut_resume_sends_a_byte_identical_prefix_tools_bytes_and_signed_thinking_included(
    opened: Opened, script: Scripted
) -> None:
    def look(b: int, a: str, c: float) -> str:
        return "ünïcode \x00 日本語 \ud800 {}"

    first = opened()
    first.tools.add(look)
    script.tool_call("look", {"b": 2**60, "a": "é  \\u00e9", "c": 1.0}, thinking="a signed thought").reply(
        "seen", thinking="another"
    )
    first.send("one")
    first.send("two")
    later = opened()
    later.tools.add(look)
    later.send("three")
    sent, resumed = script.requests[-2:]
    assert unmarked(resumed["messages"]).startswith(unmarked(sent["messages"])[:-1])
    assert thoughts(resumed) == ["a signed thought", "another"]
    assert unmarked([{"content": resumed["tools"]}]) == unmarked([{"content": sent["tools"]}])


def test_rule_12_a_cut_resume_strips_thinking_and_keeps_what_is_signed_after_it(
    opened: Opened, script: Scripted
) -> None:
    talk(opened(), script, 5)
    later = opened(window=Window(messages=4))
    script.reply("new", thinking="a new thought")
    later.send("question 5")
    assert prompts(script.requests[-1]) == ["question 3", "question 4", "question 5"]
    assert thoughts(script.requests[-1]) == []
    later.send("question 6")
    assert prompts(script.requests[-1]) == ["question 3", "question 4", "question 5", "question 6"], "it stays there"
    assert thoughts(script.requests[-1]) == ["a new thought"]
    assert not list(problems(script.requests[-1]["messages"]))


def test_what_is_left_out_is_said_once_and_can_be_loaded(opened: Opened, script: Scripted) -> None:
    talk(opened(), script, 5)
    later = opened(window=Window(messages=4))
    assert notes(later, "now") == ["Loaded are the newest 2 of 5 turns; `%chat load` loads the rest too."]
    assert notes(later, "and now") == []
    later.load_all()
    later.send("all")
    assert prompts(script.requests[-1])[0] == "question 0"
    assert thoughts(script.requests[-1]) == [], "what was signed for a part is not valid for the whole"
    assert len(later.path()) == 8, "looking shows all of it in any case"


def test_the_window_is_in_tokens_too(opened: Opened, script: Scripted) -> None:
    session = opened()
    for n in range(4):
        session.send(f"{n}" + "x" * 3_000)
    later = opened(window=Window(tokens=2_500))
    later.send("now")
    assert [prompt[0] for prompt in prompts(script.requests[-1])] == ["2", "3", "n"]


def test_the_newest_turn_is_loaded_however_large(opened: Opened, script: Scripted) -> None:
    opened().send("x" * 30_000)
    opened(window=Window(messages=1, tokens=10)).send("now")
    assert len(prompts(script.requests[-1])) == 2


def test_recall_reaches_turns_that_were_not_loaded(opened: Opened, script: Scripted) -> None:
    session = opened()
    for n in range(6):
        session.send(f"question {n}" + " and more words to it" * 20)
    later = opened(window=Window(messages=4))
    script.tool_call("recall", {"turn": "T002"}, more=[("recall", {"turn": "T006"}), ("recall", {"turn": "T009"})])
    later.send("what was the second question?")
    told = [result["content"][0]["text"] for result in script.requests[-1]["messages"][-1]["content"]]
    assert "question 1 and more words" in told[0]
    assert "question 5" in told[1]
    assert told[2] == "There is no turn T009 on this path; turns are T001 to T006."
    assert "question 1" not in str(script.requests[-2]["messages"])


def test_looking_at_a_turn_shows_the_part_that_was_sent(opened: Opened, script: Scripted) -> None:
    talk(opened(), script, 5)
    turn = opened(window=Window(messages=4)).send("now")
    assert unmarked(opened().request(turn=turn.id)["messages"]) == unmarked(script.requests[-1]["messages"])


def test_a_conversation_is_not_cut_while_it_grows(opened: Opened, script: Scripted) -> None:
    session = opened(window=Window(messages=4))
    talk(session, script, 5)
    assert len(prompts(script.requests[-1])) == 5


def test_rule_8_a_checkpoint_whose_target_is_not_loaded_is_dropped_and_named(opened: Opened, script: Scripted) -> None:
    session = opened()
    for n in range(5):
        session.send(f"question {n}")
        session.checkpoint(f"mark-{n}")
    later = opened(window=Window(messages=4))
    heard = notes(later, "now")
    assert heard[0].endswith("Checkpoints that went with them: mark-0, mark-1.")
    assert sorted(later.checkpoints) == ["mark-2", "mark-3", "mark-4"], "the boundary before the first one stays"
    later.load_all()
    assert len(later.checkpoints) == 5


WORDS = st.sampled_from(["short", "x" * 300, "y" * 3_000])
TURN = st.tuples(WORDS, st.integers(0, 3), st.booleans(), st.integers(0, 30))
"""A prompt, rounds of tools, whether it thinks, and how far back (of the turns so far) it continues from."""


def story(prompt: str, rounds: int, thinks: bool) -> tuple[Any, ...]:
    thought: list[Block] = [{"type": "thinking", "thinking": "hm", "signature": "s"}] if thinks else []
    told = [user(prompt)]
    for n in range(rounds):
        told += [assistant([*thought, call(f"c{n}")]), user([result(f"c{n}", prompt)])]
    return (*told, assistant([*thought, {"type": "text", "text": "done"}]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(TURN, min_size=1, max_size=12),
    st.integers(0, 30),
    st.integers(1, 20),
    st.sampled_from([50, 500, 5_000, 1_000_000]),
    st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=6),
)
def test_rules_8_11_12_for_every_tree_tip_and_window(
    turns: list[tuple[str, int, bool, int]],
    where: int,
    messages: int,
    tokens: int,
    marks: list[tuple[int, bool]],
) -> None:
    """What is loaded is valid, a suffix of the path, not empty; the checkpoints are exactly those that survived."""
    with Store.open(":memory:") as store:
        conversation = store.create()
        writer = Writer(store, conversation.id)
        ids: list[str] = []
        for prompt, rounds, thinks, back in turns:
            parent = ([None, *ids][::-1])[back % (len(ids) + 1)]
            ids.append(writer.ask(prompt, at=parent, messages=story(prompt, rounds, thinks)))
        set_ = [
            Checkpoint(f"m{n}", [None, *ids][target % (len(ids) + 1)], ids[-1], consumed)
            for n, (target, consumed) in enumerate(marks)
        ]
        ids.append(store.new_id())
        extra = turn(conversation.id, ids[-1], ids[-2], messages=story("last", 1, True))
        store.commit(extra, place=writer.place, basis=writer.basis, marks=Marks(checkpoints=tuple(set_)))
        window = Window(messages, tokens)
        standing = Standing(store, store.conversation(conversation.id), "", window)
        tip = ids[where % len(ids)]
        path = standing.tree.path(tip)
        loaded = standing.loaded(tip)
        assert loaded
        assert [each.id for each in loaded] == path[len(path) - len(loaded) :]
        wire = [message.wire() for each in loaded for message in each.messages]
        assert not list(problems([*wire, NEXT]))
        assert loaded == store.path(tip, messages, tokens), "as much as fits, and at least one turn"
        begin = len(path) - len(loaded)
        boundaries = set(path[begin - 1 if begin else 0 :]) | ({None} if not begin else set())
        expected = {each.label for each in set_ if not each.consumed and each.target in boundaries}
        assert set(standing.checkpoints(tip)) == expected
        assert standing.loaded(tip) == loaded, "it stays where it begins"


def test_the_window_of_nothing_is_nothing() -> None:
    with Store.open(":memory:") as store:
        assert Standing(store, store.create(), "", Window(1, 1)).loaded(None) == []
    assert survive([], [], 0) == ({}, ())


@pytest.mark.parametrize("window", [None, Window()])
def test_without_a_need_nothing_is_cut(script: Scripted, window: Window | None) -> None:
    with Store.open(":memory:") as store:
        session = Session(
            store, store.create(), client=Client(transport=script), model="claude-sonnet-5-5", window=window
        )
        talk(session, script, 3)
        assert prompts(script.requests[-1]) == ["question 0", "question 1", "question 2"]
