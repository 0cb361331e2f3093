"""What a request says, cut into passages that can be quoted, each with the place it came from; and what it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...transcript import Block
from . import count, eyes, rules

SIGNATURE = "offline reader"
"""Words that are in every answer of the reader, by which it knows its own answers again."""

_LONGEST = 320
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|prof|st|al)\.$", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```+|~~~+)")
STUB = re.compile(r'^\[.*\brecall\("(T\d+)"\)')
"""A line that stands for something left out, and names the turn tag that brings it back."""
_TAG = re.compile(r"^\[(T\d+) (\w+)\]$")
_OPENING = re.compile(
    r"(?:please |now |so |and )*(?:tell|show|give|explain|list|summari[sz]e|describe|compare|find|quote|repeat|name|"
    r"say|write|what|who|whose|which|when|where|why|how)\b",
    re.IGNORECASE,
)
_QUESTION_END = re.compile(r"(?:[?？]\W*|か[。.]?)$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a line or a few lines of code. `weight` is below 1 for what is rarely the answer."""

    text: str
    source: str
    code: bool = False
    weight: float = 1.0
    seen: str = ""
    """How it was read, where it was not text: "decoded" pixels, or "blurred" ones."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as the reader sees it. `blind` names the images it could not read, and why.

    `prompt` is the text of the message that asks, `question` what it asks.
    `recalled` holds the turn tags that were brought back since the question; None where there is no `recall` tool.
    """

    prompt: str
    question: str
    passages: tuple[Passage, ...]
    messages: int
    blind: tuple[str, ...]
    pages: int
    recalled: frozenset[str] | None


def read(body: Mapping[str, Any]) -> Request:
    """Take a request apart. The question itself is no passage."""
    model = str(body["model"])
    found: list[Passage] = []
    blind: list[str] = []
    pages = 0
    for part in count.blocks(body.get("system") or ""):
        found.extend(_of_text(part["text"], "system prompt"))
    messages = rules.merged(body["messages"])
    asked = len(messages) - 1
    while asked > 0 and not (messages[asked][1] == "user" and _words(messages[asked][2])):
        asked -= 1
    calls = {part["id"]: part for _, _, parts in messages for part in parts if part["type"] == "tool_use"}
    recalled: set[str] = set()
    prompt = question = ""
    for n, (_, role, parts) in enumerate(messages):
        source = f"message {n + 1}, {role}"
        if n == asked:
            texts = [part["text"] for part in parts if part["type"] == "text"]
            prompt = texts[-1] if texts else ""
            rest, question = ask(prompt)
            for text in (*texts[:-1], *rest):
                found.extend(_of_text(text, source))
        for part in parts:
            if part["type"] == "image" or part["type"] == "tool_result":
                for image in _images(part):
                    seen = eyes.look(image, model)
                    pages += bool(seen.passages)
                    found.extend(Passage(text, f"{source}: {where}", seen=seen.how) for where, text in seen.passages)
                    if seen.problem:
                        blind.append(f"{source}: {seen.problem}")
            if part["type"] == "tool_result":
                tag = _recalled(calls.get(part["tool_use_id"]))
                if n > asked and tag:
                    recalled.add(tag)
                source = f"message {n + 1}, recall" if tag else f"message {n + 1}, tool result"
                found.extend(_of_text(_result(part), source))
            elif part["type"] == "text" and n != asked:
                found.extend(
                    _of_answer(part["text"], source) if role == "assistant" else _of_text(part["text"], source)
                )
    can_recall = any(tool.get("name") == "recall" for tool in body.get("tools") or ())
    brought = frozenset(recalled) if can_recall else None
    return Request(prompt, question, tuple(found), len(messages), tuple(blind), pages, brought)


def ask(prompt: str) -> tuple[list[str], str]:
    """(what a prompt tells, what it asks): its sentences that ask something; failing that, its last."""
    cut = list(sentences(prompt))
    questions = [text for text, code in cut if not code and asks(text)] or [text for text, _ in cut[-1:]]
    return [text for text, _ in cut if text not in questions], " ".join(questions)


def asks(sentence: str) -> bool:
    """Whether a sentence asks for something: a question mark, or a word that questions and requests begin with."""
    return bool(_QUESTION_END.search(sentence) or _OPENING.match(sentence))


def sentences(text: str) -> Iterator[tuple[str, bool]]:
    """(sentence, False) or (some lines of code, True), in order."""
    fence: str | None = None
    code: list[str] = []
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            if fence is not None and code:
                yield from _code(code)
                code = []
            fence = mark[1] if fence is None else None
        elif fence is not None:
            code.append(line)
        else:
            yield from ((part, False) for part in _prose(line))
    if code:
        yield from _code(code)


def _prose(line: str) -> Iterator[str]:
    if STUB.match(line):
        yield line
        return
    start = ""
    for part in _SENTENCE_END.split(line):
        part = f"{start} {part}" if start else part
        start = ""
        if _ABBREVIATION.search(part):
            start = part
        elif part.strip():
            yield from _short(part.strip())
    if start.strip():
        yield from _short(start.strip())


def _short(text: str) -> Iterator[str]:
    while len(text) > _LONGEST:
        at = text.rfind(" ", _LONGEST // 2, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield text[:at].strip()
        text = text[at:].strip()
    if text:
        yield text


def _code(lines: list[str]) -> Iterator[tuple[str, bool]]:
    for at in range(0, len(lines), 8):
        part = "\n".join(lines[at : at + 8]).strip("\n")
        if part.strip():
            yield part[: 4 * _LONGEST], True


def _of_text(text: str, source: str) -> Iterator[Passage]:
    """Sentences with their place; lines such as `[T012 user]` say from which turn on, and whose words they are."""
    place, lines = source, list[str]()
    for line in [*text.splitlines(), None]:
        tag = _TAG.match(line) if line is not None else None
        if line is not None and not tag:
            lines.append(line.removeprefix("<- ") if place != source else line)
            continue
        for sentence, code in sentences("\n".join(lines)):
            rarely = not code and (asks(sentence) or STUB.match(sentence))
            yield Passage(sentence, place, code, 0.4 if rarely else 1.0)
        lines = []
        if tag:
            place = f"{source}: {tag[1]}, {tag[2]}"


def _of_answer(text: str, source: str) -> Iterator[Passage]:
    """An assistant's message. Of the reader's own earlier answers only what they quoted, at a lower weight."""
    if SIGNATURE not in text:
        yield from _of_text(text, source)
        return
    for line in text.splitlines():
        if line.startswith("> ") and not line.startswith("> — "):
            for sentence, _ in sentences(line[2:]):
                yield Passage(sentence, source, weight=0.6)


def _recalled(call: Block | None) -> str:
    """The turn tag that a call of `recall` asked for; "" for any other call."""
    return str(call["input"].get("turn", "")) if call and call["name"] == "recall" else ""


def _result(part: Block) -> str:
    content = part.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(inner["text"] for inner in content if inner["type"] == "text")


def _images(part: Block) -> list[Block]:
    if part["type"] == "image":
        return [part]
    content = part.get("content", "")
    return [] if isinstance(content, str) else [inner for inner in content if inner["type"] == "image"]


def _words(parts: list[Block]) -> bool:
    return any(part["type"] == "text" for part in parts)
