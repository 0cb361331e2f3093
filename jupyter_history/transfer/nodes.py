"""Other programs' transcripts, which are trees of messages, as turns.

A reader makes `Node`s; `grow` gathers them: a turn begins at a prompt and holds what follows up to the next prompts,
its calls paired with their results wherever those stand. What the provider would refuse is left out and reported; a
call without a result stays where something else can be read beside it, with a result that says so (rules 11 and 24).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..model import catalog
from ..transcript import THINKING, Block, Message, Role, TurnRecord, Usage, clean_json
from .report import Report

UNANSWERED = "No result of this call was recorded."
NOTHING = "(nothing of this prompt could be imported)"
_HOLDS = {
    "user": ("text", "image", "document", "tool_result"),
    "assistant": ("text", "thinking", "redacted_thinking", "tool_use"),
}
_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(slots=True)
class Node:
    """One message of another program. `message` joins nodes that are parts of one message; "" joins none.

    `prompt`: the user says something in it (see `speaks`). A node without a role stands for an entry that is no
    message: what continues from it continues from its parent.
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
    made: dict[str, set[str]] = {}
    for node in _from_the_root(nodes, known, report):
        above = homes.get(node.parent) if node.parent is not None else None
        _fit(node, report)
        if node.prompt and not (above and made[above].intersection(_results(node))):
            homes[node.id], parts[node.id], parents[node.id], made[node.id] = node.id, [node], above, set()
            continue
        homes[node.id] = above
        if node.role is None:
            continue
        if not node.content:
            report.left_out("an empty message")
        elif above is None:
            report.left_out("a message before any prompt")
        else:
            parts[above].append(node)
            made[above].update(block["id"] for block in node.content if block["type"] == "tool_use")
    turns: list[TurnRecord] = []
    instead: dict[str | None, str | None] = {None: None}
    for id, told in parts.items():
        parent = instead[parents[id]]
        turn = _turn(id, parent, told, report)
        instead[id] = id if turn is not None else parent
        if turn is not None:
            turns.append(turn)
    return turns, {id: instead[home] for id, home in homes.items()}


def speaks(blocks: Any) -> bool:
    """Whether the content of a user's message, as it stands in the file, is more than results and white space."""
    if isinstance(blocks, str):
        return bool(blocks.strip())
    told = [block for block in blocks or () if isinstance(block, Mapping) and block.get("type") != "tool_result"]
    return any(block.get("type") != "text" or str(block.get("text") or "").strip() for block in told)


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
        case {"type": "tool_use", "id": str(id), "name": str(name), "input": dict(given)}:
            return {"type": "tool_use", "id": id, "name": name, "input": given}
        case {"type": "tool_result", "tool_use_id": str(id)}:
            content = block.get("content")
            content = content if isinstance(content, str) else allowed(content, report)
            told = {"content": content} if content else {}
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


def _fit(node: Node, report: Report) -> None:
    """Leave out the blocks that no message of this role may hold."""
    if node.role is None:
        return
    for block in node.content:
        if block["type"] not in _HOLDS[node.role]:
            report.left_out(f"a content block of type {block['type']!r} in a message of the role {node.role!r}")
    node.content = [block for block in node.content if block["type"] in _HOLDS[node.role]]


def _results(node: Node) -> list[str]:
    """The calls that it answers."""
    return [block["tool_use_id"] for block in node.content if block["type"] == "tool_result"]


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
    told, unanswered = _messages(parts, report)
    answers = [node for node in parts if node.role == "assistant"]
    if not any(message.role == "assistant" for message in told):
        report.left_out("a prompt without an answer")
        return None
    if not any(_readable(message) for message in told[1:]):
        report.left_out("a prompt whose only answer was a call without a result")
        return None
    report.changed("a call without a result: the result it has now says so", unanswered)
    if not parts[0].content:
        report.changed(f"a prompt of which nothing is left: it reads {NOTHING!r}")
    usage = Usage()
    for answer in {node.message or node.id: node for node in answers}.values():
        usage += answer.usage
    model = next((node.model for node in reversed(answers) if node.model), "unknown")
    costs = [node.cost for node in answers if node.cost is not None]
    return TurnRecord(
        id=id,
        conversation="",
        parent=parent,
        prompt="\n\n".join(block["text"] for block in told[0].content if block["type"] == "text"),
        messages=tuple(replace(message, turn=id, index=n) for n, message in enumerate(told)),
        model=model,
        outcome="complete" if told[-1].role == "assistant" and not answers[-1].failed else "stopped",
        usage=usage,
        cost=sum(costs) if costs else catalog.cost(model, usage),
        seconds=max(0.0, parts[-1].created - parts[0].created) if parts[0].created else 0.0,
        created=parts[0].created,
        context=answers[-1].usage.prompt + answers[-1].usage.output,
    )


def _messages(parts: list[Node], report: Report) -> tuple[list[Message], int]:
    """Alternating messages whose calls are answered in the next one, each once, in the order of the calls; how many
    calls had no result. What the user said beside results stays beside them."""
    joined: dict[str, list[Block]] = {}
    makers: dict[str, str] = {}
    results: dict[str, Block] = {}
    beside: dict[str, list[Block]] = {}
    for node in parts:
        if node.role == "assistant":
            message = node.message or node.id
            joined.setdefault(message, []).extend(_fresh(node.content, makers, message, report))
            continue
        for block in node.content:
            if block["type"] == "tool_result":
                report.left_out("a second result of a call", block["tool_use_id"] in results)
                results[block["tool_use_id"]] = block
        said = [block for block in node.content if block["type"] != "tool_result"]
        if said and node is not parts[0]:
            message = next(makers[call] for call in _results(node) if call in makers)
            beside.setdefault(message, []).extend(said)
    prompt = tuple(block for block in parts[0].content if block["type"] != "tool_result")
    told = [Message("user", prompt or ({"type": "text", "text": NOTHING},))]
    unanswered = 0
    for message, content in joined.items():
        calls = [block["id"] for block in content if block["type"] == "tool_use"]
        if all(block["type"] in THINKING for block in content):
            report.left_out("an answer that is only thinking", bool(content))
            continue
        if told[-1].role == "assistant":  # two answers in a row, the first without calls: one message
            told[-1] = replace(told[-1], content=(*told[-1].content, *content))
        else:
            told.append(Message("assistant", tuple(content)))
        if calls:
            unanswered += sum(call not in results for call in calls)
            found = [results.pop(call) if call in results else _unanswered(call) for call in calls]
            told.append(Message("user", (*found, *beside.get(message, ()))))
    report.left_out("a tool result that no call asked for", len(results))
    return told, unanswered


def _fresh(content: list[Block], makers: dict[str, str], message: str, report: Report) -> list[Block]:
    """The blocks without calls that were made before; `makers` learns which message made the others."""
    fresh = []
    for block in content:
        if block["type"] == "tool_use":
            if block["id"] in makers:
                report.left_out("a call that was there twice")
                continue
            makers[block["id"]] = message
        fresh.append(block)
    return fresh


def _unanswered(call: str) -> Block:
    return {"type": "tool_result", "tool_use_id": call, "content": UNANSWERED, "is_error": True}


def _readable(message: Message) -> bool:
    """Whether it holds something that was said or found, more than thoughts and calls."""
    blocks = (block for block in message.content if block["type"] not in (*THINKING, "tool_use"))
    return any(block.get("content") != UNANSWERED for block in blocks)


def call_id(id: str) -> str:
    """A call's id in the form that the provider takes (letters, digits, `_`, `-`)."""
    if id and all(char.isascii() and (char.isalnum() or char in "_-") for char in id) and len(id) <= 64:
        return id
    return f"call_{hashlib.sha256(id.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
