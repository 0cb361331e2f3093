"""The one place where the ladder meets `jupyter_history.pages`: pieces of text in, sheets with their strings out."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from .. import pages
from ..pages.sidecar import sidecar
from ..transcript import Block
from .budget import Profile
from .source import Part

SIDECAR = 400
"""Tokens of exact strings behind a page."""
PROMPT = 1_000
"""Tokens of exact strings of long user prompts behind a page, besides."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as the ladder uses it. `pieces`: which of the pieces have characters on it, in order."""

    page: pages.Page
    block: Block
    pieces: tuple[int, ...]
    strings: tuple[str, ...]
    """Lines of exact strings to stand behind the page."""


def profile_name(profile: Profile, sample: str) -> str:
    """The page profile for a model and a text like `sample`."""
    return pages.for_model(profile, sample).name


def capacity(name: str) -> int:
    """Half-width characters that a page of this profile holds."""
    return pages.profile(name).capacity


def draw(
    pieces: Sequence[Part], name: str, long_prompts: Collection[int], estimate: Callable[[str], float]
) -> tuple[list[Sheet], int]:
    """The pages of these pieces, and how many characters the published list removed.

    `long_prompts`: the pieces that are user prompts too long to stand as text; all their exact strings are kept, up to
    a limit of their own.
    """

    def tokens(text: str) -> int:
        return round(estimate(text))

    plain = [pages.normalise(text) for _, _, text in pieces]
    removed = sum(sum(each.removed.values()) for each in plain)
    sheets = []
    for page in pages.draw([(tag, role, each.text) for (tag, role, _), each in zip(pieces, plain, strict=True)], name):
        prompts = [span for span in page.spans if span.part in long_prompts]
        others = [span for span in page.spans if span.part not in long_prompts]
        lines = (sidecar(page.number, prompts, tokens, PROMPT), sidecar(page.number, others, tokens, SIDECAR))
        holds = tuple(dict.fromkeys(span.part for span in page.spans))
        sheets.append(Sheet(page, _block(page.png), holds, tuple(filter(None, lines))))
    return sheets, removed


def _block(png: bytes) -> Block:
    """A page in the form that is sent."""
    data = base64.b64encode(png).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
