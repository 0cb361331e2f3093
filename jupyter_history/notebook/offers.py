"""What may stand at a place of a line: for each kind of argument the words there are, with what they mean."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .command import COMMANDS, Takes

if TYPE_CHECKING:
    from ..session.session import Session
    from .current import Current

Offer = tuple[str, str]
"""A text to insert, and what it is."""

TIP = ("tip", "where the next prompt continues from")
ROOT = ("root", "the beginning of the conversation")
NEXT = ("next", "the next prompt, not sent yet")
RUNGS = (
    ("elision", "old tool results become a line"),
    ("images", "old images become a line"),
    ("snapshot", "the middle as page images"),
    ("summary", "the middle told by a model: one call"),
)
LADDERS = (("auto", "all rungs, the cheapest first, where it is needed"), ("off", "everything or nothing"), *RUNGS)
VARIED = ("ladder", "model", "system", "window", "max_tokens", "repeat")
"""What `--each` varies."""
VALUES: dict[str, Takes] = {"model": "model", "ladder": "rungs", "tools": "tools", "system": "system"}
"""What the values of settings are that have words of their own."""
MOST = 200


class Offers:
    """What there is in one kernel. Nothing here calls a model, or opens a store that was not open or warm already."""

    def __init__(self, current: Current) -> None:
        self.current = current

    def of(self, kind: Takes, written: str) -> Iterable[Offer]:
        """The words of a kind. `written`: what is typed of one already, where several go with commas."""
        match kind:
            case "turn":
                return [*self._turns(), TIP]
            case "place":
                return [*self._turns(), TIP, ROOT]
            case "sent":
                return [*self._turns(), TIP, NEXT]
            case "conversation":
                return self._conversations()
            case "checkpoint":
                session = self._session()
                return [(label, "checkpoint") for label in (session.checkpoints if session is not None else ())]
            case "command":
                return [(command.name, command.summary) for command in COMMANDS.values()]
            case "model":
                return _models()
            case "models":
                return _listed(written, list(_models()))
            case "rung":
                return RUNGS
            case "rungs":
                return _listed(written, RUNGS if "," in written else LADDERS)
            case "tools":
                return _listed(written, [*_tools(), ("none", "no tool")])
            case "profile":
                from ..pages.profiles import PROFILES

                return [(name, "page profile") for name in PROFILES]
            case "setting":
                from .moving import SETTINGS

                return list(SETTINGS.items())
            case "switch":
                return [("on", "the model may mark and rewind"), ("off", "it may not")]
            case "variants":
                return self._variants(written)
            case "system":
                return [(f"@{name}", what) for name, what in _files(written[1:])] if written.startswith("@") else ()
            case "file":
                return _files(written)
            case "name" | "":
                return ()

    def _variants(self, written: str) -> Iterable[Offer]:
        """NAME=A,B: the names, then the values of the one that was chosen."""
        name, equals, values = written.partition("=")
        if not equals:
            return [(f"{varied}=", "what --each varies") for varied in VARIED]
        if name == "ladder":
            return [(f"{name}={value}", what) for value, what in _listed(values, LADDERS)]
        kind: Takes = "models" if name == "model" else VALUES.get(name, "")
        return [(f"{name}={value}", what) for value, what in self.of(kind, values)]

    def _session(self) -> Session | None:
        if self.current.session is None and "sqlalchemy" in sys.modules:
            return self.current.find(settle=False)
        return self.current.session

    def _conversations(self) -> Iterable[Offer]:
        if "sqlalchemy" not in sys.modules:
            return ()
        return [(item.name or item.id, item.title) for item in self.current.store.conversations(limit=100)]

    def _turns(self) -> Sequence[Offer]:
        """Labels, then turns, the newest first, each with its prompt."""
        session = self._session()
        if session is None:
            return ()
        heads = session.tree.heads
        labels = [(name, heads[turn].title) for name, turn in session.tree.labels.items() if turn in heads]
        return [*labels, *((head.id, head.title) for head in sorted(heads.values(), key=lambda head: -head.n)[:MOST])]


def _models() -> Iterable[Offer]:
    from ..model import catalog

    return [(profile.id, profile.note or f"window {profile.window:,}") for profile in catalog.models()]


def _tools() -> Iterable[Offer]:
    if "jupyter_history.tools.tools" not in sys.modules:  # nobody registered one
        return ()
    from ..tools.tools import REGISTERED

    return [(name, "tool") for name in sorted(REGISTERED)]


def _listed(written: str, offers: Sequence[Offer]) -> Iterable[Offer]:
    """Words that go with commas: what is written stays, what is in it is not offered again."""
    before, comma, _ = written.rpartition(",")
    return [(f"{before}{comma}{text}", what) for text, what in offers if text not in before.split(",")]


def _files(written: str) -> Iterable[Offer]:
    """Files and folders that a name may become."""
    folder, _, start = written.replace("\\", "/").rpartition("/")
    base = Path(folder or ("/" if written.startswith("/") else ".")).expanduser()
    prefix = written[: len(written) - len(start)]
    found = sorted(item for item in base.iterdir() if item.name.startswith(start) and (start or item.name[0] != "."))
    return [(f"{prefix}{item.name}{'/' if item.is_dir() else ''}", "file") for item in found[:MOST]]
