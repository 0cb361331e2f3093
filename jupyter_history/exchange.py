"""One prompt's exchange with the model: stream the answer, run the tools it calls, stop at a boundary.

Invariant: what comes back ends at a turn boundary, whatever happened: every call has its result, nothing incomplete
or unsigned is kept (rule 24), nothing empty is kept (rule 11).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .errors import ModelError, TooLarge
from .progress import Note, Watch
from .transcript import Block, Message, Outcome, Usage, clean_json

if TYPE_CHECKING:
    from .model.client import Client

ROUNDS = 20
"""Requests in one turn at the most; a model that still calls tools then is answered that it must stop."""

INTERRUPTED = "Interrupted by the user before this call finished."


class Tools(Protocol):
    """What can run the model's calls."""

    def run(self, name: str, arguments: Mapping[str, Any]) -> tuple[list[Block], bool]:
        """The content of the result, and whether it is an error. Raises only KeyboardInterrupt."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """How a prompt was answered. `usage` adds up all its requests; `first` and `last` are those two's own."""

    messages: tuple[Message, ...]
    outcome: Outcome
    usage: Usage
    first: Usage
    last: Usage
    seconds: float
    stop_reason: str | None


def converse(
    client: Client,
    request: Callable[[Sequence[Message]], dict[str, Any]],
    prompt: Sequence[Block],
    *,
    turn: str,
    watch: Watch,
    tools: Tools | None = None,
) -> Exchange:
    """Answer `prompt` (the content of the user message that begins the turn).

    `request` makes the body from the turn's messages so far. Raises ModelError where nothing may be kept, and
    KeyboardInterrupt where the user stopped before anything was there to keep.
    """
    messages = [Message("user", tuple(prompt), turn, 0)]
    used: list[Usage] = []
    started = time.monotonic()
    stop_reason: str | None = None
    stopped = False

    def add(role: str, content: Sequence[Block]) -> None:
        messages.append(Message("user" if role == "user" else "assistant", tuple(content), turn, len(messages)))

    for _ in range(ROUNDS):
        stream = client.stream(request(messages))
        try:
            with stream:
                for event in stream:
                    watch(event)
        except KeyboardInterrupt:
            stopped = True
        except TooLarge as error:
            if len(messages) == 1:
                raise
            watch(Note(f"The tools' results outgrew the window, so the turn ends here: {error}"))
            stopped = True
        used.append(stream.usage)
        stop_reason = stream.stop_reason
        content = _kept(stream.content, runs_tools=tools is not None and stop_reason == "tool_use" and not stopped)
        if not content:
            break
        add("assistant", content)
        calls = messages[-1].calls
        if not calls or tools is None:
            break
        results: list[Block] = []
        for call in calls:
            result, failed = _run(tools, call) if not stopped else ([_text(INTERRUPTED)], True)
            stopped = stopped or result[:1] == [_text(INTERRUPTED)]
            block: Block = {"type": "tool_result", "tool_use_id": call["id"], "content": result}
            results.append({**block, "is_error": True} if failed else block)
        add("user", results)
        if stopped:
            break
    answered = any(message.role == "assistant" for message in messages)
    if stopped and not any(message.role == "assistant" and message.text for message in messages):
        raise KeyboardInterrupt
    if not answered:
        raise _nothing(stop_reason)
    if messages[-1].results and not stopped:
        watch(Note(f"The model kept calling tools; stopped after {ROUNDS} rounds."))
        stopped = True
    if stop_reason == "max_tokens":
        watch(Note("The answer was cut at its longest allowed length; `--max-tokens N` allows more."))
    if stop_reason == "model_context_window_exceeded":
        watch(Note("The answer was cut where the context window ended."))
    outcome: Outcome = "stopped" if stopped else "complete"
    seconds = time.monotonic() - started
    return Exchange(tuple(messages), outcome, sum(used, Usage()), used[0], used[-1], seconds, stop_reason)


def _run(tools: Tools, call: Block) -> tuple[list[Block], bool]:
    try:
        return tools.run(call["name"], call["input"])
    except KeyboardInterrupt:
        return [_text(INTERRUPTED)], True


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _kept(content: Sequence[Block], *, runs_tools: bool) -> list[Block]:
    """The blocks worth keeping: no blank text, no call that nobody will answer; nothing where only thinking is left."""
    kept = [
        clean_json(block)
        for block in content
        if (block["type"] != "text" or block["text"].strip()) and (block["type"] != "tool_use" or runs_tools)
    ]
    return kept if any(block["type"] in ("text", "tool_use") for block in kept) else []


def _nothing(stop_reason: str | None) -> ModelError:
    if stop_reason == "refusal":
        return ModelError(
            "The model declined to answer; nothing was added to the conversation. Reword the prompt and run the cell.",
            kind="refused",
        )
    if stop_reason == "max_tokens":
        return ModelError(
            "The answer's room was used up before any text came; nothing was added to the conversation. "
            "Allow more with `--max-tokens N`.",
            kind="invalid",
        )
    return ModelError(
        "The model sent an empty answer; nothing was added to the conversation. Run the cell to ask again.",
        kind="server",
    )
