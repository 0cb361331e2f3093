"""Other programs' transcripts, which are trees of messages, as turns.

A reader makes `Node`s; `grow` gathers them: a turn begins at a prompt and holds what follows up to the next prompts,
its calls paired with their results wherever those stand. What the provider would refuse is left out and reported.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..model import catalog
from ..transcript import Block, Message, Role, TurnRecord, Usage, clean_json
from .report import Report

INTERRUPTED = "Interrupted: no result was recorded."
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(slots=True)
class Node:
    """One message of another program. `message` joins nodes that are parts of one message; "" joins none.

    A node without a role stands for an entry that is no message: what continues from it continues from its parent.
    """

    id: str
    parent: str | None
    role: Role | None
    content: list[Block] = field(default_factory=list)
    message: str = ""
    prompt: bool = False
    created: float = 0.0
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    failed: bool = False


def grow(nodes: Sequence[Node], report: Report) -> tuple[list[TurnRecord], dict[str, str | None]]:
    """Turns in the order of the nodes; for each node the id of the turn that it is in or continues (None: the root)."""
    known = {node.id: node for node in nodes}
    homes: dict[str, str | None] = {}
    parts: dict[str, list[Node]] = {}
    parents: dict[str, str | None] = {}
    for node in _from_the_root(nodes, known, report):
        above = homes.get(node.parent) if node.parent is not None else None
        if node.role == "user" and node.prompt:
            homes[node.id], parts[node.id], parents[node.id] = node.id, [node], above
        else:
            homes[node.id] = above
            if node.role is not None:
                if above is None:
                    report.left_out("an answer before any prompt")
                else:
                    parts[above].append(node)
    turns: list[TurnRecord] = []
    instead: dict[str | None, str | None] = {None: None}
    for id, told in parts.items():
        parent = instead[parents[id]]
        turn = _turn(id, parent, told, report)
        instead[id] = id if turn is not None else parent
        if turn is not None:
            turns.append(turn)
    return turns, {id: instead[home] for id, home in homes.items()}


def allowed(blocks: Any, report: Report) -> list[Block]:
    """The blocks of a message in Anthropic's form that can be sent again."""
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    kept = []
    for block in blocks or []:
        fine = _allowed(block, report) if isinstance(block, dict) else None
        if fine is not None:
            kept.append(clean_json(fine))
        elif not isinstance(block, dict):
            report.left_out("a content block that is none")
    return kept


def _allowed(block: dict[str, Any], report: Report) -> Block | None:
    match block:
        case {"type": "text", "text": str(text)}:
            return {"type": "text", "text": text} if text.strip() else None
        case {"type": "thinking", "thinking": str(thinking), "signature": str(signature)} if signature:
            return {"type": "thinking", "thinking": thinking, "signature": signature}
        case {"type": "redacted_thinking", "data": str(data)}:
            return {"type": "redacted_thinking", "data": data}
        case {"type": "tool_use", "id": str(id), "name": str(name)}:
            return {"type": "tool_use", "id": id, "name": name, "input": dict(block.get("input") or {})}
        case {"type": "tool_result", "tool_use_id": str(id)}:
            content = block.get("content")
            told = {"content": content if isinstance(content, str) else allowed(content, report)} if content else {}
            error = {"is_error": True} if block.get("is_error") else {}
            return {"type": "tool_result", "tool_use_id": id, **told, **error}
        case {"type": "image", "source": {"type": "base64", "media_type": str(media), "data": str(data)}}:
            if media in _IMAGE_TYPES:
                return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}
        case {"type": "document", "source": dict(source)}:
            return {"type": "document", "source": source}
        case {"type": "thinking"}:
            report.left_out("thinking without a signature (a model takes none back)")
            return None
    report.left_out(f"a content block of type {block.get('type')!r}")
    return None


def _from_the_root(nodes: Sequence[Node], known: dict[str, Node], report: Report) -> Iterable[Node]:
    """The nodes in their order, but none before its parent; those whose parents are missing begin at the root."""
    seen: set[str] = set()
    for node in nodes:
        chain: list[Node] = []
        step: Node | None = node
        while step is not None and step.id not in seen:
            seen.add(step.id)
            chain.append(step)
            if step.parent is not None and step.parent not in known:
                report.left_out("a parent that is not in the file: what continued from it begins at the root")
                step.parent = None
            step = known[step.parent] if step.parent is not None else None
        yield from reversed(chain)


def _turn(id: str, parent: str | None, parts: list[Node], report: Report) -> TurnRecord | None:
    """The turn of a prompt and what follows it; None if nothing does."""
    told = _messages(parts, report)
    answers = [node for node in parts if node.role == "assistant"]
    if not any(message.role == "assistant" for message in told):
        report.left_out("a prompt without an answer")
        return None
    usage = Usage()
    for answer in {node.message or node.id: node for node in answers}.values():
        usage += answer.usage
    model = next((node.model for node in reversed(answers) if node.model), "unknown")
    costs = [node.cost for node in answers if node.cost is not None]
    return TurnRecord(
        id=id,
        conversation="",
        parent=parent,
        prompt=told[0].text,
        messages=tuple(replace(message, turn=id, index=n) for n, message in enumerate(told)),
        model=model,
        outcome="complete" if told[-1].role == "assistant" and not answers[-1].failed else "stopped",
        usage=usage,
        cost=sum(costs) if costs else catalog.cost(model, usage),
        seconds=max(0.0, parts[-1].created - parts[0].created) if parts[0].created else 0.0,
        created=parts[0].created,
        context=answers[-1].usage.prompt + answers[-1].usage.output,
    )


def _messages(parts: list[Node], report: Report) -> list[Message]:
    """Alternating messages whose calls are answered in the next one, each once, in the order of the calls."""
    results = {
        block["tool_use_id"]: block for node in parts for block in node.content if block["type"] == "tool_result"
    }
    told = [Message("user", tuple(block for block in parts[0].content if block["type"] != "tool_result"))]
    joined: dict[str, list[Block]] = {}
    asked: set[str] = set()
    for node in parts[1:]:
        if node.role == "assistant":
            joined.setdefault(node.message or node.id, []).extend(node.content)
        elif any(block["type"] != "tool_result" for block in node.content):
            report.left_out("a message of the user in the middle of a turn")
    for content in joined.values():
        fresh, calls = _fresh(content, asked)
        if not any(block["type"] not in ("thinking", "redacted_thinking") for block in fresh):
            continue
        if told[-1].role == "assistant":  # two answers in a row, the first without calls: one message
            told[-1] = replace(told[-1], content=(*told[-1].content, *fresh))
        else:
            told.append(Message("assistant", tuple(fresh)))
        if calls:
            told.append(
                Message("user", tuple(results.pop(call) if call in results else _unanswered(call) for call in calls))
            )
    report.left_out("a tool result that no call asked for", len(results))
    return told if told[0].content else [Message("user", ({"type": "text", "text": "(no text)"},)), *told[1:]]


def _fresh(content: list[Block], asked: set[str]) -> tuple[list[Block], list[str]]:
    """The blocks without calls that were made before, and the calls that were not; `asked` learns of them."""
    fresh, calls = [], []
    for block in content:
        if block["type"] != "tool_use" or block["id"] not in asked:
            fresh.append(block)
            if block["type"] == "tool_use":
                asked.add(block["id"])
                calls.append(block["id"])
    return fresh, calls


def _unanswered(call: str) -> Block:
    return {"type": "tool_result", "tool_use_id": call, "content": INTERRUPTED, "is_error": True}


def call_id(id: str) -> str:
    """A call's id in the form that the provider takes (letters, digits, `_`, `-`)."""
    if id and all(char.isascii() and (char.isalnum() or char in "_-") for char in id) and len(id) <= 64:
        return id
    return f"call_{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
