"""The request that a path and a prompt make: the one place that puts together what is sent.

Invariant: a turn appended to a path leaves every byte of the messages sent before as it was, so that a prompt cache
and signed thinking stay valid. Cache marks are not part of that prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ChatError
from ..transcript import Message, TurnRecord, problems, without_thinking

EPHEMERAL = {"type": "ephemeral"}


def answer_room(window: int, max_output: int) -> int:
    """Tokens left for the answer where nobody said: an eighth of the window, at least 512, at most 16,000."""
    return min(max_output, max(512, window // 8), 16_000)


def sendable(path: Sequence[TurnRecord], model: str, system: str | None) -> list[Message]:
    """The messages of `path`, without the thinking that the server could no longer verify.

    A thinking block is bound to the model that wrote it and to all bytes before it, the system prompt included. From
    the last turn that was asked with another model or system prompt upwards, all thinking goes: taking it from the
    start is allowed, leaving a gap is not.
    """
    stale = 0
    for position, turn in enumerate(path, start=1):
        if turn.model != model or system_of(turn) != system:
            stale = position
    old = [message for turn in path[:stale] for message in turn.messages]
    fresh = [message for turn in path[stale:] for message in turn.messages]
    return [*without_thinking(old), *fresh]


def system_of(turn: TurnRecord) -> str | None:
    """The system prompt a turn was asked with, written or inherited."""
    system = turn.settings.get("system", turn.inherited.get("system"))
    return str(system) if system is not None else None


def build(
    messages: Sequence[Message],
    *,
    model: str,
    max_tokens: int,
    system: str | None = None,
    tools: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The body of one Messages API request. Raises ChatError where the provider would refuse it (rule 11)."""
    wire = [message.wire() for message in messages]
    wrong = list(problems(wire))
    if wrong:
        raise ChatError(f"The request would not be valid, so nothing was sent: {wrong[0]}. See `%chat doctor`.")
    body: dict[str, Any] = {"model": model, "max_tokens": max_tokens, "messages": wire}
    if system:
        body["system"] = [{"type": "text", "text": system}]
    if tools:
        body["tools"] = [dict(tool) for tool in tools]
    return with_cache_marks(body)


def with_cache_marks(body: dict[str, Any]) -> dict[str, Any]:
    """The body with its cache breakpoints: the end of tools and system, the last request's tail, this one's tail.

    Three of the four that the provider allows. The last request's tail is the user message before the last one.
    """
    marked = dict(body)
    for key in ("system", "tools"):
        if marked.get(key):
            marked[key] = [*marked[key][:-1], {**marked[key][-1], "cache_control": EPHEMERAL}]
            break
    messages = list(marked["messages"])
    users = [n for n, message in enumerate(messages) if message["role"] == "user"]
    for n in users[-2:]:
        *head, last = messages[n]["content"]
        messages[n] = {"role": "user", "content": [*head, {**last, "cache_control": EPHEMERAL}]}
    marked["messages"] = messages
    return marked
