#!/usr/bin/env python3
"""Make the glyph atlases in jupyter_history/pages/font from the Debian packages' bitmap fonts.

    apt-get download xfonts-efont-unicode xfonts-base unifont fonts-unifont
    for deb in *.deb; do dpkg-deb -x "$deb" fonts; done
    scripts/make_atlas.py fonts

An atlas holds one cell size. Each glyph is one or two cells; its rows are whole bytes, ink 1. Every picture is unique
and a row of cells reads back in one way only: this script redraws what collides (dashes, blanks, letters that scripts
share), leaves out what it cannot redraw (drawn as an escape then), and fails if a declared script lost a character,
two glyphs share a picture, or a reserved glyph is less than six pixels away from any other. Needs Pillow for the emoji.
"""

from __future__ import annotations

import struct
import sys
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from glyph_art import blanks_and_dashes, box, columns, distance, inverse, place, reserved
from glyph_sources import Bits, Source, pcf, unifont_hex, unifont_upper

OUT = Path(__file__).parents[1] / "jupyter_history" / "pages" / "font"
INVERSE = 0xF0000
KEPT_BLANKS = " \u00a0\u202f\u3000"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"


class Atlas:
    """Glyphs of one cell size, added in order of preference, then made unique."""

    def __init__(self, width: int, height: int, redraw_boxes: bool) -> None:
        self.width, self.height, self.redraw_boxes = width, height, redraw_boxes
        self.glyphs: dict[str, tuple[int, Bits]] = {}
        self.spare: dict[str, tuple[int, Bits]] = {}
        self.notes: list[str] = []

    def add(
        self, source: Source, grid: tuple[int, int], drop: int = 0, skip: Callable[[str], bool] = lambda c: False
    ) -> None:
        for char, cells, rows in source:
            if not drawn(char) or skip(char):
                continue
            if grid == (self.width, self.height):
                fitted = rows if columns(rows) or char == " " else None
            else:
                fitted = place(rows, grid[0] * cells, grid[1], self.width * cells, self.height, drop)
            if fitted is not None:
                (self.spare if char in self.glyphs else self.glyphs).setdefault(char, (cells, fitted))

    def finish(self) -> None:
        hyphen = self.glyphs["-"][1]
        self.glyphs |= blanks_and_dashes(self.width, self.height, hyphen)
        if self.redraw_boxes:
            down = next(y for y, row in enumerate(self.glyphs["─"][1]) if row)
            across = self.width - self.glyphs["│"][1][0].bit_length()
            for code in range(0x2500, 0x2580):
                rows = box(chr(code), self.width, self.height, across, down)
                if rows:
                    self.glyphs[chr(code)] = (1, rows)
        fixed = set(map(chr, range(0x20, 0x7F))) | set(KEPT_BLANKS) | set(DASHES)
        special = reserved(self.width, self.height)
        for code in range(0x20, 0x7F):
            special[chr(INVERSE + code)] = inverse(self.glyphs[chr(code)][1], self.width)
        taken: dict[tuple[int, Bits], str] = {(1, rows): key for key, rows in special.items()}
        if len(taken) != len(special):
            raise SystemExit(f"{self.width}x{self.height}: two reserved glyphs share a picture")
        near = [rows for key, rows in special.items() if ord(key) < INVERSE]
        kept: dict[str, tuple[int, Bits]] = {}

        def free(picture: tuple[int, Bits]) -> bool:
            return picture not in taken and (picture[0] == 2 or all(distance(picture[1], rows) >= 6 for rows in near))

        for char in sorted(self.glyphs, key=lambda c: (c not in fixed, c)):
            picture = self.glyphs[char]
            if not free(picture):
                if char in fixed:
                    raise SystemExit(f"{self.width}x{self.height}: {char!r} collides with {taken.get(picture)!r}")
                other = taken.get(picture, "")
                alternatives = [self.spare[char]] if char in self.spare else []
                if script(char) != script(other):
                    alternatives = [*self.marked(picture), *alternatives]
                elif unicodedata.category(char)[0] in "SP":
                    alternatives = [*alternatives, *self.marked(picture)]
                found = next((each for each in alternatives if free(each)), None)
                if found is None:
                    self.notes.append(f"left out {ord(char):04X} (same as {ord(other[:1] or ' '):04X})")
                    continue
                picture = found
            kept[char] = picture
            taken[picture] = char
        self.glyphs = {key: (1, rows) for key, rows in special.items()} | kept
        self.leave_out_ambiguous()

    def marked(self, picture: tuple[int, Bits]) -> Iterator[tuple[int, Bits]]:
        """The picture with one more pixel that touches its ink, lowest and rightmost first."""
        cells, rows = picture
        for y in reversed(range(self.height)):
            for x in range(cells * self.width):
                bit = 1 << x
                around = (rows[y] << 1 | rows[y] >> 1) & bit
                around |= rows[y - 1] & bit if y else 0
                around |= rows[y + 1] & bit if y + 1 < self.height else 0
                if around and not rows[y] & bit:
                    yield cells, (*rows[:y], rows[y] | bit, *rows[y + 1 :])

    def halves(self, rows: Bits) -> tuple[Bits, Bits]:
        mask = (1 << self.width) - 1
        return tuple(row >> self.width for row in rows), tuple(row & mask for row in rows)

    def leave_out_ambiguous(self) -> None:
        """A reader takes two cells when they are a wide glyph. It errs only where a half glyph A looks like the left
        of a wide one, and what follows A (a half glyph, or the left of another wide one) like its right."""
        half = {rows for cells, rows in self.glyphs.values() if cells == 1}
        left = {self.halves(rows)[0] for cells, rows in self.glyphs.values() if cells == 2}
        taken = set(self.glyphs.values())
        for char, (cells, rows) in list(self.glyphs.items()):
            if cells == 2:
                for picture in ((cells, rows), *self.marked((cells, rows))):
                    first, second = self.halves(picture[1])
                    clear = first not in half or (second not in half and second not in left)
                    if clear and (picture == (cells, rows) or (picture not in taken and first not in half)):
                        self.glyphs[char] = picture
                        taken.add(picture)
                        left.add(first)
                        break
                else:
                    self.notes.append(f"left out {ord(char):04X} (its halves are glyphs)")
                    del self.glyphs[char]

    def check(self, declared: dict[str, str]) -> None:
        size = f"{self.width}x{self.height}"
        if len(set(self.glyphs.values())) != len(self.glyphs):
            raise SystemExit(f"{size}: two glyphs share a picture")
        if any(columns(rows) >> cells * self.width for cells, rows in self.glyphs.values()):
            raise SystemExit(f"{size}: a glyph is wider than its cells")
        for name, chars in declared.items():
            missing = [char for char in chars if char not in self.glyphs]
            if missing:
                raise SystemExit(f"{size}: {name} lost {len(missing)}: {''.join(missing[:40])}")
        # Counts of spaces are inverse digits; among themselves the inverse are as far apart as upright ASCII.
        special = [key for key in self.glyphs if ord(key) < 0x20] + [
            chr(INVERSE + ord(digit)) for digit in "0123456789"
        ]
        for key in special:
            for other, (cells, rows) in self.glyphs.items():
                if (
                    other != key
                    and cells == 1
                    and min(ord(key), ord(other)) < INVERSE
                    and distance(rows, self.glyphs[key][1]) < 6
                ):
                    raise SystemExit(f"{size}: reserved {key!r} is near {other!r}")

    def write(self, path: Path) -> int:
        """Cell size, length of the first part, then half and wide glyphs, each part compressed by itself: how many
        runs of codes, the runs (first, length), the rows as bytes."""
        packed = []
        for cells in (1, 2):
            codes = sorted(ord(char) for char, picture in self.glyphs.items() if picture[0] == cells)
            runs: list[list[int]] = []
            for code in codes:
                if runs and code == runs[-1][0] + runs[-1][1]:
                    runs[-1][1] += 1
                else:
                    runs.append([code, 1])
            size = -(-cells * self.width // 8)
            out = [struct.pack("<I", len(runs)), *(struct.pack("<2I", *run) for run in runs)]
            out += [row.to_bytes(size, "big") for code in codes for row in self.glyphs[chr(code)][1]]
            packed.append(zlib.compress(b"".join(out), 9))
        path.write_bytes(struct.pack("<2BI", self.width, self.height, len(packed[0])) + b"".join(packed))
        return len(path.read_bytes())


def drawn(char: str) -> bool:
    """Whether a character may have a glyph at all: no control, mark, private or unassigned code, no blank but the kept
    ones, nothing that normalisation replaces, no radicals (pictures of the ideographs)."""
    kind = unicodedata.category(char)
    if kind[0] in "CM" or 0x2E80 <= ord(char) < 0x2FE0 or unicodedata.normalize("NFC", char) != char:
        return False
    return kind[0] != "Z" or char in KEPT_BLANKS


def script(char: str) -> str:
    """The first word of a character's name, symbols taken together."""
    kind = unicodedata.category(char[:1] or " ")[0]
    return unicodedata.name(char[0]).split()[0] if kind == "L" else "symbol" if char else ""


def encoded(codec: str, first: range, second: range) -> str:
    """The characters of a two-byte character set."""
    found = []
    for high in first:
        for low in second:
            try:
                found.append(bytes((high, low)).decode(codec))
            except UnicodeDecodeError:
                continue
    return "".join(found)


def declared() -> dict[str, str]:
    """Scripts a profile may promise, whole."""
    return {
        "ASCII": "".join(map(chr, range(0x20, 0x7F))),
        "Latin-1": "".join(chr(code) for code in range(0xA0, 0x100) if code != 0xAD),
        "Greek": "".join(chr(c) for c in range(0x391, 0x3CA) if c not in (0x3A2,)),
        "Cyrillic": "".join(map(chr, range(0x400, 0x460))),
        "kana": "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FB)))),
        "JIS kanji": encoded("euc_jp", range(0xB0, 0xF5), range(0xA1, 0xFF)),
        "Hangul of KS X 1001": encoded("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)),
        "Hangul": "".join(map(chr, range(0xAC00, 0xD7A4))),
        "hanzi of GB 2312": encoded("gb2312", range(0xB0, 0xF8), range(0xA1, 0xFF)),
        "box drawing": "".join(map(chr, range(0x2500, 0x2580))),
    }


def main(fonts: Path, *only: str) -> None:
    x11 = fonts / "usr/share/fonts/X11/misc"
    hexes = fonts / "usr/share/unifont/unifont.hex"
    japanese = hexes.with_name("unifont_jp.hex")
    upper = fonts / "usr/share/fonts/opentype/unifont/unifont_upper.otf"

    def letters(char: str) -> bool:
        """What Unifont does not lend: letters of the scripts from Arabic on (a page in Unifont cells serves them
        better)."""
        return (
            ord(char) >= 0x600
            and not 0x3040 <= ord(char) < 0x3100
            and not 0x1D400 <= ord(char) < 0x1D800
            and unicodedata.category(char)[0] == "L"
        )

    every = declared()
    latin = ["ASCII", "Latin-1", "Greek", "Cyrillic", "kana", "JIS kanji"]
    plans: list[tuple[int, int, list[str], int, list[str]]] = [
        (7, 14, ["b14"], -2, [*latin, "Hangul of KS X 1001", "Hangul", "hanzi of GB 2312", "box drawing"]),
        (6, 12, ["b12"], -3, latin),
        (8, 16, [], 0, [*latin, "Hangul of KS X 1001", "Hangul", "hanzi of GB 2312", "box drawing"]),
        (9, 18, ["9x18", "18x18ko"], 0, [*latin, "Hangul of KS X 1001", "Hangul", "box drawing"]),
    ]
    for width, height, names, drop, scripts in plans:
        if only and f"{width}x{height}" not in only:
            continue
        atlas = Atlas(width, height, redraw_boxes=bool(names))
        for name in names:
            # The second font of a plan lends what the first lacks.
            taken = frozenset(atlas.glyphs)
            atlas.add((glyph for glyph in pcf(x11 / f"{name}.pcf.gz", width) if glyph[0] not in taken), (width, height))
        skip = letters if names else lambda c: False
        atlas.add(unifont_hex(hexes), (8, 16), drop, skip)
        atlas.add(unifont_hex(japanese), (8, 16), drop, skip)
        atlas.add(unifont_upper(upper), (8, 16), drop, skip)
        atlas.finish()
        atlas.check({name: every[name] for name in scripts})
        size = atlas.write(OUT / f"{width}x{height}.atlas")
        print(f"{width}x{height}: {len(atlas.glyphs)} glyphs, {size} bytes, {len(atlas.notes)} left out")
        if "-v" in sys.argv:
            print("   ", "; ".join(atlas.notes))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(word for word in sys.argv[2:] if word != "-v"))
