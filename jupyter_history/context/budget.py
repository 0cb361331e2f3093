"""What the plan may spend, and which rungs it may use; what it needs to know of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ..errors import BadInput

Rung = Literal["elision", "images", "snapshot", "summary"]
RUNGS: tuple[Rung, ...] = ("elision", "images", "snapshot", "summary")
"""The ladder, cheapest first (rule 13)."""


class Price(Protocol):
    """Dollars per million tokens."""

    @property
    def input(self) -> float: ...
    @property
    def output(self) -> float: ...
    @property
    def cache_read(self) -> float: ...
    @property
    def cache_write(self) -> float: ...


class Profile(Protocol):
    """What the plan asks of a model."""

    @property
    def id(self) -> str: ...
    @property
    def window(self) -> int: ...
    @property
    def max_output(self) -> int: ...
    @property
    def price(self) -> Price | None: ...
    @property
    def vision(self) -> bool: ...
    @property
    def tier(self) -> Literal["standard", "high"]: ...
    @property
    def tokenizer(self) -> Literal["old", "new"]: ...
    @property
    def max_images(self) -> int: ...
    @property
    def known(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """Where the ladder starts and stops. Fractions are of `room`: the window less the answer's room.

    The defaults are the design's: start at 0.8; elision takes all it can, the other free rungs stop under 0.6; the
    summary runs where it is still over 0.8; with a warm cache `auto` waits up to 0.92. Head and tail are fractions of
    the window.
    """

    window: int | None = None
    """Tokens; None: the model's."""
    answer: int | None = None
    """Tokens kept free for the answer; None: an eighth of the window, at least 512, at most 16,000."""
    start: float = 0.8
    stop: float = 0.6
    summary: float = 0.8
    wait: float = 0.92
    head: float = 0.10
    tail: float = 0.25
    doubt: float = 1.25
    """A prompt is refused unsent only where the estimate is over the room by this factor: estimates are estimates."""
    bytes: int = 30_000_000
    """Of the whole request; providers take 32 MB."""
    page_bytes: int = 3_000_000
    """Of the pages, as the request carries them."""
    images: int | None = None
    """How many images one request may carry; None: the model's limit."""

    def room(self, profile: Profile) -> int:
        """Tokens for all that is sent."""
        window = self.window or profile.window
        return max(1, window - self.answer_room(profile))

    def answer_room(self, profile: Profile) -> int:
        window = self.window or profile.window
        wanted = self.answer or min(profile.max_output, max(512, window // 8), 16_000)
        return min(wanted, window // 2)

    def window_of(self, profile: Profile) -> int:
        return self.window or profile.window

    def images_of(self, profile: Profile) -> int:
        return self.images if self.images is not None else profile.max_images


MANY_IMAGES = 20
MANY_SIDE = 2000
"""A request with more than 20 images is refused if any of them has an edge over 2,000 pixels."""
ANY_SIDE = 8000


@dataclass(frozen=True, slots=True)
class Policy:
    """Which rungs may run, by name: `auto`, `off`, or a list; and the settings of the rungs."""

    name: str = "auto"
    rungs: tuple[Rung, ...] = RUNGS
    inherit: bool = True
    """False: decide anew, as an explicit `ladder=` does; what was decided before is not seen."""
    recall: bool = True
    """Whether the model has the `recall` tool; the stubs say how to get things back."""
    fresh_results: float = 0.10
    """Tool results that are never elided: the newest ones, up to this fraction of the room (at most 20,000 tokens)."""
    live_images: int = 2
    """The newest images that stay, unless a limit on images or bytes forces them out."""
    whole_prompt: int = 1_000
    """Characters up to which a user prompt in a snapshot stays text."""
    page_worth: float = 0.9
    """Pages are used only if they cost at most this fraction of the text they replace."""
    pages: str | None = None
    """Name of the page profile; None: by model."""
    summary_tokens: int = 2_000
    """How long a summary may be; never more than an eighth of the window."""
    least: float = 0.02
    """A rewrite that takes back less of the room than this is not worth a new prefix while the request fits."""

    @classmethod
    def named(cls, ladder: str | Sequence[str] | None, *, inherit: bool = True, recall: bool = True) -> Policy:
        """`auto` (or None), `off`, a rung, or several: a list or comma-separated. Raises BadInput for anything else."""
        words = ladder or "auto"
        names = [word.strip() for word in words.split(",")] if isinstance(words, str) else list(words)
        if names == ["auto"]:
            return cls(inherit=inherit, recall=recall)
        if names == ["off"]:
            return cls("off", (), inherit, recall)
        wrong = [name for name in names if name not in RUNGS]
        if wrong:
            raise BadInput(f"No rung is called {wrong[0]!r}. A ladder is auto, off, or some of {', '.join(RUNGS)}.")
        rungs = tuple(rung for rung in RUNGS if rung in names)
        return cls(",".join(rungs), rungs, inherit, recall)


@dataclass(frozen=True, slots=True)
class Cache:
    """What is known of the provider's prompt cache: tokens that the last request reported as cached, 0 when cold.

    The caller knows the clock: after five idle minutes it passes nothing.
    """

    tokens: int = 0
    growth: float = field(default=0.0)
    """Tokens by which a turn of this conversation grows on average; 0: not known."""
