"""One prompt's exchange with the model: stream the answer, run the tools it calls, stop at a boundary.

Invariant: what comes back ends at a turn boundary, whatever happened: every call has its result, nothing incomplete
or unsigned is kept (rule 24), nothing empty is kept (rule 11). Tools run only on complete calls of an answer that
stopped for them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ModelError, TooLarge
from ..model import catalog
from ..model.events import Done
from ..progress import Note, ToolFinished, ToolStarted, Watch
from ..tools.calling import Result
from ..tools.limits import Limits
from ..transcript import Block, Message, Outcome, Usage, clean_json

if TYPE_CHECKING:
    from ..model.client import Client

PAUSES = 5
"""How often an answer may pause (`pause_turn`) and be taken up again."""
INTERRUPTED = "Interrupted by the user before this call finished."
OUTGREW = "The results of the tools outgrew the window, so the turn ends here."
OUT_OF_TIME = "Not run: the time of this turn is up."


class Tools(Protocol):
    """What can run the model's calls."""

    def run(self, name: str, arguments: Mapping[str, Any], seconds: float | None = None) -> Result:
        """The result of one call, within `seconds`. Raises only KeyboardInterrupt."""


class Requests(Protocol):
    """Makes the requests of one turn from its messages so far."""

    def body(self, messages: Sequence[Message], *, paused: bool = False) -> dict[str, Any]:
        """The next request. `paused`: it ends with the answer that is to be continued."""

    def fit(self, messages: Sequence[Message], results: list[Block], last: Usage) -> list[Block] | None:
        """Results, not sent yet, shortened so that the next request fits; None where they cannot be."""

    def mend(self, error: ModelError) -> str:
        """What was changed so that the refused request can go out once more, as a line; "" where nothing can."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """How a prompt was answered. `requests`: what each request of it used, as the server counted."""

    messages: tuple[Message, ...]
    outcome: Outcome
    requests: tuple[Usage, ...]
    seconds: float
    stop_reason: str | None
    ended: str = ""
    """Why it ended before the model did, where that was not the user; one line."""

    @property
    def measured(self) -> tuple[Usage, ...]:
        """The requests that the server gave figures for."""
        return tuple(usage for usage in self.requests if usage.prompt or usage.output) or (Usage(),)


@dataclass
class _Loop:
    """An exchange under way."""

    turn: str
    model: str
    limits: Limits
    messages: list[Message]
    paid: list[Usage] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    stop_reason: str | None = None
    stopped: bool = False
    ended: str = ""
    pauses: int = 0
    found: list[Block] = field(default_factory=list)
    """Results of the calls that are being answered."""

    def add(self, role: str, content: Sequence[Block]) -> None:
        said = Message("user" if role == "user" else "assistant", tuple(content), self.turn, len(self.messages))
        self.messages.append(said)

    def answer(self, content: Sequence[Block]) -> None:
        """Add what the model said; after a pause it goes on in the same message."""
        before = self.messages[-1]
        if before.role == "assistant":
            self.messages.pop()
            content = [*before.content, *content]
        if content:
            self.add("assistant", content)

    def close(self) -> None:
        """End at a boundary after an interrupt, wherever it came: calls without a result get one."""
        self.stopped = True
        calls = self.messages[-1].calls
        if calls:
            missing = [_result(call, Result.line(INTERRUPTED, failed=True)) for call in calls[len(self.found) :]]
            self.add("user", [*self.found, *missing])

    @property
    def left(self) -> float:
        return self.limits.seconds - (time.monotonic() - self.started)

    @property
    def late(self) -> str:
        return f"The turn's time is up: stopped after {self.limits.seconds:,.4g} s (max_seconds)."

    def end(self, why: str) -> None:
        self.stopped, self.ended = True, why

    def over(self) -> str:
        """Which limit forbids another round, as a line; "" if none does."""
        cost = catalog.total(self.model, self.paid) or 0.0
        if len(self.used) >= self.limits.rounds:
            return f"The model kept calling tools: stopped after {len(self.used)} rounds (max_rounds)."
        if self.left <= 0:
            return self.late
        if cost >= self.limits.cost:
            return f"The turn has cost ${cost:.2f}: stopped at its limit (max_cost)."
        return ""


def converse(
    client: Client,
    requests: Requests,
    prompt: Sequence[Block],
    *,
    turn: str,
    model: str,
    watch: Watch,
    tools: Tools | None = None,
    limits: Limits | None = None,
    until: Callable[[], bool] = lambda: False,
    paid: list[Usage] | None = None,
) -> Exchange:
    """Answer `prompt` (the content of the user message that begins the turn).

    `until` is asked after each round of calls: True ends the turn there (a rewind). `paid` gets what each request used,
    whatever becomes of it. Raises ModelError where nothing may be kept, and KeyboardInterrupt where the user stopped
    before anything was there to keep.
    """
    opened = Message("user", tuple(prompt), turn, 0)
    loop = _Loop(turn, model, limits or Limits(), [opened], paid if paid is not None else [])
    try:
        _run(client, requests, loop, watch, tools, until)
    except KeyboardInterrupt:
        loop.close()
    return _finished(loop, watch)


def _run(
    client: Client, requests: Requests, loop: _Loop, watch: Watch, tools: Tools | None, until: Callable[[], bool]
) -> None:
    """Round after round, until the model has finished or something ends the turn."""
    while True:
        calls = _ask(client, requests, loop, watch, runs_tools=tools is not None)
        if loop.stop_reason == "pause_turn" and not loop.stopped and loop.pauses < PAUSES:
            loop.pauses += 1
            continue
        if not calls or tools is None:
            break
        found = _answered(loop, calls, tools, watch)
        fitted = requests.fit(loop.messages, found, loop.used[-1])
        loop.add("user", found if fitted is None else fitted)
        if loop.stopped:
            break
        if until():
            loop.stopped = True
        elif fitted is None:
            loop.end(OUTGREW)
        elif over := loop.over():
            loop.end(over)
        if loop.stopped:
            break


def _ask(client: Client, requests: Requests, loop: _Loop, watch: Watch, *, runs_tools: bool) -> tuple[Block, ...]:
    """One request and its answer, added to the loop; the calls it makes."""
    mended = False
    while True:
        stream = client.stream(requests.body(loop.messages, paused=loop.messages[-1].role == "assistant"))
        try:
            with stream:
                for event in stream:
                    watch(event)
                    if loop.left <= 0 and not isinstance(event, Done):
                        loop.end(loop.late)
                        break
        except KeyboardInterrupt:
            loop.stopped = True
        except TooLarge as error:
            if len(loop.messages) == 1:
                raise
            loop.end(f"{OUTGREW} ({error})")
        except ModelError as error:
            note = "" if mended else requests.mend(error)
            if not note:
                raise
            watch(Note(note))
            mended = True
            continue
        finally:
            loop.paid.append(stream.usage)
        break
    loop.used.append(stream.usage)
    loop.stop_reason = stream.stop_reason
    content = _kept(stream.content, runs_tools=runs_tools and stream.stop_reason == "tool_use" and not loop.stopped)
    loop.answer(content)
    return loop.messages[-1].calls if content else ()


def _answered(loop: _Loop, calls: Sequence[Block], tools: Tools, watch: Watch) -> list[Block]:
    """The results of all calls, in their order: after a stop, and after the time is up, none runs."""
    found = loop.found = []
    for call in calls:
        arguments = call.get("input") or {}
        started = time.monotonic()
        watch(ToolStarted(call["id"], call["name"], arguments))
        if loop.stopped:
            result = Result.line(INTERRUPTED, failed=True)
        elif loop.left <= 0:
            result = Result.line(OUT_OF_TIME, failed=True)
        else:
            try:
                result = tools.run(call["name"], arguments, loop.left)
            except KeyboardInterrupt:
                loop.stopped, result = True, Result.line(INTERRUPTED, failed=True)
        content = [clean_json(block) for block in result.content]
        found.append(_result(call, Result(content, result.failed)))
        watch(ToolFinished(call["id"], call["name"], time.monotonic() - started, result.failed, tuple(content)))
    return found


def _result(call: Block, result: Result) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": call["id"], "content": result.content}
    return {**block, "is_error": True} if result.failed else block


def _finished(loop: _Loop, watch: Watch) -> Exchange:
    messages, stop_reason = loop.messages, loop.stop_reason
    if loop.stopped and not _worth_keeping(messages):
        if loop.ended:
            raise ModelError(f"{loop.ended} Nothing had come; `%chat retry` asks again.", kind="cut")
        raise KeyboardInterrupt
    if messages[-1].role == "user" and not messages[-1].results:
        raise _nothing(stop_reason)
    if stop_reason == "pause_turn" and not loop.stopped:
        loop.end(f"The model paused more than {PAUSES} times.")
    if stop_reason == "max_tokens":
        watch(Note("The answer was cut at its longest allowed length; `--max-tokens N` allows more."))
    if stop_reason == "model_context_window_exceeded":
        watch(Note("The answer was cut where the context window ended."))
    outcome: Outcome = "stopped" if loop.stopped or messages[-1].results else "complete"
    seconds = time.monotonic() - loop.started
    return Exchange(tuple(messages), outcome, tuple(loop.used), seconds, stop_reason, loop.ended)


def _worth_keeping(messages: Sequence[Message]) -> bool:
    """Whether the user has read something: text, or the result of a call that ran (rule 24)."""
    unread = [{"type": "text", "text": INTERRUPTED}]
    return any(message.role == "assistant" and message.text for message in messages) or any(
        result["content"] != unread for message in messages for result in message.results
    )


def _kept(content: Sequence[Block], *, runs_tools: bool) -> list[Block]:
    """The blocks worth keeping: no blank text, no call that nobody will answer; nothing where only thinking is left."""
    kept = [
        clean_json(block)
        for block in content
        if (block["type"] != "text" or block["text"].strip()) and (block["type"] != "tool_use" or runs_tools)
    ]
    return kept if any(block["type"] not in ("thinking", "redacted_thinking") for block in kept) else []


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
