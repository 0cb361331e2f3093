"""The atlases against the fonts they come from, by a parser that shares nothing with the script that made them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_history.pages.atlas import INTERNAL, atlas
from jupyter_history.pages.coding import COUNTS

FONTS = Path(__file__).parent / "fonts"
REDRAWN = set("-\u00a0") | set(map(chr, range(0x2500, 0x2580)))
RESERVED = "\n\t\r\x01\x02\x03\x04\x05\x06\x0e\x0f\x11"
Picture = tuple[str, ...]


def bdf(path: Path) -> Iterator[tuple[str, Picture]]:
    """Characters and pictures of a BDF font, each picture `ascent + descent` strings of `#` and `.`, the advance
    wide."""
    text = path.read_text()
    ascent, descent = (int(re.search(rf"^FONT_{name} (\d+)", text, re.M)[1]) for name in ("ASCENT", "DESCENT"))  # type: ignore[index]
    for glyph in re.findall(r"^STARTCHAR.*?^ENDCHAR", text, re.M | re.S):
        field = {
            line.split()[0]: line.split()[1:] for line in glyph.splitlines() if not re.fullmatch("[0-9A-F]+", line)
        }
        width, height, left, bottom = map(int, field["BBX"])
        advance = int(field["DWIDTH"][0])
        canvas = [["."] * advance for _ in range(ascent + descent)]
        lines = glyph.split("BITMAP\n")[1].split()[:height]
        for y, line in enumerate(lines):
            for x in range(width):
                if int(line, 16) >> (4 * len(line) - 1 - x) & 1:
                    canvas[ascent - bottom - height + y][left + x] = "#"
        yield chr(int(field["ENCODING"][0])), tuple("".join(row) for row in canvas)


def unifont() -> Iterator[tuple[str, Picture]]:
    for line in (FONTS / "unifont.hex").read_text().split():
        code, digits = line.split(":")
        size = len(digits) // 16
        rows = [digits[n : n + size] for n in range(0, len(digits), size)]
        yield (
            chr(int(code, 16)),
            tuple(f"{int(row, 16):0{4 * size}b}".replace("0", ".").replace("1", "#") for row in rows),
        )


def drawn(name: str, char: str) -> Picture:
    return tuple(row.replace("1", ".").replace("0", "#") for row in atlas(name).strips[char])


def differences(one: Picture, other: Picture) -> int:
    return sum(a != b for row, line in zip(one, other, strict=True) for a, b in zip(row, line, strict=True))


@pytest.mark.parametrize(
    ("source", "name"), [("b14", "7x14"), ("b12", "6x12"), ("9x18", "9x18"), ("18x18ko", "9x18"), ("unifont", "8x16")]
)
def test_a_glyph_is_its_fonts_own_picture_or_one_pixel_away(source: str, name: str) -> None:
    glyphs = unifont() if source == "unifont" else bdf(FONTS / f"{source}.bdf")
    compared = marked = 0
    for char, picture in glyphs:
        if char in REDRAWN or not (char in atlas(name).half or char in atlas(name).wide):
            continue
        away = differences(drawn(name, char), picture)
        compared, marked = compared + 1, marked + (away > 0)
        # Letters that look like another script's carry one more pixel; symbols may be Unifont's.
        assert away <= 1 or unicodedata.category(char)[0] in "SP", char
    assert compared > 200
    assert marked < compared / 10


@pytest.mark.parametrize("name", ["7x14", "6x12", "8x16", "9x18"])
def test_ascii_is_untouched_but_for_the_hyphen(name: str) -> None:
    source = {"7x14": "b14", "6x12": "b12", "9x18": "9x18"}.get(name)
    pictures = dict(bdf(FONTS / f"{source}.bdf") if source else unifont())
    for code in range(0x20, 0x7F):
        if chr(code) != "-":
            assert drawn(name, chr(code)) == pictures[chr(code)]


@pytest.mark.parametrize("name", ["7x14", "6x12", "8x16", "9x18"])
def test_reserved_glyphs_are_six_pixels_from_any_other(name: str) -> None:
    font = atlas(name)
    pictures = {char: int.from_bytes(picture, "big") for char, picture in font.half.items()}
    for char in (*RESERVED, *COUNTS):
        for other, picture in pictures.items():
            # Inverse ASCII is as far apart among itself as upright.
            same = other == char or (char in COUNTS and other >= "\U000f0000")
            assert same or (picture ^ pictures[char]).bit_count() >= 6, (char, other)


@pytest.mark.parametrize("name", ["7x14", "6x12", "8x16", "9x18"])
def test_dashes_and_blanks_all_look_different(name: str) -> None:
    chars = [*"-\u2010\u2011\u2012\u2013\u2014\u2015\u2212 \u00a0\u202f\u3000\u30fc\u2500"]
    pictures = {drawn(name, char) for char in chars}
    assert len(pictures) == len(chars)


def test_declared_scripts_are_whole() -> None:
    """What docs/pages.md promises; the escape is exact too, but costs seven cells."""

    def missing(name: str, chars: str) -> set[str]:
        return atlas(name).lacks(set(chars))

    ascii_and_latin = "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x100)))).replace("\u00ad", "")
    kana = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB))))
    jis = "".join(
        bytes((high, low)).decode("euc_jp", "ignore") for high in range(0xB0, 0xF5) for low in range(0xA1, 0xFF)
    )
    hangul = "".join(map(chr, range(0xAC00, 0xD7A4)))
    greek_and_cyrillic = "".join(map(chr, (*range(0x391, 0x3A2), *range(0x3A3, 0x3CA), *range(0x400, 0x460))))
    for name in ("7x14", "6x12", "8x16", "9x18"):
        assert not missing(name, ascii_and_latin + kana + jis + greek_and_cyrillic)
    for name in ("7x14", "8x16", "9x18"):
        assert not missing(name, hangul)


def test_no_glyph_stands_for_a_control_a_mark_or_a_private_character() -> None:
    for name in ("7x14", "6x12", "8x16", "9x18"):
        for char in (*atlas(name).half, *atlas(name).wide):
            assert char in INTERNAL or char in "\n\t\r" or unicodedata.category(char)[0] not in "CM"
