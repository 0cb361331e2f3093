"""What `send` stores, sends and moves."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from jupyter_history.errors import BadInput, ModelError, NotFound
from jupyter_history.model.scripted import Scripted
from jupyter_history.progress import Begin, Note
from jupyter_history.session.session import Session
from jupyter_history.transcript import Maker, Usage

Opened = Callable[..., Session]


def prompts(body: dict) -> list[str]:
    return [message["content"][0]["text"] for message in body["messages"] if message["role"] == "user"]


def unmarked(messages: list[dict]) -> str:
    clean = [
        {**m, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in m["content"]]}
        for m in messages
    ]
    return json.dumps(clean, ensure_ascii=False)


def test_a_follow_up_sends_the_whole_path(session: Session, script: Scripted) -> None:
    session.send("one")
    session.send("two")
    assert prompts(script.requests[-1]) == ["one", "two"]
    assert [turn.prompt for turn in session.path()] == ["one", "two"]


def test_a_turn_tells_what_it_was(session: Session, script: Scripted) -> None:
    script.reply("forty-two", thinking="let me see", usage=Usage(input=1_000_000, output=100_000))
    turn = session.send("what is it?", system="Be brief.", max_tokens=300)
    assert (turn.prompt, turn.text, turn.thinking) == ("what is it?", "forty-two", "let me see")
    assert (turn.parent, turn.siblings, turn.position) == (None, [turn.id], (1, 1))
    assert turn.cost == pytest.approx(2.0 + 1.0)
    assert turn.settings == {"system": "Be brief.", "max_tokens": 300}
    assert script.requests[0]["max_tokens"] == 300
    assert script.requests[0]["system"][0]["text"] == "Be brief."


def test_rule_1_what_is_shown_is_what_is_stored_is_what_is_sent(opened: Opened, script: Scripted) -> None:
    script.reply("half \ud83d a pair, \0, \r\n and é")
    turn = opened().send("a\ud800 question")
    later = opened()
    shown = later.path()[-1]
    assert (shown.prompt, shown.text) == (turn.prompt, turn.text)
    later.send("two")
    asked, answered, _ = script.requests[-1]["messages"]
    assert (asked["content"][0]["text"], answered["content"][0]["text"]) == (turn.prompt, turn.text)


def test_rule_1_what_another_kernel_stored_is_shown_and_sent(opened: Opened, script: Scripted) -> None:
    here = opened(place="here")
    here.send("one")
    theirs = opened(place="there").send("theirs")
    here.send("mine", at=theirs.id)
    assert [turn.prompt for turn in here.path()] == prompts(script.requests[-1]) == ["one", "theirs", "mine"]


def test_rule_2_the_tip_moves_with_the_stored_turn(opened: Opened) -> None:
    turn = opened().send("one")
    assert opened().tip == turn.id


def test_at_continues_from_a_turn_and_edit_answers_beside_it(session: Session) -> None:
    first = session.send("one")
    second = session.send("two")
    beside = session.send("deux", edit=second.id)
    below = session.send("three", at=first.id)
    assert second.siblings == [second.id, beside.id, below.id]
    assert beside.parent == below.parent == first.id


def test_again_asks_the_same_prompt_beside(session: Session, script: Scripted) -> None:
    first = session.send("one", system="Be brief.")
    second = session.again()
    assert second.position == (2, 2)
    assert first.text != second.text
    assert unmarked(script.requests[0]["messages"]) == unmarked(script.requests[1]["messages"])


def test_rule_12_an_uncut_resume_sends_a_byte_identical_prefix(opened: Opened, script: Scripted) -> None:
    script.reply("an answer", thinking="a signed thought", signature="sig-1")
    opened().send("one with ünïcode, 日本語 and \x00")
    opened().send("two")
    first, second = script.requests
    assert unmarked(second["messages"]).startswith(unmarked(first["messages"])[:-1])
    kept = second["messages"][1]["content"][0]
    assert (kept["type"], kept["thinking"], kept["signature"]) == ("thinking", "a signed thought", "sig-1")


def test_thinking_of_another_model_or_system_prompt_is_not_sent(session: Session, script: Scripted) -> None:
    script.reply("an answer", thinking="a thought")
    session.send("one")
    session.send("two", model="claude-opus-5-5")
    session.send("three", system="Now be brief.")
    for body in script.requests[1:]:
        assert not [b for m in body["messages"] for b in m["content"] if b["type"] == "thinking"]


def test_at_most_four_cache_marks_and_the_last_request_is_marked_at_its_tail(
    session: Session, script: Scripted
) -> None:
    for n in range(4):
        session.send(f"question {n}", system="Be brief.")
    body = script.requests[-1]
    blocks = [*body["system"], *body.get("tools", ()), *(b for m in body["messages"] for b in m["content"])]
    assert 1 <= sum("cache_control" in block for block in blocks) <= 4
    assert "cache_control" in body["messages"][-1]["content"][-1]
    assert "cache_control" in body["messages"][-3]["content"][-1], "the tail of the request before"


def test_rule_24_an_error_is_recorded_off_the_path(session: Session, script: Scripted) -> None:
    kept = session.send("one")
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError):
        session.send("two")
    assert session.tip == kept.id
    assert [(turn.prompt, turn.outcome) for turn in session.store.failed(session.id)] == [("two", "failed")]
    session.send("three")
    assert prompts(script.requests[-1]) == ["one", "three"]


@pytest.mark.parametrize("prompt", ["", "   ", "\n\n", "\u3000"])
def test_an_empty_prompt_is_one_line_and_nothing_is_sent(session: Session, script: Scripted, prompt: str) -> None:
    with pytest.raises(BadInput, match="empty"):
        session.send(prompt)
    assert not script.requests


def test_bad_input_says_which_value_and_what_to_do(session: Session, script: Scripted) -> None:
    turn = session.send("one", label="start")
    for wrong, words in [
        ({"max_tokens": 0}, "max_tokens is a number of tokens from 1 to 1,000,000,000; 0"),
        ({"temperature": 1}, "Unknown setting 'temperature'"),
        ({"ladder": "up"}, "No rung is called 'up'"),
        ({"at": turn.id, "edit": turn.id}, "use one of them"),
        ({"label": "two words"}, "one word"),
        ({"label": turn.id}, "already means a turn"),
    ]:
        with pytest.raises(BadInput, match=words):
            session.send("two", **wrong)  # type: ignore[arg-type]
    with pytest.raises(NotFound, match="start"):
        session.send("two", at="nowhere")
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "text",
    ["{a} {} {{b}}", "$x and ${y} and $5", "emoji 🎉👩‍🔬", "lone \ud800 surrogate", "<b>&amp;</b>", "\x00\x1b[31m"],
)
def test_prompts_are_sent_literally(session: Session, script: Scripted, text: str) -> None:
    session.send(text)
    assert prompts(script.requests[0]) == [text.replace("\ud800", "\ufffd")]


def test_a_watcher_hears_the_beginning_first(session: Session) -> None:
    first = session.send("one")
    heard: list[object] = []
    turn = session.send("two", edit=first.id, watch=heard.append)
    assert heard[0] == Begin(turn.id, session.id, None, (first.id,), turn.model, "two")
    assert [event.text for event in heard if isinstance(event, Note)] == [
        f"Off the path now: 1 turn (`{first.id}`). `%chat branch {first.id}` returns."
    ]


def test_rule_23_looking_never_calls_a_model(session: Session, script: Scripted) -> None:
    first = session.send("one")
    second = session.again()
    calls = len(script.requests) + len(script.counted)
    _ = session.path(), session.turns(), session.cost, session.plan("next"), session.request("next"), second.siblings
    _ = session.plan(window=2000, ladder="off"), session.compare(first.id, second.id)
    session.branch(first.id)
    assert len(script.requests) + len(script.counted) == calls


def test_a_cell_shows_what_differs_today_without_a_call(opened: Opened, script: Scripted) -> None:
    maker = Maker("nb", "cell")
    opened(place="nb", model="offline").run(maker, "one", {})
    ran = opened(place="nb").run(maker, "one", {})
    assert ran.stored
    assert "Answered by offline; the model is claude-sonnet-5-5 now." in ran.notes[0]
    assert len(script.requests) == 1
