"""Questions with exact answers, and how a reply to one is graded: right, wrong or abstained, never lumped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import BadInput
from ..model.offline.passages import SIGNATURE

Grade = Literal["right", "wrong", "abstained"]
UNKNOWN = "UNKNOWN"
INSTRUCTIONS = (
    "Answer from this conversation alone. Reply with the value that is asked for and nothing else. If the conversation "
    f"does not show it, or it cannot be read with certainty, reply exactly {UNKNOWN}."
)
"""The system prompt of a recall test."""
KINDS = ("number", "identifier", "name", "decision")
_ABSTAINED = re.compile(
    r"unknown\b|(i )?(do not|don't|cannot|can't|could not) (know|say|tell|read|find)"
    r"|not (shown|found|in the conversation)"
    r"|不明|わかりません|分かりません|알 수 없|모르겠",
    re.IGNORECASE,
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_QUOTES = re.compile(r"[\"'`“”‘’«»「」『』*]")
_THOUSANDS = re.compile(r"(?<=\d)[,\u202f\u00a0'](?=\d{3}\b)")
_LONGEST = 200
"""Characters of a reply in which the answer is looked for besides being all of it: longer ones hedge."""


@dataclass(frozen=True, slots=True)
class Question:
    """`answer` is exact; `accept` lists other forms of it. `turn`: the turn of the path with the fact, from 0."""

    question: str
    answer: str
    kind: str = "identifier"
    turn: int | None = None
    accept: tuple[str, ...] = ()
    id: str = ""
    place: str = ""
    """Where in the turn: prompt, answer or result; "" where it is not known."""

    @property
    def forms(self) -> tuple[str, ...]:
        return (self.answer, *self.accept)


@dataclass(frozen=True, slots=True)
class Graded:
    """`how`: exact, normalised, contained or grader for a right one. `near`: wrong, but it looks like the answer."""

    grade: Grade
    how: str = ""
    near: bool = False


def questions(given: Iterable[Question | Mapping[str, Any]]) -> tuple[Question, ...]:
    """Questions, where they were written as mappings too. BadInput names the first that is none."""
    made = []
    for n, each in enumerate(given, start=1):
        if isinstance(each, Mapping):
            try:
                each = Question(**{**each, "accept": tuple(each.get("accept", ()))})
            except TypeError as error:
                raise BadInput(f"Question {n} does not fit: {error}.") from None
        if not each.question.strip() or not each.answer.strip():
            raise BadInput(f"Question {n} needs a question and an answer.")
        made.append(each)
    if not made:
        raise BadInput("A recall test needs questions: [{'question': ..., 'answer': ..., 'kind': 'number'}, ...]")
    return tuple(made)


def normalised(text: str) -> str:
    """NFKC, lower case, one space, without quotes, thousands separators and the full stop at the end."""
    text = unicodedata.normalize("NFKC", _THOUSANDS.sub("", text)).casefold()
    return " ".join(_QUOTES.sub("", text).split()).rstrip(".。").strip()


def grade(question: Question, reply: str) -> Graded:
    """Exact match, normalised match, or a short reply that holds the answer as a whole word."""
    reply = value(reply)
    if any(reply.strip() == form for form in question.forms):
        return Graded("right", "exact")
    said = normalised(reply)
    forms = [normalised(form) for form in question.forms]
    if said in forms:
        return Graded("right", "normalised")
    if len(said) <= _LONGEST and any(_holds(said, form) for form in forms):
        return Graded("right", "contained")
    if not said or _ABSTAINED.match(said):
        return Graded("abstained")
    return Graded("wrong", near=any(_near(said, form) for form in forms))


def value(reply: str) -> str:
    """What a reply answers. The offline reader quotes: its best quote is its answer, none is an abstention."""
    if SIGNATURE not in reply:
        return reply
    lines: list[str] = []
    for line in reply.splitlines():
        if line.startswith("> — "):
            break
        if line.startswith("> "):
            lines.append(line[2:])
    return "\n".join(lines) or UNKNOWN


def _holds(said: str, form: str) -> bool:
    if _CJK.search(form):
        return form in said
    return re.search(rf"(?<![a-z0-9_.-]){re.escape(form)}(?![a-z0-9_-]|\.[a-z0-9])", said) is not None


def _near(said: str, form: str) -> bool:
    """Whether a stretch of `said` differs from the answer in at most a third of its characters."""
    most = max(1, len(form) // 3)
    for at in range(max(1, min(len(said), 2_000) - len(form) + 1)):
        stretch = said[at : at + len(form)]
        if len(stretch) == len(form) and sum(a != b for a, b in zip(stretch, form, strict=True)) <= most:
            return True
    return False
