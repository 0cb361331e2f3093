"""One way of giving a model its history, apart from the others: a rung alone, and with what the product adds to it.

off                    the whole history as text
elision[+recall]       old results as stubs; with the tool that brings them back
pages[+sidecar][+recall]   the middle as images alone; with its prompts and exact strings as text; with the tool
summary[+recall]       the middle told by the model
auto                   what a conversation does by itself
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..context.budget import Policy
from ..context.plan import Plan
from ..context.snapshot import LINE
from ..errors import BadInput
from ..session.asking import Asker, Terms
from ..session.shelf import StoreShelf

BASES = {
    "off": "off",
    "elision": "elision",
    "images": "images",
    "pages": "snapshot",
    "summary": "summary",
    "auto": "auto",
}
_EXTRAS = {"pages": ("sidecar", "recall"), "elision": ("recall",), "summary": ("recall",), "images": ("recall",)}
_EXPANDED = {
    "elision": ("elision", "elision+recall"),
    "summary": ("summary", "summary+recall"),
    "snapshot": ("pages", "pages+sidecar", "pages+recall", "pages+sidecar+recall"),
}
_BEHIND = "[page "
_CUT = " User prompts and exact strings"


@dataclass(frozen=True, slots=True)
class Variant:
    """A ladder of one rung, and what stands beside it. `name` is how it was written."""

    name: str
    ladder: str
    sidecar: bool
    recall: bool

    @property
    def rung(self) -> str:
        """The rung that has to have run for this to be a test of it; "" where none has to."""
        return self.ladder if self.ladder not in ("off", "auto") else ""


def variants(ladders: Sequence[str] | str) -> tuple[Variant, ...]:
    """Variants by name; `elision`, `snapshot` and `summary` stand for all of theirs. BadInput for anything else."""
    names = ladders.split(",") if isinstance(ladders, str) else list(ladders)
    found: dict[str, Variant] = {}
    for name in (name.strip() for name in names):
        for each in _EXPANDED.get(name, (name,)):
            found[each] = _variant(each)
    if not found:
        raise BadInput("A recall test needs a ladder: ladders=['off', 'snapshot'], and no variant is named.")
    return tuple(found.values())


def _variant(name: str) -> Variant:
    base, *extras = name.split("+")
    if base not in BASES or any(extra not in _EXTRAS.get(base, ()) for extra in extras):
        known = ", ".join([*_EXPANDED, "off", "auto", "pages+sidecar"])
        raise BadInput(f"No variant is called {name!r}; there are {known} and the like.")
    shipped = base == "auto"
    return Variant(name, BASES[base], shipped or "sidecar" in extras, shipped or "recall" in extras)


@dataclass(frozen=True, slots=True)
class Trial(Terms):
    """Terms of one variant: decided anew, with and without what stands beside a rung."""

    sidecar: bool = True
    recalls: bool = True

    @property
    def policy(self) -> Policy:
        policy = Policy.named(self.ladder, inherit=False, recall=self.recalls)
        return policy if self.sidecar else replace(policy, whole_prompt=0)


class Memory(StoreShelf):
    """Painted pages of a test, kept in no store."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def get(self, key: bytes) -> bytes | None:
        return self._known.get(key)

    def put(self, key: bytes, png: bytes) -> None:
        self._known[key] = png

    def save(self) -> None:
        """Nothing to keep."""


class Bare(Asker):
    """An asker whose pages stand alone where the trial says so: no exact strings behind them."""

    def body(self, made: Plan, terms: Terms) -> dict[str, Any]:
        request = super().body(made, terms)
        if isinstance(terms, Trial) and not terms.sidecar:
            request["messages"] = [{**m, "content": _alone(m["content"])} for m in request["messages"]]
        return request


def _alone(content: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    kept: list[Mapping[str, Any]] = []
    for block in content:
        text = block.get("text", "")
        if block["type"] == "text" and text.startswith(_BEHIND) and ", exact strings]" in text[:40]:
            if "cache_control" in block and kept:
                kept[-1] = {**kept[-1], "cache_control": block["cache_control"]}
            continue
        if block["type"] == "text" and text == LINE:
            block = {**block, "text": text[: text.index(_CUT)] + " Where a value is hard to read, say so."}
        kept.append(block)
    return kept
