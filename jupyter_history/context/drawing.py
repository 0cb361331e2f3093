"""The one place where the ladder meets `jupyter_history.pages`: pieces of text in, sheets out."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..transcript import Block
from .budget import Profile
from .source import Part


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as the ladder uses it. `pieces`: which of the pieces have characters on it, in order."""

    page: Any
    block: Block
    pieces: tuple[int, ...]
    sidecar: str
    removed: int = 0


def profile_name(profile: Profile) -> str:
    """The page profile for a model: `legible` for one that is not known."""
    return "default" if profile.known else "legible"


def draw(pieces: Sequence[Part], name: str) -> list[Sheet]:
    """The pages of these pieces, with the exact strings that stand on each."""
    raise NotImplementedError


def image_block(png: bytes) -> Block:
    """A page in the form that is sent."""
    data = base64.b64encode(png).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
