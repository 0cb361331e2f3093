"""Glyphs drawn here: the reserved ones, blanks and dashes, box drawing; and how a picture is moved into a cell."""

from __future__ import annotations

import unicodedata

from glyph_sources import Bits


def columns(rows: Bits) -> int:
    """All ink of the rows laid over each other."""
    seen = 0
    for row in rows:
        seen |= row
    return seen


def place(rows: Bits, width: int, height: int, into: int, tall: int, drop: int) -> Bits | None:
    """A picture of width x height moved into into x tall, `drop` rows lower; None where its ink does not fit."""
    seen = columns(rows)
    if not seen:
        return None
    left, right = width - seen.bit_length(), (seen & -seen).bit_length() - 1
    if width - left - right > into:
        return None
    shift = min(max(int((into - width) / 2), -left), into - width + right)
    inked = [y for y, row in enumerate(rows) if row]
    down = min(max(drop, -inked[0]), tall - 1 - inked[-1])
    if inked[0] + down < 0:
        return None
    moved = [0] * tall
    for y in range(inked[0], inked[-1] + 1):
        by = into - width - shift
        moved[y + down] = rows[y] << by if by >= 0 else rows[y] >> -by
    return tuple(moved)


def distance(one: Bits, other: Bits) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True))


def art(text: str, width: int, height: int) -> Bits:
    """A picture written as lines of `#` and `.`, set in the middle of the cell."""
    lines = text.split()
    down, across = (height - len(lines)) // 2, (width - len(lines[0])) // 2
    rows = [0] * height
    for n, line in enumerate(lines):
        rows[down + n] = int(line.replace("#", "1").replace(".", "0"), 2) << (width - len(line) - across)
    return tuple(rows)


NEWLINE = "...... .....# .....# ..#..# .##..# ###### .##... ..#... ...... ......"
RETURN = "#..... #..... #..#.. #.##.. ###### #.##.. #..#.. #..... #..... ......"
TAB = ".....# .....# ..#..# ..##.# ###### ..##.# ..#..# .....# .....# ......"
PAD = "....#. ...... ..#... ...... #..... ...... ....#. ...... ..#... ...... #....."
END = "...... ###### #....# #.##.# #.##.# #.##.# #.##.# #....# ###### ......"
PAGE_END = "..##.. ..##.. ..##.. ###### .####. ..##.. ...... ###### ###### ......"
OPEN = "....## ...##. ..##.. .##... ##.... ##.... .##... ..##.. ...##. ....##"
CLOSE = "##.... .##... ..##.. ...##. ....## ....## ...##. ..##.. .##... ##...."


def reserved(width: int, height: int) -> dict[str, Bits]:
    """The glyphs that are used for nothing else, by the control character that stands for each inside the package."""
    full = (1 << width) - 1
    glyphs = {
        "\n": NEWLINE, "\r": RETURN, "\t": TAB, "\x11": PAD,
        "\x03": END, "\x04": PAGE_END, "\x0e": OPEN, "\x0f": CLOSE,
    }  # fmt: skip
    pictures = {key: art(text, width, height) for key, text in glyphs.items()}
    # Tag ends: round caps of the inverse block between them, so narrow that the eye reads one plate.
    cap = []
    for y in range(height):
        inset = {0: width, 1: 4, 2: 3, height - 2: 4, height - 3: 3, height - 1: width}.get(y, 2)
        cap.append(full >> inset)
    pictures["\x01"] = tuple(cap)
    pictures["\x02"] = tuple(int(format(row, f"0{width}b")[::-1], 2) for row in cap)
    # Page marks: a white sheet on black, empty where rows touch, lined where they are led.
    sheet = [0 if y in (0, height - 1) else full for y in range(height)]
    for y in range(3, height - 3):
        sheet[y] ^= ((1 << (width - 3)) - 1) << 1
    pictures["\x05"] = tuple(sheet)
    lined = sheet.copy()
    for y in range(4, height - 4, 2):
        lined[y] |= ((1 << (width - 3)) - 1) << 1
    pictures["\x06"] = tuple(lined)
    return pictures


def inverse(rows: Bits, width: int) -> Bits:
    """White on black, the first and the last row white so that plates in neighbouring rows stay apart; ink there moves
    inwards."""
    full = (1 << width) - 1
    inner = [rows[0] | rows[1], *rows[2:-2], rows[-2] | rows[-1]]
    return (0, *(row ^ full for row in inner), 0)


def blanks_and_dashes(width: int, height: int, hyphen: Bits) -> dict[str, tuple[int, Bits]]:
    """Redrawn: blanks that are no space carry ticks, each dash its own length, weight and height."""
    full = (1 << width) - 1
    low = height - 4
    middle = next(y for y, row in enumerate(hyphen) if row)

    def lines(**rows: int) -> Bits:
        return tuple(rows.get(f"y{y}", 0) for y in range(height))

    ticks = (1 << (width - 2)) | 2
    wide = 2 * width
    wide_ticks = (1 << (wide - 3)) | 4
    short = 0b111 << (width - 3) // 2
    return {
        "\u00a0": (1, lines(**{f"y{low}": ticks, f"y{low + 1}": ticks | 1 << (width - 3) | 4})),
        "\u202f": (1, lines(**{f"y{low}": short & -short, f"y{low + 1}": short})),
        "\u3000": (2, lines(**{f"y{low}": wide_ticks, f"y{low + 1}": wide_ticks | 1 << (wide - 4) | 8})),
        "-": (1, lines(**{f"y{middle}": full >> 1 & ~1})),
        "\u2010": (1, lines(**{f"y{middle}": short, f"y{middle + 1}": short})),
        "\u2011": (1, lines(**{f"y{middle}": short, f"y{middle + 1}": short, f"y{middle + 3}": short})),
        "\u2012": (1, lines(**{f"y{middle + 2}": full >> 1})),
        "\u2013": (1, lines(**{f"y{middle}": full >> 1})),
        "\u2014": (1, lines(**{f"y{middle}": full >> 1, f"y{middle + 1}": full >> 1})),
        "\u2015": (1, lines(**{f"y{middle}": full >> 1, f"y{middle + 1}": full >> 1, f"y{middle + 2}": full >> 1})),
        "\u2212": (1, lines(**{f"y{middle - 1}": full >> 1 & ~1})),
    }


ARMS = {"UP": "u", "DOWN": "d", "LEFT": "l", "RIGHT": "r", "VERTICAL": "ud", "HORIZONTAL": "lr"}
DASHED = {"DOUBLE": 2, "TRIPLE": 3, "QUADRUPLE": 4}


def box(char: str, width: int, height: int, across: int, down: int) -> Bits | None:
    """Light and heavy box drawing from its Unicode name, light one pixel and heavy two, its lines crossing at (across,
    down); None for doubles, arcs and diagonals."""
    words = unicodedata.name(char, "").removeprefix("BOX DRAWINGS ").split()
    if not {"LIGHT", "HEAVY"} & set(words) or {"ARC", "DIAGONAL"} & set(words):
        return None
    weights: dict[str, int] = {}
    dashes = next((DASHED[word] for word in words if word in DASHED), 1)
    words = [word for word in words if word not in (*DASHED, "DASH", "AND")]
    prefix, group = 0, ""
    for word in words:
        if word in ARMS:
            group += ARMS[word]
        elif not group and not weights and word == words[0]:
            prefix = 2 if word == "HEAVY" else 1
        else:
            weights |= dict.fromkeys(group, 2 if word == "HEAVY" else 1)
            group = ""
    weights |= dict.fromkeys(group, prefix)
    if prefix and group != "".join(ARMS.get(word, "") for word in words):
        weights = named_in_front(words)
    grid = [[False] * width for _ in range(height)]
    for arm, weight in weights.items():
        for side in range(weight):
            if arm in "lr":
                for x in range(width):
                    if x <= across if arm == "l" else x >= across:
                        grid[down + side][x] = True
            else:
                for y in range(height):
                    if y <= down if arm == "u" else y >= down:
                        grid[y][across + side] = True
    for gap in range(1, dashes):
        for y in range(height):
            for x in range(width):
                if (x == gap * width // dashes) if "l" in weights else (y == gap * height // dashes):
                    grid[y][x] = False
    return tuple(sum(1 << (width - 1 - x) for x in range(width) if row[x]) for row in grid)


def named_in_front(words: list[str]) -> dict[str, int]:
    """Weights of names that put the weight before its arms (LIGHT LEFT AND HEAVY RIGHT)."""
    weights: dict[str, int] = {}
    weight = 1
    for word in words:
        if word in ARMS:
            weights |= dict.fromkeys(ARMS[word], weight)
        else:
            weight = 2 if word == "HEAVY" else 1
    return weights
