"""The body of a request, ready to go: valid by the provider's rules, with its cache marks set. The one place for both.

Invariant: a turn appended to a path leaves every byte of the messages sent before as it was, so that a prompt cache
and signed thinking stay valid. Cache marks are not part of that prefix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ChatError
from ..transcript import Message, problems

EPHEMERAL = {"type": "ephemeral"}
_GO_ON: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "go on"}]}
"""Stands for nothing that is sent: what would follow a paused answer."""


def body(request: Mapping[str, Any], more: Sequence[Message] = (), *, paused: bool = False) -> dict[str, Any]:
    """`request` (a plan's, as the Messages API takes it) followed by `more` messages of the open turn.

    `paused`: the last of them is an answer that the server paused and is to continue. Raises ChatError
    where the provider would refuse it (rule 11), before anything is sent.
    """
    messages = [*request["messages"], *(message.wire() for message in more)]
    wrong = next(problems([*messages, _GO_ON] if paused else messages), None)
    if wrong is not None:
        raise ChatError(f"The request would not be valid, so nothing was sent: {wrong}. See `%chat doctor`.")
    return with_cache_marks({**request, "messages": messages})


def with_cache_marks(request: Mapping[str, Any]) -> dict[str, Any]:
    """The request with its cache breakpoints: the end of tools and system, the last request's tail, this one's tail.

    Three of the four that the provider allows. The last request's tail is the user message before the last one.
    """
    marked = dict(request)
    for key in ("system", "tools"):
        if marked.get(key):
            marked[key] = [*marked[key][:-1], {**marked[key][-1], "cache_control": EPHEMERAL}]
            break
    messages = [_unmarked(message) for message in marked["messages"]]
    users = [n for n, message in enumerate(messages) if message["role"] == "user"]
    for n in users[-2:]:
        *head, last = messages[n]["content"]
        messages[n] = {"role": "user", "content": [*head, {**last, "cache_control": EPHEMERAL}]}
    marked["messages"] = messages
    return marked


def _unmarked(message: Mapping[str, Any]) -> dict[str, Any]:
    """The message without marks that an earlier request of the same turn set."""
    content = message["content"]
    if not any("cache_control" in block for block in content):
        return dict(message)
    clean = [{key: value for key, value in block.items() if key != "cache_control"} for block in content]
    return {**message, "content": clean}
