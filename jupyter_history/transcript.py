"""What a conversation is made of, as plain data: blocks, messages, turns, usage; and the rules a request must satisfy.

Nothing here knows of a database, a network or a notebook. A message is immutable once made. A turn begins at a user
prompt and ends where no tool call waits for its result (a *boundary*): the only place where anything is cut or saved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant"]
Block = dict[str, Any]
"""One content block in the form the Messages API takes and gives."""

Outcome = Literal["complete", "stopped", "failed"]
"""complete: the model finished. stopped: interrupted with text kept (rule 24). failed: nothing kept, off the path."""

DIGEST = "digest"
"""The stop reason of a turn that is no answer: a rewind by hand left it, and its message holds what was kept."""

THINKING = ("thinking", "redacted_thinking")
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Message:
    """One API message. `turn` and `index` say where it stands: its id is `<turn>.<index>`."""

    role: Role
    content: tuple[Block, ...]
    turn: str = ""
    index: int = 0

    @property
    def id(self) -> str:
        return f"{self.turn}.{self.index}"

    @property
    def text(self) -> str:
        """The text blocks, joined."""
        return "".join([block["text"] for block in self.content if block["type"] == "text"])

    @property
    def thinking(self) -> str:
        return "".join(block.get("thinking", "") for block in self.content if block["type"] == "thinking")

    @property
    def calls(self) -> tuple[Block, ...]:
        return tuple(block for block in self.content if block["type"] == "tool_use")

    @property
    def results(self) -> tuple[Block, ...]:
        return tuple(block for block in self.content if block["type"] == "tool_result")

    def wire(self) -> dict[str, Any]:
        """The form that is sent."""
        return {"role": self.role, "content": list(self.content)}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one turn, all its requests added up, as the server counted them. `input` excludes cached tokens."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0

    @property
    def prompt(self) -> int:
        """All tokens that were read, cached or not."""
        return self.input + self.cache_read + self.cache_write + self.cache_write_1h

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.cache_write_1h + other.cache_write_1h,
        )


@dataclass(frozen=True, slots=True)
class Maker:
    """Who made a turn: a cell of a notebook (DESIGN section 4). `ordinal` counts the chat calls in one execution."""

    notebook: str
    cell: str
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn as it is stored: a user prompt and all that follows up to the finished answer.

    `settings` is what the user wrote (options of the cell, explicit conversation settings); `inherited` what applied
    besides. `context` is how full the window was: tokens of the last request and its answer, of `window`.
    """

    id: str
    conversation: str
    parent: str | None
    prompt: str
    messages: tuple[Message, ...]
    model: str
    outcome: Outcome = "complete"
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    """In dollars; None where the model's price is unknown."""
    seconds: float = 0.0
    created: float = 0.0
    """Seconds since the epoch; for display only, never for order."""
    maker: Maker | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    inherited: Mapping[str, Any] = field(default_factory=dict)
    context: int = 0
    window: int | None = None
    stop_reason: str | None = None
    error: str | None = None

    @property
    def took(self) -> Mapping[str, Sequence[int]]:
        """What the ladder took back for it: rung -> tokens before and after."""
        return self.inherited.get("took") or {}

    @property
    def text(self) -> str:
        """What the model answered: the text of its messages, in order."""
        return "\n\n".join(message.text for message in self.messages if message.role == "assistant" and message.text)

    @property
    def thinking(self) -> str:
        return "\n\n".join(message.thinking for message in self.messages if message.thinking)


@dataclass(frozen=True, slots=True)
class Overlay:
    """A decision of the ladder, laid over the transcript that never changes (rule 10).

    `anchor` is the message the prompt continued from; the decision is about the messages from `first` to `last`; all
    three are message ids. `kind` is the rung. The payload holds no ids: a fork renames the three fields and the payload
    stays true. Places in it are counted from `first`: [messages after it, block, part of the block or -1].
    """

    anchor: str
    kind: str
    first: str
    last: str
    policy: str
    profile: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    created: float = 0.0

    @property
    def key(self) -> tuple[str, str, str, str, str, str]:
        """What makes two decisions the same one."""
        return self.anchor, self.kind, self.first, self.last, self.policy, self.profile


def same_question(prompt: str, settings: Mapping[str, Any]) -> str:
    """A key that two runs of a cell share when the user wrote the same: prompt and settings, canonically."""
    return json.dumps([prompt, settings], sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def clean_text(text: str) -> str:
    """`text` without lone surrogates, which no JSON parser of a server accepts."""
    return _SURROGATES.sub("\ufffd", text)


def clean_json(value: Any) -> Any:
    """A JSON value with all its strings cleaned; the value itself where there is nothing to clean."""
    if not any(_SURROGATES.search(text) for text in _strings(value)):
        return value
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Mapping):
        return {clean_text(key): clean_json(item) for key, item in value.items()}
    return [clean_json(item) for item in value]


def turn_starts(path: Sequence[Message]) -> list[int]:
    """Where the turns of a path begin: at the user prompts, never at the results of a tool."""
    starts: list[int] = []
    for n, message in enumerate(path):
        if message.role == "user" and not message.results:
            before = path[n - 1] if n else None
            if before is None or message.turn != before.turn or not message.turn:
                starts.append(n)
    return starts


def whole(turn: TurnRecord) -> bool:
    """Whether a turn ends where one may: no call waits, and the model had the last word, was stopped, or (in a digest)
    had none to say."""
    ended = turn.outcome == "stopped" or turn.stop_reason == DIGEST
    return at_boundary(turn.messages) or (bool(turn.messages) and ended and not turn.messages[-1].calls)


def at_boundary(messages: Sequence[Message]) -> bool:
    """Whether no tool call waits for its result, and the model had the last word."""
    return bool(messages) and messages[-1].role == "assistant" and not messages[-1].calls


def problems(messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What the provider would refuse in these wire messages (rule 11); one line each, none if the request is valid.

    The rules and their numbers are the provider's: calls and results complete, paired by position and adjacent,
    results first; no empty blocks or messages; a user message first and last; no lone surrogates.
    """
    if not messages:
        yield "messages: at least one message is required"
        return
    if messages[0]["role"] != "user":
        yield "messages.0: the first message must be a user message"
    if messages[-1]["role"] != "user":
        yield f"messages.{len(messages) - 1}: the conversation must end with a user message"
    open_calls: list[str] = []
    for n, message in enumerate(messages):
        where = f"messages.{n}"
        content = message["content"]
        blocks: list[Block] = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        if not blocks:
            yield f"{where}: content is empty"
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if message["role"] == "user":
            head = [block["type"] for block in blocks[: len(results)]]
            if open_calls and (sorted(results) != sorted(open_calls) or head != ["tool_result"] * len(results)):
                yield f"{where}: results {results} must answer the calls {open_calls} of the message before, all, first"
            elif results and not open_calls:
                yield f"{where}: results {results} answer no call of the message before"
        elif open_calls:
            yield f"{where}: the calls {open_calls} of the message before have no results"
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(calls)) != len(calls):
            yield f"{where}: a tool call id is used twice"
        open_calls = calls
        for m, block in enumerate(blocks):
            yield from _block_problems(f"{where}.content.{m}", block)
    if open_calls:
        yield f"messages.{len(messages) - 1}: the calls {open_calls} have no results"


def _block_problems(where: str, block: Block) -> Iterator[str]:
    if block["type"] == "text" and not block["text"].strip():
        yield f"{where}: a text block must contain non-whitespace text"
    if any(_SURROGATES.search(text) for text in _strings(block)):
        yield f"{where}: a lone surrogate"


def _strings(value: object) -> Iterator[str]:
    """All strings in a JSON value, without recursion deeper than the value."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
