"""Where the glyphs come from: font files read. Each yields character, cells (1 or 2), a picture on its own grid."""

from __future__ import annotations

import gzip
import struct
import unicodedata
from collections.abc import Iterator
from pathlib import Path

Bits = tuple[int, ...]
"""The rows of a picture, each an integer, leftmost pixel in the highest of the picture's bits."""

Source = Iterator[tuple[str, int, Bits]]


def pcf(path: Path, half: int) -> Source:
    """Glyphs of an X11 PCF font (format: fontforge.org/docs/techref/pcf-format.html) whose half cell is `half` wide."""
    data = gzip.decompress(path.read_bytes())
    tables = {kind: offset for kind, _, _, offset in struct.iter_unpack("<4I", data[8 : 8 + 16 * data[4]])}

    def table(kind: int) -> tuple[int, str, int]:
        """Format, byte order and the place after the format word."""
        start = tables[kind]
        form = struct.unpack_from("<I", data, start)[0]
        return form, ">" if form & 4 else "<", start + 4

    form, order, at = table(2)
    ascent, descent = struct.unpack_from(order + "2i", data, at + 8)
    form, order, at = table(4)
    if form & 0x100:
        count = struct.unpack_from(order + "H", data, at)[0]
        metrics = [tuple(byte - 0x80 for byte in data[at + 2 + 5 * n : at + 7 + 5 * n]) for n in range(count)]
    else:
        count = struct.unpack_from(order + "I", data, at)[0]
        metrics = [struct.unpack_from(order + "5h", data, at + 4 + 12 * n) for n in range(count)]
    form, order, at = table(8)
    if not form & 8:
        raise ValueError(f"{path}: bits are not in the order this reader knows")
    pad = 1 << (form & 3)
    count = struct.unpack_from(order + "I", data, at)[0]
    offsets = struct.unpack_from(order + f"{count}I", data, at + 4)
    bits = at + 4 + 4 * count + 16
    form, order, at = table(32)
    low2, high2, low1, high1, _ = struct.unpack_from(order + "5H", data, at)
    columns = high2 - low2 + 1
    for n, glyph in enumerate(struct.unpack_from(order + f"{columns * (high1 - low1 + 1)}H", data, at + 10)):
        if glyph == 0xFFFF:
            continue
        left, right, advance, above, below = metrics[glyph]
        width = right - left
        stride = -(-width // (8 * pad)) * pad
        cells = 1 if advance == half else 2
        rows = [0] * (ascent + descent)
        for y in range(above + below):
            start = bits + offsets[glyph] + y * stride
            line = int.from_bytes(data[start : start + stride], "big") >> (8 * stride - width)
            shift = cells * half - left - width
            where = ascent - above + y
            if line and 0 <= where < len(rows):
                rows[where] |= line << shift if shift >= 0 else line >> -shift
        yield chr((low1 + n // columns) * 256 + low2 + n % columns), cells, tuple(rows)


def unifont_hex(path: Path) -> Source:
    """GNU Unifont's own format: `code:hex`, sixteen rows of eight or sixteen pixels."""
    for line in path.read_text().split():
        code, digits = line.split(":")
        wide = len(digits) // 16
        yield chr(int(code, 16)), wide // 2, tuple(int(digits[n : n + wide], 16) for n in range(0, len(digits), wide))


def unifont_upper(path: Path) -> Source:
    """Emoji, symbols and mathematical letters of Unifont's upper planes: squares of one pixel at size 16."""
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(str(path), 16)
    for code in (*range(0x1D400, 0x1D800), *range(0x1F100, 0x1F200), *range(0x1F300, 0x1FB00)):
        if unicodedata.category(chr(code)) == "Cn":
            continue
        cells = 2 if font.getlength(chr(code)) > 8 else 1
        image = Image.new("1", (8 * cells, 16))
        draw = ImageDraw.Draw(image)
        draw.fontmode = "1"
        draw.text((0, 0), chr(code), 1, font=font)
        raw = image.tobytes()
        yield chr(code), cells, tuple(int.from_bytes(raw[n : n + cells], "big") for n in range(0, len(raw), cells))
