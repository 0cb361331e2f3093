"""Rules 23 to 25: `offline-thinking` signs its thoughts, bound to all that stands before them, and refuses others."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_history.errors import ModelError
from jupyter_history.model.client import Client

Change = Callable[[list[dict[str, Any]]], object]
BOUND = "The block is bound to a different conversation. Remove the block, or set"


def ask(messages: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    body = {"model": "offline-thinking", "max_tokens": 500, "messages": messages, **more}
    with Client().stream(body) as stream:
        list(stream)
    return {"role": "assistant", "content": stream.content}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


@pytest.fixture(scope="module")
def talk() -> list[dict[str, Any]]:
    messages = [user("The code is plover.")]
    for prompt in ("Which code is it?", "Is it plover?", "Thank you."):
        messages += [ask(messages), user(prompt)]
    return messages


def thoughts(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for message in messages for part in message["content"] if part["type"] == "thinking"]


def without(*which: int) -> Change:
    def change(messages: list[dict[str, Any]]) -> None:
        for n in which:
            messages[2 * n + 1]["content"].pop(0)

    return change


def test_what_is_sent_back_as_it_came_is_taken(talk: list[dict[str, Any]]) -> None:
    assert len(thoughts(talk)) == 3
    assert thoughts(talk)[1]["thinking"].startswith("I search ")
    assert "plover" in ask([*talk[:-1], user("Which code is it?")])["content"][1]["text"]


@pytest.mark.parametrize(
    "change",
    [
        lambda messages: messages[0]["content"][0].update(cache_control={"type": "ephemeral"}),
        without(0),
        without(0, 1),
        without(2),
        without(0, 1, 2),
        lambda messages: messages[1]["content"][0].update(signature="of another model", thinking="x"),
    ],
    ids=["a cache mark", "the first left out", "the first two", "the last", "all", "another model's"],
)
def test_what_leaves_the_prefix_as_it_was_is_taken(talk: list[dict[str, Any]], change: Change) -> None:
    changed = copy.deepcopy(talk)
    change(changed)
    ask(changed)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m[0]["content"][0].update(text="The code is heron."), BOUND),
        (lambda m: m[1]["content"][1].update(text="shortened"), BOUND),
        (without(1), BOUND),
        (lambda m: m[3]["content"][0].update(thinking="altered"), "messages.3.content.0: Invalid `signature` in `thin"),
        (lambda m: m[3]["content"][0].update(signature="offline.2.x"), "messages.3.content.0: Invalid `signature` in"),
    ],
    ids=["an earlier prompt", "an earlier answer", "one left out of the middle", "its words", "its signature"],
)
def test_what_changes_it_is_refused(talk: list[dict[str, Any]], change: Change, said: str) -> None:
    changed = copy.deepcopy(talk)
    change(changed)
    with pytest.raises(ModelError) as caught:
        ask(changed)
    assert said in str(caught.value)
    assert Client().count({"model": "offline-thinking", "messages": changed}) is None, "a count refuses it too"


def test_another_system_prompt_or_other_tools_change_it(talk: list[dict[str, Any]]) -> None:
    for more in ({"system": "Be brief."}, {"tools": [{"name": "f", "description": "", "input_schema": {}}]}):
        with pytest.raises(ModelError, match="bound to a different conversation"):
            ask(talk, **more)


def test_rule_23_in_an_open_tool_loop_the_last_thought_cannot_be_modified(talk: list[dict[str, Any]]) -> None:
    changed = copy.deepcopy(talk[:-1])
    changed[-1]["content"][1:] = [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]
    changed.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]})
    ask(changed)
    changed[-2]["content"][0]["thinking"] = "altered"
    with pytest.raises(ModelError, match="in the latest assistant message cannot be modified"):
        ask(changed)
