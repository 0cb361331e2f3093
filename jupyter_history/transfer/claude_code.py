"""Claude Code's JSONL: a line a message or a part of one, with `uuid` and `parentUuid`.

The parts of one answer are lines with the same message id; results of calls made at the same time hang on the lines of
their calls. Lines of sub-agents are not part of the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..store.records import Bundle, Conversation
from ..transcript import Usage
from .nodes import Node, allowed, grow, speaks
from .report import Read, Report

KIND = "Claude Code"


def recognise(entries: Sequence[Mapping[str, Any]]) -> bool:
    return any("uuid" in entry and "parentUuid" in entry for entry in entries)


def read(entries: Sequence[dict[str, Any]], report: Report) -> Read:
    nodes: list[Node] = []
    title = ""
    seen: set[str] = set()
    for entry in entries:
        kind = entry.get("type")
        if kind == "summary":
            title = str(entry.get("summary") or title)
            continue
        id = entry.get("uuid")
        if not isinstance(id, str):
            report.left_out(f"a line of type {kind!r}")
            continue
        if id in seen:
            report.left_out("a line that was there twice")
            continue
        seen.add(id)
        if entry.get("isSidechain"):
            report.left_out("a line of a sub-agent")
            continue
        nodes.append(_node(entry, id, report))
    turns, homes = grow(nodes, report)
    tip = next((homes[node.id] for node in reversed(nodes) if homes.get(node.id)), None)
    created = turns[0].created if turns else 0.0
    return Read(KIND, Bundle(Conversation("", None, title, created, created, tip, 0), tuple(turns)), report.lines())


def _node(entry: Mapping[str, Any], id: str, report: Report) -> Node:
    parent = entry.get("parentUuid") or entry.get("logicalParentUuid")
    kind, message = entry.get("type"), entry.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, Mapping) or entry.get("isMeta"):
        report.left_out(
            "a line that Claude Code added for itself" if entry.get("isMeta") else f"a line of type {kind!r}"
        )
        return Node(id, parent, None)
    content = allowed(message.get("content"), report)
    if kind == "assistant":
        used = message.get("usage") or {}
        model = str(message.get("model") or "")
        if model == "<synthetic>":  # an error that was shown as an answer
            report.left_out("an answer that no model gave")
            return Node(id, parent, None)
        return Node(
            id, parent, "assistant", content, str(message.get("id") or ""), created=seconds(entry.get("timestamp")),
            model=model,
            usage=Usage(
                used.get("input_tokens") or 0, used.get("output_tokens") or 0, used.get("cache_read_input_tokens") or 0,
                used.get("cache_creation_input_tokens") or 0,
            ),
        )  # fmt: skip
    prompt = speaks(message.get("content"))
    if prompt and entry.get("isCompactSummary"):
        report.left_out("a summary of what came before (the turns themselves are kept)")
        return Node(id, parent, None)
    return Node(id, parent, "user", content, prompt=prompt, created=seconds(entry.get("timestamp")))


def seconds(stamp: Any) -> float:
    """An ISO time, or milliseconds, as seconds since the epoch; 0 for what is neither."""
    if isinstance(stamp, int | float):
        return stamp / 1000
    try:
        return datetime.fromisoformat(str(stamp).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0
