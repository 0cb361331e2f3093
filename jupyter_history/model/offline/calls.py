"""Calls that a prompt writes itself, `look("owl", most=2)`: the reader makes those, one by one, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FENCED = re.compile(r"^\s*(```+|~~~+).*?^\s*\1\s*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool with its arguments, and as it was written."""

    name: str
    input: dict[str, Any]
    text: str


def written(prompt: str, tools: Sequence[Mapping[str, Any]]) -> tuple[list[Call], str]:
    """The calls of these tools in a prompt, in order, and the prompt without them. Code in fences is only quoted."""
    parameters = {str(tool["name"]): list((tool.get("input_schema") or {}).get("properties") or ()) for tool in tools}
    if not parameters:
        return [], prompt
    quoted = [found.span() for found in _FENCED.finditer(prompt)]
    calls: list[Call] = []
    rest, end = "", 0
    for found in re.finditer(rf"(?<![\w.])({'|'.join(map(re.escape, parameters))})\(", prompt):
        if found.start() < end or any(first <= found.start() < last for first, last in quoted):
            continue
        call = _read(prompt, found.start(), found[1], parameters[found[1]])
        if call is not None:
            calls.append(call)
            rest += prompt[end : found.start()]
            end = found.start() + len(call.text)
    return calls, rest + prompt[end:]


def _read(prompt: str, start: int, name: str, parameters: Sequence[str]) -> Call | None:
    """The call that begins there, if all its arguments are literals; positional ones in the order of the schema."""
    for close in re.finditer(r"\)", prompt[start:]):
        text = prompt[start : start + close.end()]
        try:
            node = ast.parse(text, mode="eval").body
            assert isinstance(node, ast.Call)
            given = [ast.literal_eval(each) for each in node.args]
            named = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords if each.arg}
        except (SyntaxError, ValueError, AssertionError):
            continue
        if len(given) > len(parameters):
            return None
        return Call(name, {**dict(zip(parameters, given, strict=False)), **named}, text)
    return None
