"""What a cell shows of an answer: a bundle by MIME type, the footer line, and the one display of a running cell.

An answer is never HTML and never a widget: Markdown made harmless (rule 21), plain text, and a small JSON that our
renderer for JupyterLab draws. A saved notebook reads the same without any of us (rule 22).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ..transcript import Message, Usage
from .calls import plain, story
from .live import Display
from .markdown import safe, safe_line, visible

__all__ = ["MIME", "Answer", "Display", "bundle", "filled", "footer", "price", "text"]

MIME = "application/vnd.jupyter-history.turn.v1+json"


class Answer(Protocol):
    """What is shown of a turn; `TurnRecord` and `Turn` are such."""

    @property
    def id(self) -> str: ...
    @property
    def conversation(self) -> str: ...
    @property
    def parent(self) -> str | None: ...
    @property
    def prompt(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def thinking(self) -> str: ...
    @property
    def messages(self) -> tuple[Message, ...]: ...
    @property
    def model(self) -> str: ...
    @property
    def outcome(self) -> str: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def cost(self) -> float | None: ...
    @property
    def context(self) -> int: ...
    @property
    def window(self) -> int | None: ...
    @property
    def stop_reason(self) -> str | None: ...


def bundle(
    turn: Answer,
    *,
    siblings: Sequence[str],
    streaming: bool = False,
    stored: bool = False,
    notes: Sequence[str] = (),
    label: str | None = None,
    body: str | None = None,
    status: str = "",
) -> dict[str, Any]:
    """The answer by MIME type. `siblings`: all answers to the same parent, oldest first, this one included.

    `stored`: shown from the store, without a call. `streaming`: it is still being written. `status` then says what is
    awaited, in the footer's place, and `body` is the harmless Markdown of what has come, where the caller has it.
    """
    called = any(message.calls for message in turn.messages)
    if body is None:
        body = story(turn.messages) if called else safe(turn.text).rstrip()
    line = status or footer(turn, stored=stored, label=label)
    counted = " · ".join(filter(None, [line, "" if status else which(turn.id, siblings)]))
    data = {
        "v": 1,
        "id": turn.id,
        "conversation": turn.conversation,
        "parent": turn.parent,
        "siblings": list(siblings),
        "outcome": turn.outcome,
        "streaming": streaming,
        "stored": stored,
        "model": turn.model,
        "label": label,
        "body": len(body.encode("utf-16-le")) // 2,
        "footer": line,
        "thinking": visible(turn.thinking),
        "notes": [visible(note) for note in notes],
        "question": visible(turn.prompt[:160]),
    }
    below = [f"<sub>{safe_line(said)}</sub>" for said in (counted, *notes)]
    if turn.thinking and not streaming:
        thoughts = f"<details><summary>thinking</summary>\n\n{safe(turn.thinking).strip()}\n\n</details>"
        below.insert(0, thoughts)
    told = plain(turn.messages) if called else visible(turn.text).rstrip()
    return {
        "text/markdown": "\n\n".join([body, *below] if body else below),
        "text/plain": "\n\n".join([told, *(f"[{visible(said)}]" for said in (counted, *notes))]),
        MIME: data,
    }


def text(turn: Answer, *, siblings: Sequence[str] = (), notes: Sequence[str] = ()) -> str:
    """The answer and its footer, readable in a terminal."""
    return f"{visible(turn.text).rstrip()}\n\n{said_below(turn, siblings=siblings, notes=notes)}"


def said_below(
    turn: Answer,
    *,
    siblings: Sequence[str],
    stored: bool = False,
    label: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """What stands below an answer in a terminal: its footer and the notes, each on a line."""
    line = " · ".join(filter(None, [footer(turn, stored=stored, label=label), which(turn.id, siblings)]))
    return "\n".join(f"[{visible(said)}]" for said in (line, *notes))


def footer(turn: Answer, *, stored: bool = False, label: str | None = None) -> str:
    """Where the answer stands and what it cost, on one line of plain text.

    How many answers stand beside it is not said here: `which` says it, and our renderer asks the kernel, because a
    saved count goes stale.
    """
    where = f"continues from {turn.parent}" if turn.parent else "starts the conversation"
    parts = [f"{turn.id} ({label})" if label else turn.id, where, turn.model]
    if turn.outcome != "complete":
        parts.append(turn.outcome)
    if turn.stop_reason == "max_tokens":
        parts.append("cut at its longest allowed length")
    if turn.usage.prompt or turn.usage.output:
        cached = f" ({turn.usage.cache_read:,} cached)" if turn.usage.cache_read else ""
        parts.append(f"{turn.usage.prompt:,} tokens in{cached}, {turn.usage.output:,} out")
    parts.append(price(turn.cost))
    if full := filled(turn):
        parts.append(full)
    if stored:
        parts.append("stored answer, no call")
    return " · ".join(parts)


def which(turn: str, siblings: Sequence[str]) -> str:
    """`answer 2 of 3`, or nothing for an only answer."""
    if len(siblings) < 2 or turn not in siblings:
        return ""
    return f"answer {list(siblings).index(turn) + 1} of {len(siblings)}"


def filled(turn: Answer) -> str:
    """`window 8 % full`, with this turn and all before it as they were sent; nothing where it is not known."""
    return f"window {_percent(turn.context / turn.window)} full" if turn.window and turn.context else ""


def price(cost: float | None) -> str:
    """An amount of dollars as a reader wants it: to the cent, or to two digits where it is less than ten."""
    if cost is None:
        return "price unknown"
    if cost <= 0:
        return "free"
    if cost < 0.0001:
        return "under $0.0001"
    return f"${cost:.4f}" if cost < 0.1 else f"${cost:,.2f}"


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %") if share >= 0.01 else "under 1 %"
