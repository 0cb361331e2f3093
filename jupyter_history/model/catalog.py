"""The models: window, output limit, prices, how they see images. A static table, overridden by what the server says.

Limits come from `GET /v1/models` where a server has it (`learn`); prices, image tier, tokenizer and the shortest prefix
that is cached are in no endpoint and stand here (the providers' pages of 2026-11). A model that is not in the table
works with defaults that its `note` states; it has no price.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..transcript import Usage

Tier = Literal["standard", "high"]
Tokenizer = Literal["old", "new"]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of one model. Sizes in tokens.

    `tier` says how large an image may be before the server shrinks it (`IMAGE_LIMITS`); `known` is False where the
    figures are defaults and not the model's own; `hides_thinking` is True where the model thinks by default and shows
    nothing of it unless asked.
    """

    id: str
    window: int
    max_output: int
    price: Price | None
    vision: bool
    tier: Tier
    tokenizer: Tokenizer
    min_cache: int
    max_images: int
    known: bool = True
    note: str = ""
    price_above: tuple[int, Price] | None = None
    """(prompt tokens, the price of every token of a request whose prompt is longer than that)."""
    hides_thinking: bool = False


IMAGE_LIMITS: dict[Tier, tuple[int, int]] = {"standard": (1568, 1568), "high": (2576, 4784)}
"""Tier -> (longest edge in pixels, most tokens) that an image keeps without being shrunk."""


def _price(input: float, output: float, cache_read: float) -> Price:
    # a cache write costs 1.25 times (5 minutes) or twice (1 hour) the input, on every model
    return Price(input, output, cache_read, input * 1.25, input * 2)


def _new(id: str, price: Price, min_cache: int = 512, **extra: Any) -> Profile:
    """A model from 4.7 on: a million tokens, large images, the newer tokenizer."""
    return Profile(id, 1_000_000, 128_000, price, True, "high", "new", min_cache, 600, **extra)


def _old(id: str, window: int, max_output: int, price: Price, min_cache: int, note: str = "") -> Profile:
    """A model up to 4.6: standard images, the older tokenizer; 100 images where the window is 200,000."""
    return Profile(
        id, window, max_output, price, True, "standard", "old", min_cache, 600 if window > 200_000 else 100, note=note
    )


def _offline(id: str, window: int, vision: bool, note: str) -> Profile:
    free = Price(0.0, 0.0, 0.0, 0.0, 0.0)
    return Profile(
        id, window, 1_024 if window <= 8_000 else 8_192, free, vision, "standard", "new", 512, 100, note=note
    )


_MYTHOS = "priced like Fable of the same version"
_TABLE: dict[str, Profile] = {
    profile.id: profile
    for profile in (
        _new("claude-sonnet-5-5", _price(2, 10, 0.10), hides_thinking=True, note="cached reads 0.20 before 2026-10-07"),
        _new(
            "claude-haiku-5-5",
            _price(0.10, 0.50, 0.01),
            hides_thinking=True,
            price_above=(100_000, _price(0.50, 2.50, 0.05)),
            note="five times the price on every token of a request with more than 100,000 prompt tokens",
        ),
        _new("claude-opus-5-5", _price(4, 20, 0.20), hides_thinking=True),
        _new(
            "claude-fable-5-2", _price(8, 40, 0.20), hides_thinking=True, note="price from third parties, not the maker"
        ),
        _new("claude-mythos-5-2", _price(8, 40, 0.20), hides_thinking=True, note=_MYTHOS),
        _new("claude-fable-5-1", _price(10, 50, 0.25), hides_thinking=True),
        _new("claude-mythos-5-1", _price(10, 50, 0.25), hides_thinking=True),
        _new("claude-fable-5", _price(10, 50, 1), hides_thinking=True),
        _new("claude-mythos-5", _price(10, 50, 1), hides_thinking=True),
        _new("claude-opus-5", _price(5, 25, 0.50), hides_thinking=True),
        _new("claude-sonnet-5", _price(2, 10, 0.20), min_cache=1024, hides_thinking=True),
        _new("claude-opus-4-8", _price(5, 25, 0.50), min_cache=1024),
        _new("claude-opus-4-7", _price(5, 25, 0.50), min_cache=2048),
        _old("claude-opus-4-6", 1_000_000, 128_000, _price(5, 25, 0.50), 4096),
        _old("claude-sonnet-4-6", 1_000_000, 128_000, _price(3, 15, 0.30), 1024),
        _old("claude-opus-4-5", 200_000, 64_000, _price(5, 25, 0.50), 4096, "retires 2027-01-22"),
        _old("claude-sonnet-4-5", 200_000, 64_000, _price(3, 15, 0.30), 1024, "retired 2026-11-30"),
        _old("claude-haiku-4-5", 200_000, 64_000, _price(1, 5, 0.10), 4096),
        _offline("offline", 8_000, True, "no language model: quotes the best-matching passages of the request"),
        _offline("offline-4k", 4_000, True, "the offline reader with a smaller window"),
        _offline("offline-text", 8_000, False, "the offline reader without vision"),
        _offline(
            "offline-thinking", 8_000, True, "the offline reader, with signed thoughts: it refuses them where changed"
        ),
        _offline("offline-blurry", 8_000, True, "the offline reader with simulated misreadings of pages"),
        _offline(
            "offline-long", 200_000, True, "the offline reader with a window for whole histories, to measure with"
        ),
        _offline("offline-long-blurry", 200_000, True, "offline-long with simulated misreadings of pages"),
    )
}
_UNKNOWN_CLAUDE = Profile(
    "", 200_000, 32_000, None, True, "standard", "new", 4096, 100, False,
    "not in the table: a window of 200,000 and 32,000 of output are assumed; no price",
)  # fmt: skip
_UNKNOWN = Profile(
    "", 32_000, 4_096, None, False, "standard", "new", 4096, 20, False,
    "not in the table: a window of 32,000, 4,096 of output and no vision are assumed; no price",
)  # fmt: skip
_learned: dict[str, dict[str, Any]] = {}


def profile(model: str) -> Profile:
    """What is known of `model`; never fails. Dated ids and an `anthropic/` in front are understood."""
    base = re.sub(r"-\d{8}$", "", model.removeprefix("anthropic/"))
    found = _TABLE.get(base)
    if found is None:
        found = _UNKNOWN_CLAUDE if base.startswith("claude-") else _UNKNOWN
    return replace(found, id=model, **_learned.get(model, {}))


def models() -> list[Profile]:
    """The table, then the models that only the server named."""
    return [profile(id) for id in (*_TABLE, *(id for id in _learned if id not in _TABLE))]


def learn(limits: Iterable[Mapping[str, Any]]) -> None:
    """Let the entries of `GET /v1/models` override the table, for this process; what a server leaves out stays."""
    for entry in limits:
        figures: dict[str, Any] = {}
        if entry.get("max_input_tokens"):
            figures["window"] = int(entry["max_input_tokens"])
        if entry.get("max_tokens"):
            figures["max_output"] = int(entry["max_tokens"])
        image_input = ((entry.get("capabilities") or {}).get("image_input") or {}).get("supported")
        if image_input is not None:
            figures["vision"] = bool(image_input)
        id = str(entry.get("id", ""))
        if id and (figures or id not in _TABLE):
            _learned[id] = figures
            if "window" in figures and not profile(id).known:
                figures["note"] = "limits from the server; no price"


def forget() -> None:
    """Drop what `learn` was told."""
    _learned.clear()


def cost(model: str, usage: Usage) -> float | None:
    """What one request cost in dollars; None where the price is not known. Add up over the requests of a turn:

    the price of a model with two price steps depends on the size of each request, cached tokens counted."""
    entry = profile(model)
    price = entry.price
    if price is None:
        return None
    if entry.price_above is not None and usage.prompt > entry.price_above[0]:
        price = entry.price_above[1]
    dollars = (
        usage.input * price.input
        + usage.output * price.output
        + usage.cache_read * price.cache_read
        + usage.cache_write * price.cache_write
        + usage.cache_write_1h * price.cache_write_1h
    )
    return dollars / 1_000_000


def total(model: str, requests: Iterable[Usage]) -> float | None:
    """What several requests cost together in dollars; None where the price is not known."""
    costs = [cost(model, usage) for usage in requests]
    known = [each for each in costs if each is not None]
    return sum(known) if len(known) == len(costs) else None


def default_model() -> str:
    """`$JUPYTER_HISTORY_MODEL`; else a hosted model where there is a credential or a server; else `offline`."""
    if chosen := os.environ.get("JUPYTER_HISTORY_MODEL"):
        return chosen
    reachable = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
    return "claude-sonnet-5-5" if any(os.environ.get(name) for name in reachable) else "offline"


def is_offline(model: str) -> bool:
    """Whether `model` is answered in this process, by the offline reader."""
    return model.startswith("offline")
