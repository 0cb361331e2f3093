"""Pages read: the pixels of a PNG back to text, exactly. Nothing but the pixels is looked at; the atlases are known."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from .atlas import END, PAD, PAGE, PAGE_END, PAGE_LED, TAG, TAG_END, Atlas, atlas, upright
from .coding import decode
from .profiles import CELLS, LEADING


class Unreadable(ValueError):
    """An image that is no page drawn here, or no longer pixel for pixel."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A run of text on a page under its tag; `continues`: it began on an earlier page. Tag "" is text without one."""

    tag: str
    role: str
    text: str
    continues: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says: its number, its font and leading, its passages, and whether the text ends on it."""

    number: int
    font: str
    leading: int
    passages: tuple[Passage, ...]
    ended: bool


def scan(png: bytes) -> Reading:
    """Read one page. Unreadable where a cell is no glyph (a resized or edited image)."""
    width, lines = _scanlines(png)
    for name, (_, tall) in CELLS.items():
        for mark, leading in ((PAGE, 0), (PAGE_LED, LEADING)):
            font = atlas(name) if _may_open(name, mark, leading, lines, width) else None
            if font is not None:
                return _parse(font, leading, _rows(font, leading, lines, width, tall))
    raise Unreadable("this image does not begin with a page mark at the size it was drawn")


def _scanlines(png: bytes) -> tuple[int, list[str]]:
    """Width and rows of an image as binary digits, ink 1; any greyscale or colour image is cut at middle grey."""
    from PIL import Image

    try:
        image: Image.Image = Image.open(BytesIO(png))
        if image.mode != "1":
            image = image.convert("L").point([0] * 128 + [255] * 128).convert("1", dither=Image.Dither.NONE)
        data = image.tobytes()
    except OSError as error:
        raise Unreadable(f"this is no image: {error}") from None
    width, height = image.size
    stride = -(-width // 8)
    full = (1 << 8 * stride) - 1
    form = f"0{8 * stride}b"
    return width, [
        format(int.from_bytes(data[y * stride : (y + 1) * stride], "big") ^ full, form)[:width] for y in range(height)
    ]


def _may_open(name: str, mark: str, leading: int, lines: list[str], width: int) -> bool:
    """Whether the first cell holds a page mark of that font."""
    wide, tall = CELLS[name]
    if len(lines) < tall + leading or width < wide:
        return False
    paper = atlas(name).strips[mark]
    return all(lines[y + leading // 2][:wide] == row.translate({48: 49, 49: 48}) for y, row in enumerate(paper))


def _rows(font: Atlas, leading: int, lines: list[str], width: int, tall: int) -> str:
    """All glyph characters of a page up to its end mark, row pads taken out."""
    across, half_size, wide_size = font.width, -(-font.width // 8), -(-2 * font.width // 8)
    halves = {format(n, f"0{across}b"): n.to_bytes(half_size, "big") for n in range(1 << across)}
    pictures, starts = font.pictures, font.starts
    pitch = tall + leading
    text: list[str] = []
    for top in range(leading // 2, len(lines) - tall + 1, pitch):
        band = lines[top : top + tall]
        if top + tall + leading - leading // 2 > len(lines):
            break
        x = 0
        while x + across <= width:
            char = pictures.get(b"".join([halves[line[x : x + across]] for line in band]))
            if (char is None or char in starts) and x + 2 * across <= width:
                both = pictures.get(
                    b"".join([int(line[x : x + 2 * across], 2).to_bytes(wide_size, "big") for line in band])
                )
                if both is not None:
                    text.append(both)
                    x += 2 * across
                    continue
            if char is None:
                raise Unreadable(f"the cell at x {x}, y {top} is no glyph: the image is not as it was drawn")
            if char == PAD:
                break
            text.append(char)
            if char in (END, PAGE_END):
                return "".join(text)
            x += across
    return "".join(text)


def _parse(font: Atlas, leading: int, glyphs: str) -> Reading:
    header, _, body = glyphs[1:].partition(TAG_END)
    number, _, label = upright(header).partition(" ")
    if not number.startswith("p") or not number[1:].isdecimal():
        raise Unreadable(f"a page number was expected, not {number!r}")
    ended = body.endswith(END)
    body = body.removesuffix(END).removesuffix(PAGE_END)
    first, *rest = body.split(TAG)
    tag, _, role = label.partition(" ")
    passages = [Passage(tag, role, decode(first), continues=number != "p1")] if first or not rest else []
    for each in rest:
        label, _, text = each.partition(TAG_END)
        tag, _, role = upright(label).partition(" ")
        passages.append(Passage(tag, role, decode(text)))
    return Reading(int(number[1:]), font.name, leading, tuple(passages), ended)
