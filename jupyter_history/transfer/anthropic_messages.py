"""A request or transcript of the Anthropic Messages API: {"messages": [...]}, perhaps with `model` and `system`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..store.records import Bundle, Conversation
from .nodes import Node, allowed, grow, speaks
from .report import Read, Report

KIND = "Anthropic Messages"
_KNOWN = ("messages", "model", "system", "max_tokens", "stream")


def read(body: Mapping[str, Any]) -> Read:
    report = Report()
    nodes: list[Node] = []
    model = str(body.get("model") or "")
    for n, message in enumerate(body["messages"]):
        role, raw = message["role"], message.get("content")
        if role not in ("user", "assistant"):
            report.left_out(f"a message of the role {role!r}")
            continue
        prompt, last = role == "user" and speaks(raw), nodes[-1] if nodes else None
        if last is not None and last.role == role and (last.prompt or not prompt):
            # the API reads neighbours of one role as one message; a prompt after results begins a turn all the same
            last.content += allowed(raw, report)
            last.prompt = last.prompt or prompt
        else:
            parent = last.id if last is not None else None
            nodes.append(Node(str(n), parent, role, allowed(raw, report), prompt=prompt, model=model))
    for key in body:
        if key not in _KNOWN:
            report.left_out(f"the request's {key!r}")
    turns, _ = grow(nodes, report)
    system = _system(body.get("system"), report)
    settings = {"system": system} if system else {}
    told = tuple(replace(turn, settings=settings) for turn in turns)
    tip = told[-1].id if told else None
    return Read(KIND, Bundle(Conversation("", None, "", 0.0, 0.0, tip, 0, settings=settings), told), report.lines())


def _system(system: Any, report: Report) -> str:
    if isinstance(system, str) or system is None:
        return system or ""
    return "\n\n".join(block["text"] for block in allowed(system, report) if block["type"] == "text")
