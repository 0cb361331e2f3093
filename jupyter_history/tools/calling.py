"""The model's calls in one turn, run: the user's functions, `recall`, `checkpoint` and `rewind`.

Invariant: whatever a call does, its result is content that may be sent: an error is one line, a long text is shortened
and kept whole for `recall`, an image is within the limits. Only KeyboardInterrupt leaves `run`.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import math
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..context.draft import Scene
from ..context.picture import picture
from ..context.recall import DEFINITION, Earlier, answer, piece
from ..errors import ChatError
from ..model.errors import redact
from ..transcript import Block
from . import results
from .deadline import OutOfTime, in_thread, within
from .limits import Limits
from .tools import Tool

KEPT = 32_000_000
"""Bytes of a result that is kept whole; more would make the database slow."""
LONGEST_ERROR = 1_000
"""Characters of an error's line."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call came to, as the model gets it."""

    content: list[Block]
    failed: bool = False

    @classmethod
    def line(cls, text: str, *, failed: bool = False) -> Result:
        return cls([{"type": "text", "text": text}], failed)


@dataclass
class Caller:
    """Runs the calls of one turn. `kept`: texts that were shortened, whole, by name; `stored` finds those of earlier
    turns. `scene` is what `recall` looks in; `earlier` gives it the turns that are not loaded. `more` runs what the
    conversation itself offers, by name.
    """

    tools: Mapping[str, Tool]
    limits: Limits = field(default_factory=Limits)
    vision: bool = True
    stored: Callable[[str], str | None] = lambda _name: None
    more: Mapping[str, Callable[[Mapping[str, Any]], Result]] = field(default_factory=dict)
    scene: Scene | None = None
    earlier: Earlier | None = None
    kept: dict[str, str] = field(default_factory=dict)
    _recalled: int = 0

    @property
    def names(self) -> list[str]:
        return sorted([*self.tools, *self.more, *([DEFINITION["name"]] if self.scene is not None else [])])

    def run(self, name: str, arguments: Mapping[str, Any], seconds: float | None = None) -> Result:
        """Run one call, for at most `seconds`: what takes longer is broken off (`deadline`), and the model told so."""
        try:
            if name in self.more:
                return self.more[name](arguments)
            if name == DEFINITION["name"] and self.scene is not None:
                return self._recall(self.scene, arguments)
            if name not in self.tools:
                known = ", ".join(self.names)
                return Result.line(f"There is no tool {name!r}; there are {known or 'none'}.", failed=True)
            return Result([self._fitting(block) for block in self._called(self.tools[name], arguments, seconds)])
        except OutOfTime as late:
            ended = "It may still be running" if late.running else "It was broken off"
            return Result.line(f"{name} took longer than the turn had time for (max_seconds). {ended}.", failed=True)
        except ChatError as error:
            return Result.line(_line(str(error)), failed=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # SystemExit and the like too: a tool ends its call, never the kernel
            return Result.line(_line(f"{type(error).__name__}: {error}"), failed=True)

    def _called(self, tool: Tool, arguments: Mapping[str, Any], seconds: float | None) -> list[Block]:
        until = math.inf if seconds is None else time.monotonic() + seconds

        def shown() -> list[Block] | Awaitable[Any]:
            value = tool.call(arguments)
            return value if inspect.isawaitable(value) else results.blocks(value)

        made = within(seconds, shown)
        if isinstance(made, list):
            return made
        left = None if seconds is None else until - time.monotonic()
        return results.blocks(_awaited(made, left))

    def keep(self, text: str) -> str | None:
        """Keep a text whole, until the turn is stored and with it; its name, None where it is too large."""
        if self.scene is None or len(text) > KEPT:
            return None
        name = name_of(text)
        self.kept[name] = text
        return name

    def _recall(self, scene: Scene, arguments: Mapping[str, Any]) -> Result:
        name = str(arguments.get("result") or "").strip()
        if name:
            whole = self.kept.get(name) or self.stored(name)
            if whole is None:
                return Result.line(f"No result is kept as {name!r}.", failed=True)
            text, wrong = piece(scene, whole, f"The result {name}", arguments.get("from"), self._recalled)
        else:
            text, wrong = answer(scene, arguments, self._recalled, self.earlier)
        self._recalled += scene.text_tokens(text)
        return Result.line(text or "(empty)", failed=wrong)

    def _fitting(self, block: Block) -> Block:
        if block["type"] == "text":
            return {**block, "text": results.shortened(block["text"], self.limits.result, self.keep)}
        if block["type"] == "image" and not self.vision:
            return {"type": "text", "text": f"[image: {picture(block)}; this model sees no images]"}
        return block


def name_of(text: str) -> str:
    """The name of a kept text: of its content, so that it is the same in a fork and is kept once."""
    return "r" + hashlib.sha256(text.encode()).hexdigest()[:16]


def _line(text: str) -> str:
    told = " ".join(redact(text).split())
    return told if len(told) <= LONGEST_ERROR else told[: LONGEST_ERROR - 1] + "…"


def _awaited(value: Awaitable[Any], seconds: float | None) -> Any:
    """What a coroutine comes to, in a loop of its own: the kernel's runs already. An end to it cancels it."""
    begun: dict[str, Any] = {}

    async def work() -> Any:
        begun["loop"], begun["task"] = asyncio.get_running_loop(), asyncio.current_task()
        return await value

    def cancel(_thread: threading.Thread) -> None:
        if "task" in begun and begun["loop"].is_running():
            begun["loop"].call_soon_threadsafe(begun["task"].cancel)

    return in_thread(seconds, lambda: asyncio.run(work()), cancel)
