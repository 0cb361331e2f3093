"""Reading images: the tier's resize, then the pixels of the PNG that was received; never the text they were drawn from.

The one place where the reader meets `jupyter_history.pages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from ...transcript import Block
from .. import catalog
from . import images

PAGE_BREAK = "\x05"
"""Marks in a run's text where a page ends; no page holds this character."""
_BLURRY = "blurry"
"""What ends the names of the readers that misread."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one page says under one tag; `continues`: it began on the page before."""

    page: int
    tag: str
    role: str
    text: str
    continues: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One message's text, over as many pages as it takes (`pages`), with a PAGE_BREAK between two."""

    tag: str
    role: str
    text: str
    pages: tuple[int, ...]


def look(image: Block, model: str) -> tuple[Part, ...] | str:
    """The parts of a page as `model` reads them; or why this image cannot be read."""
    size = images.size(image)
    seen = images.resized(size, catalog.profile(model).tier)
    if seen != size:
        return f"an image of {_pixels(size)}, shrunk to {_pixels(seen)} on arrival: nothing on it can be read"
    content = images.data(image)
    parts = _decoded(content)
    if parts is None:
        return f"an image of {_pixels(size)} that is no page; I read only pages"
    if not model.endswith(_BLURRY):
        return parts
    from .blur import blur

    seed = sha256(content).digest()
    return tuple(
        Part(part.page, part.tag, part.role, blur(part.text, seed + bytes([n % 256])), part.continues)
        for n, part in enumerate(parts)
    )


def how(model: str) -> str:
    """How this model reads pages: "decoded" exactly, or "blurred"."""
    return "blurred" if model.endswith(_BLURRY) else "decoded"


def joined(parts: Iterable[Part]) -> Iterator[Run]:
    """The messages on pages that follow each other, whole again."""
    run: Run | None = None
    for part in parts:
        if run is not None and part.continues and (run.tag, run.role) == (part.tag, part.role):
            run = Run(run.tag, run.role, run.text + PAGE_BREAK + part.text, (*run.pages, part.page))
            continue
        if run is not None:
            yield run
        run = Run(part.tag, part.role, part.text, (part.page,))
    if run is not None:
        yield run


@lru_cache(maxsize=64)
def _decoded(png: bytes) -> tuple[Part, ...] | None:
    from ...pages import Unreadable, scan

    try:
        reading = scan(png)
    except (Unreadable, OSError, SyntaxError):
        # Pillow says OSError or SyntaxError of an image that is cut short or damaged
        return None
    return tuple(Part(reading.number, part.tag, part.role, part.text, part.continues) for part in reading.passages)


def _pixels(size: images.Size) -> str:
    return f"{size[0]}x{size[1]} pixels"
