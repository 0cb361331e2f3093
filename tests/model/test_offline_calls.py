"""The offline reader makes the calls that a prompt writes, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_history.model.client import Client
from jupyter_history.model.offline.calls import written
from jupyter_history.session.session import Session
from jupyter_history.tools.tools import Tool


def look(word: str, most: int = 5) -> str:
    """Look a word up in the corpus."""
    lines = ["owls hunt at night", "owls sleep by day", "bees hunt for nothing"]
    return "\n".join([line for line in lines if word in line][:most])


def broken() -> None:
    raise ValueError("no such corpus")


TOOLS = [Tool("look", look).definition, Tool("broken", broken).definition]


@pytest.mark.parametrize(
    ("prompt", "calls", "rest"),
    [
        ('look("owl")', [("look", {"word": "owl"})], ""),
        ("What hunts? look('owl', 2), please.", [("look", {"word": "owl", "most": 2})], "What hunts? , please."),
        ('look(word="a (b) c", most=1)', [("look", {"word": "a (b) c", "most": 1})], ""),
        ("broken() and look('x')", [("broken", {}), ("look", {"word": "x"})], " and "),
        ("look(owl)", [], "look(owl)"),
        ("look('a', 1, 2)", [], "look('a', 1, 2)"),
        ("outlook('a') and self.look('a')", [], "outlook('a') and self.look('a')"),
        ("```\nlook('a')\n```\nWhat is that?", [], "```\nlook('a')\n```\nWhat is that?"),
        ("look at this (please)", [], "look at this (please)"),
    ],
)
def test_a_call_is_a_name_of_a_tool_with_literals(prompt: str, calls: list[Any], rest: str) -> None:
    found, left = written(prompt, TOOLS)
    assert [(call.name, call.input) for call in found] == calls
    assert left == rest
    assert written(prompt, []) == ([], prompt)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session.open("notes", tmp_path / "history.db", "offline", client=Client())
    made.tools.add(look)
    made.tools.add(broken)
    return made


def shape(session: Session) -> list[str]:
    return [
        f"{message.role}:{'+'.join(call['name'] for call in message.calls)}" for message in session.path()[-1].messages
    ]


def test_a_call_that_the_prompt_writes_runs_and_its_result_is_quoted(session: Session) -> None:
    session.send("Owls hunt mice, it is said, and hunt them well.")
    turn = session.send('What hunts at night? look("hunt")')
    assert shape(session) == ["user:", "assistant:look", "user:", "assistant:"]
    assert turn.messages[1].calls[0]["input"] == {"word": "hunt"}
    assert "> owls hunt at night\n>\n> — *message 5, tool result*" in turn.text
    assert "not a language model" in turn.text


def test_calls_are_made_one_after_the_other_and_the_same_one_twice_where_it_stands_twice(session: Session) -> None:
    session.send("look('owl', 1) then look('bee') then look('owl', 1)")
    assert shape(session)[1::2] == ["assistant:look", "assistant:look", "assistant:look", "assistant:"]
    calls = [call["input"] for message in session.path()[-1].messages for call in message.calls]
    assert calls == [{"word": "owl", "most": 1}, {"word": "bee"}, {"word": "owl", "most": 1}]


def test_a_bare_call_is_answered_with_what_it_brought(session: Session) -> None:
    assert "> bees hunt for nothing" in session.send('look("bee")').text
    assert "> ValueError: no such corpus" in session.send("broken()").text


def test_without_a_call_in_the_prompt_none_is_made(session: Session) -> None:
    session.send("Owls hunt at night.")
    session.send("look('owl')", tools="none")
    assert shape(session) == ["user:", "assistant:"]
    session.send("Please look for owls with look.")
    assert shape(session) == ["user:", "assistant:"]
    session.send("What hunts at night?")
    assert shape(session) == ["user:", "assistant:"]


def test_an_exploration_can_be_marked_and_rewound_and_the_answer_is_from_the_digest(session: Session) -> None:
    first = session.send("We study animals.")
    turn = session.send(
        'checkpoint("start") look("hunt") rewind("start", "Owls hunt at night, the corpus says.") What hunts at night?'
    )
    assert turn.parent == first.id
    assert shape(session) == ["user:", "assistant:"]
    assert "> Owls hunt at night, the corpus says." in turn.text
    (explored,) = [id for id in session.siblings(turn.id) if id != turn.id]
    assert [call["name"] for message in session.turn(explored).messages for call in message.calls] == [
        "checkpoint",
        "look",
        "rewind",
    ]
    assert session.checkpoints == {}
    assert "checkpoint" not in str(session.request("next")["tools"]), "no other prompt pays for these tools"


def test_recall_can_be_written_too(session: Session) -> None:
    session.send("The incubator opens with the code K7.")
    session.send("And the weather is fine.")
    turn = session.send('Which code? recall("T001")')
    assert turn.messages[1].calls[0]["name"] == "recall"
    assert "K7" in turn.text
    assert "message 7, recall: T001, user" in turn.text
