"""Rule 11: what a provider would refuse is found before anything is sent, whatever part of the rule it breaks."""

from __future__ import annotations

from typing import Any

import pytest
from builders import call, result

from jupyter_history.context.request import body
from jupyter_history.errors import ChatError
from jupyter_history.transcript import problems

ASK: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "q"}]}
SAID: dict[str, Any] = {"role": "assistant", "content": [{"type": "text", "text": "a"}]}


def model(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


WRONG: dict[str, tuple[list[dict[str, Any]], str]] = {
    "nothing": ([], "at least one message"),
    "the model first": ([SAID, ASK], "the first message must be a user message"),
    "the model last": ([ASK, SAID], "must end with a user message"),
    "a call without a result": ([ASK, model(call()), ASK], "must answer the calls"),
    "one of two results": ([ASK, model(call("a"), call("b")), user(result("a"))], "must answer the calls"),
    "a result that is not first": ([ASK, model(call()), user(text("so"), result())], "must answer the calls"),
    "a result that is not adjacent": ([ASK, model(call()), model(text("so")), user(result())], "have no results"),
    "a result of no call": ([ASK, SAID, user(result())], "answer no call"),
    "an open call": ([ASK, model(call())], "have no results"),
    "a call's id twice": ([ASK, model(call(), call()), user(result(), result())], "used twice"),
    "an empty message": ([user(), SAID, ASK], "content is empty"),
    "an empty text": ([user(text(""))], "non-whitespace"),
    "a blank text": ([ASK, model(text(" \n")), ASK], "non-whitespace"),
    "half a character": ([user(text("a\ud800"))], "a lone surrogate"),
    "half a character in a call": ([ASK, model(call(at=["\udc00"])), user(result())], "a lone surrogate"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_would_be_refused_is_named_and_never_sent(case: str) -> None:
    messages, words = WRONG[case]
    assert any(words in line for line in problems(messages)), list(problems(messages))
    with pytest.raises(ChatError, match="nothing was sent"):
        body({"messages": messages})


def test_a_whole_exchange_with_calls_is_valid() -> None:
    messages = [ASK, model(call("a"), call("b")), user(result("a"), result("b"), text("and")), SAID, ASK]
    assert list(problems(messages)) == []
