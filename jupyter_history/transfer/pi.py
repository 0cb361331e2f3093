"""pi's session JSONL (versions 1 to 3): a header, then entries with `id` and `parentId`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..store.ids import looks_like_turn
from ..store.records import Bundle, Conversation
from ..transcript import Block, Usage
from .claude_code import seconds
from .nodes import Node, allowed, call_id, grow, speaks
from .report import Read, Report

KIND = "pi"


def recognise(entries: Sequence[Mapping[str, Any]]) -> bool:
    return bool(entries) and entries[0].get("type") == "session"


def read(entries: Sequence[dict[str, Any]], report: Report) -> Read:
    nodes: list[Node] = []
    labels: dict[str, str] = {}
    title, last = "", None
    for number, entry in enumerate(entries[1:], start=1):
        id = str(entry.get("id") or f"line-{number}")
        parent = entry.get("parentId", last)  # version 1 has no tree: each continues from the one before
        last = id
        nodes.append(_node(entry, id, parent, report))
        if entry.get("type") == "label":
            labels.pop(labels_of(labels, entry.get("targetId")), None)
            if entry.get("label"):
                labels[str(entry["label"])] = str(entry.get("targetId"))
        elif entry.get("type") == "session_info":
            title = str(entry.get("name") or title)
    turns, homes = grow(nodes, report)
    kept = {}
    for label, target in labels.items():
        word = "-".join(label.split())[:80]
        if homes.get(target) and word and not looks_like_turn(word) and word not in ("tip", "root"):
            kept[word] = str(homes[target])
        else:
            report.left_out("a label that names no turn, or cannot be one here")
    tip = homes.get(nodes[-1].id) if nodes else None
    created = seconds(entries[0].get("timestamp"))
    conversation = Conversation("", None, title, created, created, tip, 0)
    return Read(KIND, Bundle(conversation, tuple(turns), labels=kept), report.lines())


def labels_of(labels: Mapping[str, str], target: Any) -> str:
    """The label that an entry has now; a new one takes its place."""
    return next((label for label, at in labels.items() if at == target), "")


_QUIET = ("label", "session_info", "model_change", "thinking_level_change")
"""Entries that say nothing a turn does not say itself."""


def _node(entry: Mapping[str, Any], id: str, parent: str | None, report: Report) -> Node:
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, Mapping):
        if entry.get("type") not in _QUIET:
            report.left_out(f"an entry of type {entry.get('type')!r}")
        return Node(id, parent, None)
    created = seconds(message.get("timestamp") or entry.get("timestamp"))
    role = message.get("role")
    if role == "user":
        raw = _blocks(message.get("content"))
        return Node(id, parent, "user", allowed(raw, report), prompt=speaks(raw), created=created)
    if role == "toolResult":
        content = allowed(_blocks(message.get("content")), report)
        block: Block = {
            "type": "tool_result",
            "tool_use_id": call_id(str(message.get("toolCallId"))),
            "content": content,
        }
        if not content:
            del block["content"]
        if message.get("isError"):
            block["is_error"] = True
        return Node(id, parent, "user", [block], created=created)
    if role == "assistant":
        used = message.get("usage") or {}
        cost = (used.get("cost") or {}).get("total")
        return Node(
            id, parent, "assistant", allowed(_blocks(message.get("content")), report), created=created,
            model=str(message.get("model") or ""),
            usage=Usage(
                used.get("input") or 0, used.get("output") or 0, used.get("cacheRead") or 0, used.get("cacheWrite") or 0
            ),
            cost=float(cost) if isinstance(cost, int | float) else None,
            failed=message.get("stopReason") in ("error", "aborted"),
        )  # fmt: skip
    report.left_out(f"a message of the role {role!r}")
    return Node(id, parent, None)


def _blocks(content: Any) -> Any:
    """pi's blocks in Anthropic's form."""
    if not isinstance(content, list):
        return content
    return [_block(block) if isinstance(block, Mapping) else block for block in content]


def _block(block: Mapping[str, Any]) -> Any:
    match block:
        case {"type": "toolCall", "id": str(id), "name": str(name)}:
            return {"type": "tool_use", "id": call_id(id), "name": name, "input": block.get("arguments") or {}}
        case {"type": "image", "data": str(data), "mimeType": str(media)}:
            return {"type": "image", "source": {"type": "base64", "media_type": media, "data": data}}
        case {"type": "thinking", "thinking": thinking}:
            return {"type": "thinking", "thinking": thinking, "signature": block.get("thinkingSignature") or ""}
    return dict(block)
