"""The histories that a recall test can ask about: those that are shipped, and a session's own path.

The shipped ones are made by `scripts/make_corpus.py`; nothing in them has another source.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import NotFound
from ..transcript import Message, TurnRecord
from .questions import Question

if TYPE_CHECKING:
    from ..session.session import Session

FOLDER = Path(__file__).with_name("corpus")
NAMES = ("analysis", "debugging", "discussion")


@dataclass(frozen=True)
class Corpus:
    """A long session and questions about it. `path`: its closed turns, oldest first."""

    name: str
    title: str
    language: str
    path: tuple[TurnRecord, ...]
    questions: tuple[Question, ...]

    @property
    def messages(self) -> list[Message]:
        return [message for turn in self.path for message in turn.messages]

    def __repr__(self) -> str:
        return f"<Corpus {self.name}: {len(self.path)} turns, {len(self.questions)} questions>"


def corpora() -> list[Corpus]:
    """All that are shipped."""
    return [corpus(name) for name in NAMES]


@lru_cache(maxsize=len(NAMES))
def corpus(name: str) -> Corpus:
    """The one of that name. NotFound lists them."""
    if name not in NAMES:
        raise NotFound(f"No corpus is called {name!r}; there are {', '.join(NAMES)}.")
    found = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    path: list[TurnRecord] = []
    for n, messages in enumerate(found["turns"]):
        id = f"{name[0]}{n:05d}"
        path.append(
            TurnRecord(
                id=id,
                conversation=name,
                parent=path[-1].id if path else None,
                prompt=messages[0]["content"][0]["text"],
                messages=tuple(Message(each["role"], tuple(each["content"]), id, m) for m, each in enumerate(messages)),
                model="none",
            )
        )
    asked = tuple(_question(each) for each in found["questions"])
    return Corpus(name, found["title"], found["language"], tuple(path), asked)


def of_session(session: Session, asked: tuple[Question, ...]) -> Corpus:
    """The path to a session's tip; nothing is added to the conversation."""
    path = tuple(turn.record for turn in session.path())
    return Corpus(session.name, session.conversation.title, "", path, asked)


def _question(found: dict[str, Any]) -> Question:
    return Question(**{**found, "accept": tuple(found["accept"])})
