"""What a page measures and what it costs: profiles, and tokens of an image by the provider's published rule.

The rule (Anthropic's vision page): an image is cut into patches of 28 x 28 pixels, each one token, after it was shrunk,
aspect kept, to at most 1568 pixels an edge and 1568 tokens (standard tier) or 2576 pixels and 4784 tokens (high tier).
Every profile stays under the caps of its tier, so its pixels arrive as they were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

PATCH = 28
TIERS = {"standard": (1568, 1568), "high": (2576, 4784)}
"""Largest edge in pixels and most tokens of an image, by tier."""

FALLBACK = "8x16"
"""The cells of pages whose text the profile's own font lacks: GNU Unifont, all of the Basic Multilingual Plane."""

CELLS = {"7x14": (7, 14), "6x12": (6, 12), "8x16": (8, 16), "9x18": (9, 18)}
LEADING = 2
"""Pixels between rows where more than a fifth of the glyphs is wide."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A page's size in pixels and the font (cell size) of its text. A new profile starts a snapshot anew (rule 16)."""

    name: str
    width: int
    height: int
    font: str

    def columns(self, font: str) -> int:
        return self.width // CELLS[font][0]

    def rows(self, font: str, leading: int) -> int:
        return self.height // (CELLS[font][1] + leading)

    @property
    def capacity(self) -> int:
        """Half-width cells of a page without leading."""
        return self.columns(self.font) * self.rows(self.font, 0)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile("default", 896, 1344, "7x14"),
        Profile("dense", 896, 1344, "6x12"),
        Profile("legible", 896, 1344, "8x16"),
        Profile("korean", 896, 1344, "9x18"),
        Profile("large", 1932, 1932, "7x14"),
    )
}


class Reader(Protocol):
    """What is asked of a model's description: whether its pixels and prices are known."""

    @property
    def known(self) -> bool: ...


def profile(name: str) -> Profile:
    """The profile of that name. ValueError lists the names."""
    try:
        return PROFILES[name]
    except KeyError:
        raise ValueError(f"no page profile is called {name!r}; there are {', '.join(PROFILES)}") from None


def for_model(model: Reader, sample: str = "") -> Profile:
    """The profile for a model: `legible` for an unknown one; `korean` where more than a fifth of the sample is
    Hangul."""
    if not model.known:
        return PROFILES["legible"]
    hangul = sum("\uac00" <= char <= "\ud7a3" for char in sample)
    return PROFILES["korean" if hangul * 5 > len(sample) else "default"]


def image_size(width: int, height: int, tier: str) -> tuple[int, int]:
    """The size at which an image of that size is seen on a tier: the largest of its aspect under both limits."""
    edge, most = TIERS[tier]
    long, short = max(width, height), min(width, height)

    def other(side: int) -> int:
        return max(1, round(side * short / long))

    # The largest long side whose patches stay under the cap; they only grow with it.
    low, high = 1, min(long, edge)
    while low < high:
        middle = (low + high + 1) // 2
        if _patches(middle, other(middle)) <= most:
            low = middle
        else:
            high = middle - 1
    return (low, other(low)) if width >= height else (other(low), low)


def image_tokens(width: int, height: int, tier: str) -> int:
    """Tokens of an image of that size in pixels, exact by the published rule."""
    return _patches(*image_size(width, height, tier))


def _patches(width: int, height: int) -> int:
    return -(-width // PATCH) * -(-height // PATCH)
