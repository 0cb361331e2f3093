"""Reading images: the tier's resize, then the pixels of the PNG that was received; never the text they were drawn from.

The one place where the reader meets `jupyter_history.pages`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...transcript import Block


@dataclass(frozen=True, slots=True)
class Seen:
    """What an image showed: (place on it, passage) pairs, and how they were read; or the problem with it."""

    passages: tuple[tuple[str, str], ...] = ()
    how: str = ""
    problem: str = ""


def look(image: Block, model: str) -> Seen:
    """Read one image block as `model` does."""
    return Seen(problem="an image, which I cannot read")
