"""Text flowed over pages: rows always full, exact strings kept whole, nothing that depends on what comes later (rule
16).

A page begins with a mark and its number in inverse video (and, where a message goes on, that message's tag). Its font
and leading follow from the first ten rows of its text. A message begins with its tag. A row that cannot be filled ends
with the pad glyph, the text with the end glyph, a page that closes early (the next message needs another font) with
the page end glyph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from .atlas import CLOSE, END, OPEN, PAD, PAGE, PAGE_END, PAGE_LED, TAG, TAG_END, Atlas, atlas, inverse
from .coding import COUNTS, decode, encode
from .profiles import FALLBACK, LEADING, Profile

WHOLE = 40
"""Cells up to which an exact string is never split over rows."""
OPENING_ROWS = 10
"""Rows of text that decide a page's font and leading."""
FEW_ESCAPES = 3
"""So many escapes never change a page's font."""

_WORDS = re.compile(r"[\w\-./\\:@%+#~=&?$]+(?:,[0-9]{3}(?![0-9])[\w\-./\\:@%+#~=&?$]*)*", re.ASCII)
"""Runs that may be exact strings; thousands are set off by commas."""
_EXACT = re.compile(r"[0-9_/\\@]|[a-z][A-Z]|[A-Za-z]\.[A-Za-z]")
_LABEL = re.compile(r"[!-~]+(?: [ -~]*)?")

Part = tuple[str, str, str]
"""Tag, role and normalised text of a message; tag "" for plain text without one."""


@dataclass(frozen=True, slots=True)
class Span:
    """What a run of a page's cells holds: characters start..end of the normalised text of part `part`.

    Cells are counted from the page's first, row by row; `first` is inside, `last` outside, like `start` and `end`.
    """

    part: int
    tag: str
    role: str
    start: int
    end: int
    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page before it is painted: rows of glyph characters."""

    number: int
    font: str
    leading: int
    rows: tuple[str, ...]
    spans: tuple[Span, ...]
    sealed: bool


@dataclass(slots=True)
class _Flow:
    """A part's text in the glyphs of a font; `at` is the next glyph to place, `offset` the characters placed so far."""

    glyphs: str
    cells: Sequence[int]
    """Cells before each glyph, and of all."""
    font: Atlas
    offset: int
    at: int = 0

    @classmethod
    def begin(cls, text: str, offset: int, font: Atlas) -> _Flow:
        glyphs = encode(text[offset:], font)
        if not set(glyphs).difference(font.half):
            return cls(glyphs, range(len(glyphs) + 1), font, offset)
        half = font.half
        return cls(glyphs, list(accumulate([1 if char in half else 2 for char in glyphs], initial=0)), font, offset)


@dataclass(slots=True)
class _Page:
    """A page while it fills."""

    number: int
    font: Atlas
    leading: int
    columns: int
    limit: int
    rows: list[str] = field(default_factory=list)
    row: str = ""
    used: int = 0
    spans: list[Span] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return len(self.rows) == self.limit

    @property
    def cell(self) -> int:
        return len(self.rows) * self.columns + self.used

    def put(self, glyphs: str, cells: int) -> None:
        self.row += glyphs
        self.used += cells
        if self.used == self.columns:
            self.rows.append(self.row)
            self.row, self.used = "", 0

    def pad(self) -> None:
        """End the row where it stands."""
        self.rows.append(self.row + PAD)
        self.row, self.used = "", 0

    def close(self, mark: str) -> None:
        """Say that nothing follows, if there is room to say so; a page without room is full and needs no mark."""
        if not self.full:
            self.rows.append(self.row + mark)
            self.row, self.used = "", 0


def lay_out(parts: Sequence[Part], profile: Profile, growing: bool) -> list[Sheet]:
    """The pages of the parts. `growing`: the last part may get longer, so what is near its end is not sealed yet."""
    sheets: list[tuple[_Page, bool]] = []
    part, flow = 0, None
    while True:
        page, early = _open(len(sheets) + 1, parts, part, flow, profile), False
        while part < len(parts) and not page.full:
            tag, role, text = parts[part]
            if flow is None:
                if page.spans and page.font.name != FALLBACK and _font(text, 0, profile) != page.font.name:
                    early = True
                    break
                if tag and not _place_tag(page, tag, role):
                    break
                flow = _Flow.begin(text, 0, page.font)
            elif flow.font is not page.font:
                flow = _Flow.begin(text, flow.offset, page.font)
            _pour(page, part, parts[part], flow)
            if flow.at == len(flow.glyphs):
                part, flow = part + 1, None
        page.close(PAGE_END if early else END)
        sheets.append((page, early))
        if part == len(parts):
            break
    return [_sheet(page, parts, growing, last=page is sheets[-1][0]) for page, _ in sheets]


def _sheet(page: _Page, parts: Sequence[Part], growing: bool, last: bool) -> Sheet:
    sealed = not last
    if sealed and growing and page.spans:
        # The break at the page's end looked at most WHOLE characters ahead.
        end = page.spans[-1]
        sealed = end.part < len(parts) - 1 or len(parts[-1][2]) - end.end > WHOLE
    return Sheet(page.number, page.font.name, page.leading, tuple(page.rows), tuple(page.spans), sealed)


def _open(number: int, parts: Sequence[Part], part: int, flow: _Flow | None, profile: Profile) -> _Page:
    """A new page, its font, leading and header."""
    offset = flow.offset if flow is not None else 0
    name = _font(parts[part][2], offset, profile) if part < len(parts) else profile.font
    font = atlas(name)
    leading = LEADING if _mostly_wide(parts, part, offset, font, profile) else 0
    page = _Page(number, font, leading, profile.columns(name), profile.rows(name, leading))
    label = f"p{number}"
    if flow is not None and parts[part][0]:
        label += f" {_label(*parts[part][:2])}"
    page.put((PAGE_LED if leading else PAGE) + inverse(label) + TAG_END, len(label) + 2)
    return page


def _beginning(text: str, offset: int, font: Atlas, cells: int) -> str:
    """The glyphs of a text from an offset on that fill so many cells."""
    glyphs = encode(text[offset : offset + cells], font)[:cells]
    if not set(glyphs).difference(font.half):
        return glyphs
    ends = list(accumulate(1 if char in font.half else 2 for char in glyphs))
    return glyphs[: bisect_right(ends, cells)]


def _font(text: str, offset: int, profile: Profile) -> str:
    """The font of a page that opens with this text: the fallback where the profile's own would escape more than 1 %."""
    own = atlas(profile.font)
    glyphs = _beginning(text, offset, own, OPENING_ROWS * profile.columns(own.name))
    escapes = glyphs.count(OPEN)
    if escapes <= FEW_ESCAPES or profile.font == FALLBACK:
        return own.name
    shown = len(decode(glyphs[: glyphs.rfind(CLOSE) + 1]))
    if escapes * 100 <= max(shown, len(glyphs) - 6 * escapes):
        return own.name
    other = encode(text[offset : offset + shown], atlas(FALLBACK)).count(OPEN)
    return FALLBACK if other * 2 <= escapes else own.name


def _mostly_wide(parts: Sequence[Part], part: int, offset: int, font: Atlas, profile: Profile) -> bool:
    """Whether more than a fifth of the glyphs in the first ten rows of text is wide. Looks no further than the page
    goes."""
    left = OPENING_ROWS * profile.columns(font.name)
    wide = seen = 0
    for n in range(part, len(parts)):
        text = parts[n][2]
        if n > part and font.name != FALLBACK and _font(text, 0, profile) != font.name:
            break
        glyphs = _beginning(text, offset if n == part else 0, font, left)
        double = 0 if glyphs.isascii() else sum(char not in font.half for char in glyphs)
        wide, seen, left = wide + double, seen + len(glyphs), left - len(glyphs) - double
        if left <= 1:
            break
    return wide * 5 > seen


def _label(tag: str, role: str) -> str:
    """What a tag says. ValueError where it is no short ASCII."""
    label = f"{tag} {role}" if role else tag
    if len(label) > WHOLE - 10 or " " in tag or not _LABEL.fullmatch(label):
        raise ValueError(f"a tag and its role are printable ASCII, together at most {WHOLE - 10} characters: {label!r}")
    return label


def _place_tag(page: _Page, tag: str, role: str) -> bool:
    """Put a message's tag; False where the page has no room left."""
    label = _label(tag, role)
    cells = len(label) + 2
    if page.used + cells > page.columns:
        page.pad()
        if page.full:
            return False
    page.put(TAG + inverse(label) + TAG_END, cells)
    return True


def _pour(page: _Page, number: int, part: Part, flow: _Flow) -> None:
    """Fill the page's rows from the flow until either ends; note what went where."""
    first, start, begin = page.cell, flow.at, flow.offset
    glyphs, cells = flow.glyphs, flow.cells
    while flow.at < len(glyphs) and not page.full:
        room = page.columns - page.used
        to = bisect_right(cells, cells[flow.at] + room, lo=flow.at) - 1
        if to < len(glyphs):
            to = _break(glyphs, flow.at, to)
        taken = cells[to] - cells[flow.at]
        if to > flow.at:
            page.put(glyphs[flow.at : to], taken)
            flow.at = to
        if taken < room and flow.at < len(glyphs):
            page.pad()
    text = decode(glyphs[start : flow.at])
    flow.offset += len(text)
    page.spans.append(Span(number, part[0], part[1], begin, flow.offset, first, page.cell, text))


def _break(glyphs: str, first: int, to: int) -> int:
    """Where a row that could hold glyphs first..to ends: before the atom or exact string that would be split at
    `to`."""
    left = glyphs[max(first, to - WHOLE - 1) : to]
    opened = left.rfind(OPEN)
    if opened > left.rfind(CLOSE):
        return to - len(left) + opened
    if glyphs[to] in COUNTS:
        return to - len(left) + len(left.rstrip(COUNTS))
    for word in _WORDS.finditer(left + glyphs[to : to + WHOLE + 1]):
        if word.end() > len(left):
            if word.start() < len(left) and len(word[0]) <= WHOLE and _EXACT.search(word[0]):
                return to - len(left) + word.start()
            break
    return to


def exact_strings(text: str) -> Iterator[str]:
    """The exact strings of a text as the layout knows them, in order."""
    for match in _WORDS.finditer(text):
        if _EXACT.search(match.group()):
            yield match.group()
