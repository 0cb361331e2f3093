"""The model's calls in one turn, run: the user's functions, `recall`, `checkpoint` and `rewind`.

Invariant: whatever a call does, its result is content that may be sent: an error is one line, a long text is shortened
and kept whole for `recall`, an image is within the limits. Only KeyboardInterrupt leaves `run`.
"""

from __future__ import annotations

import asyncio
import contextvars
import hashlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..context.draft import Scene
from ..context.picture import picture
from ..context.recall import DEFINITION, answer, piece
from ..errors import ChatError
from ..model.errors import redact
from ..transcript import Block
from . import results
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
    turns. `scene` is what `recall` looks in; `more` runs what the conversation itself offers, by name.
    """

    tools: Mapping[str, Tool]
    limits: Limits = field(default_factory=Limits)
    vision: bool = True
    stored: Callable[[str], str | None] = lambda _name: None
    more: Mapping[str, Callable[[Mapping[str, Any]], Result]] = field(default_factory=dict)
    scene: Scene | None = None
    kept: dict[str, str] = field(default_factory=dict)
    _recalled: int = 0

    @property
    def names(self) -> list[str]:
        return sorted([*self.tools, *self.more, *([DEFINITION["name"]] if self.scene is not None else [])])

    def run(self, name: str, arguments: Mapping[str, Any], seconds: float | None = None) -> Result:
        """Run one call; an async function for at most `seconds`."""
        try:
            if name in self.more:
                return self.more[name](arguments)
            if name == DEFINITION["name"] and self.scene is not None:
                return self._recall(self.scene, arguments)
            if name not in self.tools:
                known = ", ".join(self.names)
                return Result.line(f"There is no tool {name!r}; there are {known or 'none'}.", failed=True)
            value = self.tools[name].call(arguments)
            if inspect.isawaitable(value):
                value = _awaited(value, seconds)
            return Result([self._fitting(block) for block in results.blocks(value)])
        except ChatError as error:
            return Result.line(_line(str(error)), failed=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # SystemExit and the like too: a tool ends its call, never the kernel
            return Result.line(_line(f"{type(error).__name__}: {error}"), failed=True)

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
            text, wrong = answer(scene, arguments, self._recalled)
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
    """The result of a coroutine, run by a loop of its own in a thread: the kernel's loop runs already.

    An interrupt cancels it, and so does the end of its time, as TimeoutError.
    """
    done: dict[str, Any] = {}
    begun = threading.Event()

    async def work() -> Any:
        done["loop"], done["task"] = asyncio.get_running_loop(), asyncio.current_task()
        begun.set()
        async with asyncio.timeout(seconds):
            return await value

    def run() -> None:
        try:
            done["value"] = asyncio.run(work())
        except BaseException as error:
            done["error"] = error
        finally:
            begun.set()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(0.1)
    except KeyboardInterrupt:
        begun.wait(1.0)
        if "task" in done and thread.is_alive():
            done["loop"].call_soon_threadsafe(done["task"].cancel)
            thread.join(2.0)
        raise
    if isinstance(done.get("error"), TimeoutError) and seconds is not None:
        raise TimeoutError(f"it did not finish: {done['error'] or f'the turn had {seconds:.0f} s left'}")
    if "error" in done:
        raise done["error"]
    return done["value"]
