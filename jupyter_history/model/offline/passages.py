"""What a request says, cut into passages that can be quoted, each with the place it came from; and what it asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ...transcript import Block
from . import count, eyes, rules
from .calls import Call, written

SIGNATURE = "offline reader"
"""Words that are in every answer of the reader, by which it knows its own answers again."""

_LONGEST = 320
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]\x05]*(?=\s)|[。！？]+[」』）\x05]*")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|dr|mr|mrs|ms|prof|st|al)\.$", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```+|~~~+)")
STUB = re.compile(r'^\[.*\brecall\("(T\d+)"\)')
"""A line that stands for something left out, and names the turn tag that brings it back."""
_TAG = re.compile(r"^\[(T\d+) (\w+)\]$")
_ITEM = re.compile(r"^- (T\d+), (\w+): (.+)$")
"""A line of an extract that the reader made before."""
_SIDECAR = re.compile(r"^\[page (\d+), exact strings\] (.*)$")
_OPENING = re.compile(
    r"(?:please |now |so |and )*(?:tell|show|give|explain|list|summari[sz]e|describe|compare|find|quote|repeat|name|"
    r"say|write|what|who|whose|which|when|where|why|how)\b",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"^\s*(?:please |now )*(?:summari[sz]e\b|write (?:a|the|one) (?:summary|record)\b)", re.IGNORECASE
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

    `summary`: the prompt asks for one.
    `recalled` holds the turn tags that were brought back since the question; None where there is no `recall` tool.
    `calls` are those that the prompt writes and that were not made yet, `results` what the others brought.
    """

    summary: bool
    question: str
    passages: tuple[Passage, ...]
    messages: int
    blind: tuple[str, ...]
    pages: int
    recalled: frozenset[str] | None
    calls: tuple[Call, ...] = ()
    results: tuple[Passage, ...] = ()


def read(body: Mapping[str, Any]) -> Request:
    """Take a request apart. The question itself is no passage."""
    model = str(body["model"])
    messages = rules.merged(body["messages"])
    asking = _asking(messages)
    calls = {part["id"]: part for _, _, parts in messages for part in parts if part["type"] == "tool_use"}
    found = [passage for part in count.blocks(body.get("system") or "") for passage in _of_text(part["text"], "system")]
    blind: list[str] = []
    pages, summary, question = 0, False, ""
    recalled: set[str] = set()
    planned: list[Call] = []
    made: list[tuple[str, Any]] = []
    results: list[Passage] = []
    for n, (_, role, parts) in enumerate(messages):
        where = f"message {n + 1}"
        texts = [part["text"] for part in parts if part["type"] == "text"]
        if n == asking and texts:
            *texts, prompt = texts
            planned, prompt = written(prompt, body.get("tools") or ())
            planned = planned[_rewound(planned, texts) :]
            told, question = ask(prompt)
            question = question or " ".join(str(value) for call in planned for value in call.input.values())
            summary = bool(_SUMMARY.match(prompt))
            # beside the text to summarise stand the wishes for the summary, which are no part of it
            texts += told if not (summary and texts) else []
        seen = [eyes.look(image, model) for part in parts for image in _images(part)]
        blind.extend(f"{where}, {role}: {problem}" for problem in seen if isinstance(problem, str))
        readable = [each for each in seen if not isinstance(each, str)]
        pages += len(readable)
        found.extend(_of_pages(chain.from_iterable(readable), where, eyes.how(model)))
        for part in parts:
            if part["type"] == "tool_result":
                call = calls.get(part["tool_use_id"])
                tag = _recalled(call)
                if n > asking and tag:
                    recalled.add(tag)
                brought = list(_of_text(_result(part), f"{where}, {'recall' if tag else 'tool result'}"))
                found.extend(brought)
                if n > asking and call is not None:
                    made.append((call["name"], call["input"]))
                    results += brought if made[-1] in [(each.name, each.input) for each in planned] else []
        for text in texts:
            found.extend(_of_text(text, f"{where}, {role}", role))
    can_recall = any(tool.get("name") == "recall" for tool in body.get("tools") or ())
    left = [call for call in planned if not _take(made, (call.name, call.input))]
    return Request(
        summary,
        question,
        tuple(found),
        len(messages),
        tuple(blind),
        pages,
        frozenset(recalled) if can_recall else None,
        tuple(left),
        tuple(results),
    )


def _rewound(planned: Sequence[Call], texts: Sequence[str]) -> int:
    """How many of the calls were made before a rewind: its digest stands before the prompt, once for each."""
    rewinds = [n + 1 for n, call in enumerate(planned) if call.name == "rewind"]
    done = sum(text.startswith("[Rewound to the checkpoint") for text in texts)
    return rewinds[min(done, len(rewinds)) - 1] if done and rewinds else 0


def _take(made: list[tuple[str, Any]], call: tuple[str, Any]) -> bool:
    """Whether the call is among them; it is taken out, so that a second of its kind counts for itself."""
    if call not in made:
        return False
    made.remove(call)
    return True


def _asking(messages: Sequence[tuple[int, str, list[Block]]]) -> int:
    """Which message holds the question: the last of the user's that says something; results of tools say nothing."""
    said = [n for n, (_, role, parts) in enumerate(messages) if role == "user" and _words(parts)]
    return said[-1] if said else 0


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
    begin = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]:
        part = line[begin:end].strip()
        if end < len(line) and _ABBREVIATION.search(part):
            continue
        begin = end
        if part:
            yield from _short(part)


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


def _of_text(text: str, source: str, role: str = "user") -> Iterator[Passage]:
    """Passages with their place; lines such as `[T012 user]` say from which turn on, and whose words they are."""
    place, lines = source, list[str]()
    for line in text.splitlines():
        if sidecar := _SIDECAR.match(line):
            yield from _of_sidecar(sidecar, source)
        elif item := _ITEM.match(line):
            yield from _of_words(item[3], f"{source}: {item[1]}, {item[2]}", item[2])
        elif tag := _TAG.match(line):
            yield from _of_words("\n".join(lines), place, role)
            place, lines, role = f"{source}: {tag[1]}, {tag[2]}", [], tag[2]
        else:
            lines.append(line)
    yield from _of_words("\n".join(lines), place, role)


def _of_words(text: str, place: str, role: str) -> Iterator[Passage]:
    """What one side said in one place. Of the reader's own earlier answers only what they quoted, at a lower weight."""
    own = role == "assistant" and SIGNATURE in text
    if own:
        quoted = (line[2:] for line in text.splitlines() if line.startswith("> ") and not line.startswith("> — "))
        text = "\n".join(quoted)
    for sentence, code in sentences(text.removeprefix("<- ")):
        rarely = not code and (asks(sentence) or STUB.match(sentence))
        yield Passage(sentence, place, code, 0.4 if rarely else 0.6 if own else 1.0)


def _of_sidecar(found: re.Match[str], source: str) -> Iterator[Passage]:
    for strings in found[2].split("; "):
        yield Passage(strings, f"{source}: sidecar of page {found[1]}", weight=0.3)


def _of_pages(parts: Iterable[eyes.Part], source: str, how: str) -> Iterator[Passage]:
    """What pages say, with page and turn; a sentence over the end of a page is whole."""
    for run in eyes.joined(parts):
        turned = 0
        for passage in _of_words(run.text, source, run.role):
            text = passage.text.lstrip(eyes.PAGE_BREAK)
            turned += len(passage.text) - len(text)
            whose = ", ".join(filter(None, (f"{source}: page {run.pages[turned]}", run.tag, run.role)))
            turned += text.count(eyes.PAGE_BREAK)
            if text := text.replace(eyes.PAGE_BREAK, "").strip():
                yield Passage(text, whose, passage.code, passage.weight, how)


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
