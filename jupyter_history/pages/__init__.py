"""Pages: text to dense images and back, exactly. `read(draw(text)) == normalise(text).text`.

    draw(text, "default") -> [Page]; draw([(tag, role, text), ...]) for messages
    read(pages) -> text; read_parts(pages) -> [(tag, role, text)]; scan(png) -> Reading of one page
    normalise(text) -> Normalised(text, removed)

Knows nothing of notebooks, models' servers or databases. Pillow is imported when a page is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .draw import Shelf, height_of, kept_on, paint
from .layout import Part, Span, lay_out
from .profiles import CELLS, PROFILES, Profile, for_model, image_size, image_tokens, profile
from .read import Passage, Reading, Unreadable, scan
from .sidecar import sidecar as _sidecar
from .text import Normalised, normalise

__all__ = [
    "PROFILES",
    "Normalised",
    "Page",
    "Part",
    "Passage",
    "Profile",
    "Reading",
    "Shelf",
    "Span",
    "Unreadable",
    "draw",
    "for_model",
    "image_size",
    "image_tokens",
    "kept_on",
    "normalise",
    "profile",
    "read",
    "read_parts",
    "scan",
]


class Tiered(Protocol):
    """A model's description as far as the price of an image goes: "standard" or "high"."""

    @property
    def tier(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Page:
    """One page. `png` is 1-bit without metadata; `spans` say which cells hold which characters of which part.

    `sealed`: it will never change whatever is appended to the text (rule 16).
    """

    number: int
    png: bytes
    width: int
    height: int
    profile: str
    font: str
    leading: int
    spans: tuple[Span, ...]
    sealed: bool

    def tokens(self, model: Tiered | str = "standard") -> int:
        """Tokens of this image for a model, or for a tier by name; exact by the published rule."""
        return image_tokens(self.width, self.height, model if isinstance(model, str) else model.tier)

    def sidecar(self, estimate: Callable[[str], int], limit: int = 400) -> str:
        """The exact strings of this page as one line of text, at most `limit` tokens by `estimate`."""
        return _sidecar(self.number, self.spans, estimate, limit)


def draw(source: str | Iterable[Part], style: Profile | str = "default") -> list[Page]:
    """The pages of a text, or of messages as (tag, role, text). Texts are normalised; the same input gives the same
    pixels.

    ValueError for a tag that is no short ASCII, or a profile nobody knows.
    """
    chosen = profile(style) if isinstance(style, str) else style
    plain = isinstance(source, str)
    parts: Sequence[Part] = [("", "", source)] if isinstance(source, str) else list(source)
    parts = [(tag, role, normalise(text).text) for tag, role, text in parts]
    pages = []
    for sheet in lay_out(parts, chosen, growing=plain):
        height = height_of(len(sheet.rows), CELLS[sheet.font][1] + sheet.leading, chosen.height)
        if len(sheet.rows) == chosen.rows(sheet.font, sheet.leading):
            height = chosen.height
        png = paint(sheet.font, sheet.leading, sheet.rows, chosen.width, height)
        pages.append(
            Page(
                sheet.number,
                png,
                chosen.width,
                height,
                chosen.name,
                sheet.font,
                sheet.leading,
                sheet.spans,
                sheet.sealed,
            )
        )
    return pages


def read_parts(pages: Iterable[Page | bytes]) -> list[Part]:
    """The messages on pages in order, those that go on over pages joined. Unreadable where pixels changed."""
    parts: list[Part] = []
    for page in pages:
        for passage in scan(page.png if isinstance(page, Page) else page).passages:
            if passage.continues and parts:
                tag, role, text = parts[-1]
                parts[-1] = (tag, role, text + passage.text)
            else:
                parts.append((passage.tag, passage.role, passage.text))
    return parts


def read(pages: Page | bytes | Iterable[Page | bytes]) -> str:
    """The text on a page or on pages. A message's tag is written as a line `[T012 user]` before its text."""
    parts = read_parts([pages] if isinstance(pages, (Page, bytes)) else pages)
    return "\n".join(f"[{tag} {role}]\n{text}" if tag else text for tag, role, text in parts)
