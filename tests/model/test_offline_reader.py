"""The offline reader through the real SDK: it quotes what it was sent and says what it is."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_history.model.client import AnswerStream, Client
from jupyter_history.model.events import Text
from jupyter_history.model.offline.cache import Cache
from jupyter_history.model.offline.passages import ask, read, sentences
from jupyter_history.model.offline.search import best, terms


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def model(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def asked(*messages: dict[str, Any], **fields: Any) -> AnswerStream:
    body = {"model": "offline", "max_tokens": 1_000, "messages": list(messages), **fields}
    with Client().stream(body) as stream:
        list(stream)
    return stream


def said(*messages: dict[str, Any], **fields: Any) -> str:
    return str(asked(*messages, **fields).content[0]["text"])


def quotes(answer: str) -> list[str]:
    return [line[2:] for line in answer.splitlines() if line.startswith("> ") and not line.startswith("> — ")]


TALK = (
    user("My favourite number is 42. My dog is called Rex."),
    model("Good to know."),
    user("The meeting is on 3 May at 14:30, in room B.207."),
    model("Noted."),
)


def test_a_fact_is_quoted_with_its_place() -> None:
    answer = said(*TALK, user("What's my favourite number?"))
    assert quotes(answer) == ["My favourite number is 42."]
    assert "— *message 1, user*" in answer


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what is the dog called", "My dog is called Rex."),
        ("In which room is the meeting?", "The meeting is on 3 May at 14:30, in room B.207."),
        ("When are the meetings?", "The meeting is on 3 May at 14:30, in room B.207."),
    ],
)
def test_the_matching_sentence_is_found(question: str, fact: str) -> None:
    assert quotes(said(*TALK, user(question)))[0] == fact


def test_every_answer_says_that_it_is_no_language_model() -> None:
    for messages in ([user("Hello")], [*TALK, user("my dog?")], [*TALK, user("What is the capital of France?")]):
        assert "not a language model" in said(*messages)


def test_the_first_question_has_nothing_to_quote() -> None:
    answer = said(user("Why does the likelihood ratio test fail for nested mixtures?"))
    assert quotes(answer) == []
    assert "likelihood" not in answer
    assert "nothing to quote yet" in answer


def test_a_first_prompt_that_only_tells_is_greeted_too() -> None:
    assert "nothing to quote yet" in said(user("My name is Ada. My favourite number is 42."))
    assert "I found nothing in the request" in said(user("My name is Ada. What is the capital of France?"))


def test_a_question_is_never_quoted_as_its_own_answer() -> None:
    question = user("What is my favourite number?")
    again = said(*TALK, question, model("I don't know."), question)
    assert quotes(again) == ["My favourite number is 42."]
    assert quotes(said(question, model("I don't know."), question)) == []


def test_an_earlier_request_is_no_better_than_the_fact_it_asked_for() -> None:
    talk = (*TALK, user("Tell me my favourite number."), model("It is somewhere above."))
    assert quotes(said(*talk, user("What's my favourite number?")))[0] == "My favourite number is 42."


def test_what_the_prompt_itself_tells_can_be_quoted() -> None:
    answer = said(user("The password of the day is swordfish. What is the password of the day?"))
    assert quotes(answer) == ["The password of the day is swordfish."]


def test_nothing_found_is_said_plainly() -> None:
    answer = said(*TALK, user("What is the capital of France?"))
    assert quotes(answer) == []
    assert "I found nothing in the 4 messages before it" in answer


def test_its_own_earlier_answers_are_not_sources_beside_the_original() -> None:
    question = user("What is my favourite number?")
    first = said(*TALK, question)
    second = said(*TALK, question, model(first), user("Tell me my favourite number again."))
    assert quotes(second) == ["My favourite number is 42."]
    assert "message 1, user" in second


def test_its_own_answers_told_in_a_transcript_are_no_sources_either() -> None:
    first = said(*TALK, user("What is the capital of France?"))
    told = f"[T003 assistant]\n{first}\n\n[T004 user]\nThe capital is Paris."
    assert quotes(said(user(told), model("ok"), user("What is the capital?"))) == ["The capital is Paris."]


def test_chinese_japanese_and_korean_match_by_pairs_of_characters() -> None:
    talk = (
        user("東京の天気は晴れです。大阪は雨でした。"),
        model("はい。"),
        user("서울의 회의는 금요일이다."),
        model("네."),
    )
    assert quotes(said(*talk, user("大阪はどうですか？")))[0] == "大阪は雨でした。"
    assert quotes(said(*talk, user("회의는 언제?")))[0] == "서울의 회의는 금요일이다."
    assert terms("東京都") == ["東京", "京都"]


def test_the_system_prompt_and_tool_results_are_sources_too() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"path": "a.txt"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "checksum: 9f3a77\nsize: 12 kB"}
    talk = (
        user("Look at a.txt"),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        model("It is small."),
    )
    answer = said(*talk, user("What is the checksum?"), system="The author is Ada Lovelace.")
    assert quotes(answer) == ["checksum: 9f3a77"]
    assert "message 3, tool result" in answer
    answer = said(*talk, user("Who is the author?"), system="The author is Ada Lovelace.")
    assert "— *system*" in answer


def test_an_open_tool_loop_is_answered_for_the_question_that_opened_it() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "The checksum is 9f3a77."}
    answer = said(
        user("What is the checksum?"), {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}
    )
    assert quotes(answer) == ["The checksum is 9f3a77."]


def test_code_is_quoted_as_code() -> None:
    talk = (user("Keep this:\n\n```python\ndef parse_header(x):\n    return x\n```"), model("Kept."))
    assert quotes(said(*talk, user("Which function parses the header?"))) == [
        "```",
        "def parse_header(x):",
        "    return x",
        "```",
    ]


def test_thinking_is_never_quoted() -> None:
    thought = {"type": "thinking", "thinking": "The secret colour is teal.", "signature": "s"}
    reply = {"role": "assistant", "content": [thought, {"type": "text", "text": "Fine."}]}
    assert "teal" not in said(user("Think of a colour."), reply, user("What is the secret colour?"))


def test_the_answer_is_the_same_each_time() -> None:
    assert said(*TALK, user("room?")) == said(*TALK, user("room?"))


def test_the_longest_answer_stops_at_max_tokens() -> None:
    stream = asked(*TALK, user("my favourite number?"), max_tokens=5)
    assert stream.stop_reason == "max_tokens"
    assert stream.usage.output <= 5


def test_an_answer_that_does_not_fit_behind_the_prompt_says_so() -> None:
    # the window is 8,000: a prompt of 7,990 leaves room for ten tokens
    stream = asked(user("ab " * 7_982 + "Is it so?"))
    assert 7_980 < stream.usage.prompt <= 8_000
    assert stream.stop_reason == "model_context_window_exceeded"


def test_it_streams_and_can_be_slowed_down_to_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_HISTORY_OFFLINE_DELAY", "0.01")
    began = time.monotonic()
    with Client().stream({"model": "offline", "max_tokens": 900, "messages": [user("Hello")]}) as stream:
        events = [event for event in stream if isinstance(event, Text)]
    assert len(events) > 5
    assert time.monotonic() - began > 0.05
    assert "".join(event.text for event in events) == stream.content[0]["text"]


def test_a_slow_answer_can_be_stopped_and_keeps_what_came_rule_24(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_HISTORY_OFFLINE_DELAY", "0.05")
    stop = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    stopped = False
    with Client().stream({"model": "offline", "max_tokens": 900, "messages": [user("Hello")]}) as stream:
        try:
            for event in stream:
                if isinstance(event, Text) and len(stream.content[0]["text"]) == len(event.text):
                    stop.start()
        except KeyboardInterrupt:
            stopped = True
    assert stopped
    assert stream.content[0]["text"].startswith("I am the offline reader")


def test_counting_agrees_with_what_is_billed() -> None:
    body = {"model": "offline", "max_tokens": 900, "messages": [*TALK, user("room?")], "system": "Be brief."}
    counted = Client().count(body)
    with Client().stream(body) as stream:
        list(stream)
    assert counted == stream.usage.prompt


def test_the_models_endpoint_tells_the_windows() -> None:
    limits = {entry["id"]: entry for entry in Client().limits("offline")}
    assert limits["offline-4k"]["max_input_tokens"] == 4_000
    assert limits["offline"]["max_input_tokens"] == 8_000


def marked(text: str, ttl: str = "5m") -> dict[str, Any]:
    message = user(text)
    message["content"][0]["cache_control"] = {"type": "ephemeral", "ttl": ttl}
    return message


def test_a_cached_prefix_is_written_once_and_read_until_it_is_five_minutes_old() -> None:
    now = [0.0]
    cache = Cache(clock=lambda: now[0])
    long = marked("word " * 600)
    first = cache.charge({"model": "offline", "messages": [long]})
    assert (first.input, first.cache_read, first.cache_write) == (0, 0, 604)
    more = {"model": "offline", "messages": [long, model("ok"), marked("and now?")]}
    second = cache.charge(more)
    assert (second.cache_read, second.input) == (604, 0)
    assert second.cache_write > 0
    now[0] += 299
    assert cache.charge(more).cache_write == 0
    now[0] += 301
    assert cache.charge(more).cache_read == 0


def test_a_short_prefix_is_not_cached_and_a_changed_one_is_not_read() -> None:
    cache = Cache()
    short = {"model": "offline", "messages": [marked("short")]}
    assert cache.charge(short).cache_write == 0
    cache.charge({"model": "offline", "messages": [marked("word " * 600)]})
    other = cache.charge({"model": "offline", "messages": [marked("Word " * 600)]})
    assert (other.cache_read, other.cache_write) == (0, 604)


def test_an_hour_of_caching_is_billed_apart() -> None:
    usage = Cache().charge({"model": "offline", "messages": [marked("word " * 600, "1h")]})
    assert (usage.cache_write, usage.cache_write_1h) == (0, 604)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=4), st.text(min_size=1))
def test_whatever_is_quoted_stands_in_the_request_word_for_word(told: list[str], question: str) -> None:
    messages = [message for text in told for message in (user(text), model("ok"))]
    request = read({"model": "offline", "messages": [*messages, user(question)]})
    whole = ["\n".join(text.splitlines()) for text in (*told, "ok", question)]
    for match in best(request.question, request.passages):
        assert any(match.passage.text.removeprefix("<- ") in text for text in whole)


def test_prompts_are_cut_into_what_they_tell_and_what_they_ask() -> None:
    assert ask("A is 1. B is 2. What is A?") == (["A is 1.", "B is 2."], "What is A?")
    assert ask("A is 1. Tell me what A is. Be brief.") == (["A is 1.", "Be brief."], "Tell me what A is.")
    assert ask("Summarise it.") == ([], "Summarise it.")
    assert ask("") == ([], "")


def test_sentences_keep_abbreviations_numbers_and_paths_together() -> None:
    text = "See e.g. Dr. Smith at 3.14 p.m. in /tmp/a.txt. Then stop!"
    assert [part for part, _ in sentences(text)][-1] == "Then stop!"
    assert [part for part, _ in sentences("Use e.g. this one. Not that.")] == ["Use e.g. this one.", "Not that."]


RECALL = {"name": "recall", "description": "brings a turn back", "input_schema": {"type": "object", "properties": {}}}


def elided() -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {"path": "log.txt"}}
    stub = '[elided: look({"path": "log.txt"}) returned 9,000 characters; recall("T001") shows it]'
    result = {"type": "tool_result", "tool_use_id": "t1", "content": stub}
    return [
        user("Look at the log."),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
        model("It is long."),
        user("Which error is in log.txt?"),
    ]


def test_what_was_elided_is_recalled_and_quoted_with_its_turn() -> None:
    first = asked(*elided(), tools=[RECALL])
    assert first.stop_reason == "tool_use"
    call = first.content[1]
    assert (call["name"], call["input"]) == ("recall", {"turn": "T001"})
    shown = "[T001 user]\nLook at the log.\n\n[T001 tool]\n<- start\nerror in log.txt: E4711\nend"
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": shown}
    second = said(
        *elided(),
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [result]},
        tools=[RECALL],
    )
    assert quotes(second)[0] == "error in log.txt: E4711"
    assert "recall: T001, tool" in second


def test_a_recall_that_did_not_help_is_not_repeated() -> None:
    first = asked(*elided(), tools=[RECALL])
    result = {"type": "tool_result", "tool_use_id": first.content[1]["id"], "content": "no such turn", "is_error": True}
    second = asked(
        *elided(),
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [result]},
        tools=[RECALL],
    )
    assert second.stop_reason == "end_turn"


def test_without_the_recall_tool_the_stub_is_what_there_is() -> None:
    assert "elided" in quotes(said(*elided()))[0]


def test_a_summary_is_an_extract_in_order_that_fits_its_room() -> None:
    transcript = (
        "The transcript:\n\n[T000 user]\nHello there. The budget is 4711 euros."
        "\n\n[T001 tool]\n<- saved to /tmp/run_7.log"
    )
    ask_for = "Write the record from which this conversation will be continued. At most 100 words."
    message = {"role": "user", "content": [{"type": "text", "text": text} for text in (transcript, ask_for)]}
    answer = said(message, max_tokens=200)
    assert "not a language model" in answer
    assert answer.index("- T000, user: The budget is 4711 euros.") < answer.index(
        "- T001, tool: saved to /tmp/run_7.log"
    )
    record = f"The record so far, of all that came before:\n\n{answer}"
    message = {"role": "user", "content": [{"type": "text", "text": text} for text in (record, ask_for)]}
    assert said(message, max_tokens=200) == answer
    stream = asked(user("\n".join(f"Value {n} is {n * n}." for n in range(300))), user("Summarise it."), max_tokens=150)
    assert stream.stop_reason == "end_turn"
    assert stream.usage.output > 100
