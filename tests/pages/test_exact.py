"""Rule 17: what is drawn reads back exactly, whatever the text."""

from __future__ import annotations

import struct
import unicodedata
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from jupyter_history.pages import PROFILES, Unreadable, draw, normalise, read, read_parts, scan
from jupyter_history.pages.atlas import INTERNAL, Atlas, atlas
from jupyter_history.pages.coding import decode, encode
from jupyter_history.pages.composition import compose

PIECES = st.sampled_from(
    [
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "  ",
        "   ",
        " " * 9,
        " " * 10,
        " " * 17,
        " " * 130,
        "a",
        "word ",
        "don't ",
        "\x1b[31mred\x1b[0m",
        "\x1b]0;title\x07",
        "\x1b]unterminated",
        "\x9b1m",
        "\x1b",
        "\x07",
        "\ud800",
        "\udfff\ud800",
        "downloading 10%\rdownloading 20%\r",
        "a1b2c3d4e5f6",
        "/usr/lib/python3.11/site-packages/x.py",
        "x" * 41,
        "9" * 40,
        "Z\u0335\u0321\u034f\u0300\u0301",
        "e\u0301",
        "\u1112\u1161\u11ab",
        "\u304b\u3099",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u26a0\ufe0f",
        "\U0001f1e9\U0001f1ea",
        "\u05e9\u05dc\u05d5\u05dd",
        "\u0645\u0631\u062d\u0628\u0627",
        "\u202eevil\u202c",
        "\u65e5\u672c\u8a9e",
        "\ud55c\uad6d\uc5b4",
        "\u3000",
        "\u00a0",
        "-\u2010\u2013\u2014\u2212",
        "A\u0391\u0410",
        "\u2028",
        "\x85",
        "\ufffd",
        "\ufffe",
        "\U0010ffff",
        *sorted(INTERNAL),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.text(alphabet=st.characters(exclude_categories=()), max_size=300),
    st.lists(PIECES, max_size=120).map("".join),
    st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=60).map(lambda pieces: "".join(pieces) * 7),
)
LABELS = st.tuples(st.from_regex(r"\A[A-Z][0-9]{1,4}\Z"), st.sampled_from(["user", "assistant", "tool result", ""]))


@settings(max_examples=150, deadline=None)
@given(TEXTS, st.sampled_from(sorted(PROFILES)))
def test_what_is_drawn_reads_back_exactly(text: str, profile: str) -> None:
    assert read(draw(text, profile)) == normalise(text).text


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(LABELS, TEXTS), max_size=8))
def test_messages_read_back_with_their_tags(messages: list[tuple[tuple[str, str], str]]) -> None:
    parts = [(tag, role, text) for (tag, role), text in messages]
    expected = [(tag, role, normalise(text).text) for tag, role, text in parts]
    assert read_parts(draw(parts)) == expected or (not parts and read(draw(parts)) == "")


@pytest.mark.parametrize("profile", ["default", "korean"])
@pytest.mark.parametrize("filler", ["x", "x ", "ab1 ", "한", "日本 a", "\u0301", " ", "\n    "])
def test_every_length_around_a_full_page_reads_back(profile: str, filler: str) -> None:
    page = PROFILES[profile]
    cells = page.capacity
    for length in (cells - 6, cells - 5, cells - 4, cells - 3, cells - 2, cells, cells + 1):
        text = (filler * cells)[:length]
        assert read(draw(text, profile)) == normalise(text).text


@pytest.mark.parametrize("atom", [" " * 12, " " * 1234, "\u0335", "\U0010fffe"])
def test_a_count_and_an_escape_stay_whole_at_a_pages_end(atom: str) -> None:
    cells = PROFILES["default"].capacity
    for length in range(cells - 14, cells + 1):
        text = ("y " * cells)[: length - 1] + "z" + atom + "end"
        assert read(draw(text)) == text


@pytest.mark.parametrize("line", ["x", "7f", "あ", "한글 ", " ", "=", "\U0001f600"])
def test_a_long_line_reads_back(line: str) -> None:
    text = (line * 100_000)[:100_000]
    assert read(draw(text)) == normalise(text).text


def test_every_character_of_the_plane_reads_back() -> None:
    text = (
        "".join(map(chr, range(0x20, 0x3100)))
        + "".join(map(chr, range(0xF900, 0x10000)))
        + "".join(map(chr, range(0x1F000, 0x1FB00)))
    )
    assert read(draw(text)) == normalise(text).text


def test_of_characters_with_one_picture_all_but_the_first_are_escaped() -> None:
    packed = struct.pack("<I2I", 1, ord("A"), 3) + b"\x01" * 14 + b"\x01" * 14 + b"\x02" * 14
    doctored = Atlas("doctored", 7, 14, zlib.compress(packed), zlib.compress(struct.pack("<I", 0)))
    glyphs = encode("ABC", doctored)
    assert glyphs == "A\x0e42\x0fC"
    assert decode(glyphs) == "ABC"


def test_a_changed_pixel_is_refused_and_never_guessed() -> None:
    page = draw("The quick brown fox")[0]
    image = Image.open(BytesIO(page.png))
    image.putpixel((80, 3), 0 if image.getpixel((80, 3)) else 255)
    image.putpixel((81, 9), 0 if image.getpixel((81, 9)) else 255)
    changed = BytesIO()
    image.save(changed, "PNG")
    with pytest.raises(Unreadable):
        scan(changed.getvalue())


@given(st.text(alphabet=st.characters(max_codepoint=0xFFFF, exclude_categories=("Cn", "Cs")), max_size=40))
def test_composition_is_nfc_for_what_unicode_3_2_assigned(text: str) -> None:
    text = "".join(char for char in text if unicodedata.ucd_3_2_0.category(char) != "Cn")
    assert compose(text) == unicodedata.normalize("NFC", text)


def test_what_is_drawn_is_composed() -> None:
    assert read(draw("e\u0301 \u1112\u1161\u11ab")) == normalise("e\u0301 \u1112\u1161\u11ab").text == "\u00e9 \ud55c"


@given(TEXTS)
@settings(deadline=None)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert normalise(once.text).text == once.text


def test_what_is_no_image_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        scan(b"\x89PNG nothing")


def test_each_removal_is_counted() -> None:
    blob = "iVBORw0KGgoAAAANSUhEUg0" * 40
    found = normalise(f"a\x1b[31mb\x1b[0m\u200bc\ud800 {blob} \u202e")
    assert found.text.startswith("abc [base64 removed: 920 characters, sha256 ")
    assert found.removed == {"surrogates": 1, "ansi": 9, "controls": 2, "base64": 920}


def test_hex_and_sequences_and_paths_are_no_base64() -> None:
    for text in ("0123456789abcdef" * 60, "ACGT" * 300, "x" * 5000, "/usr/lib" * 200):
        assert normalise(text).text == text


def test_progress_bars_are_kept_whole() -> None:
    text = "10%\r20%\r100%\n"
    assert read(draw(text)) == text


@pytest.mark.parametrize("name", ["7x14", "6x12", "8x16", "9x18"])
def test_no_row_of_glyphs_reads_in_two_ways(name: str) -> None:
    """Rule 17 by construction: where a half glyph looks like the left of a wide one, the right of that one is no
    glyph."""
    font = atlas(name)
    size, half, tall = -(-2 * font.width // 8), -(-font.width // 8), font.height
    mask = (1 << font.width) - 1

    def cell(picture: bytes, shift: int) -> bytes:
        rows = (int.from_bytes(picture[n : n + size], "big") for n in range(0, len(picture), size))
        return b"".join((row >> shift & mask).to_bytes(half, "big") for row in rows)

    lefts = {cell(picture, font.width) for picture in font.wide.values()}
    assert len(font.pictures) == len(font.half) + len(font.wide)
    assert {len(picture) for picture in font.half.values()} == {half * tall}
    for char in (*font.half, *font.wide):
        assert {len(row) for row in font.strips[char]} == {font.width * (1 if char in font.half else 2)}
    for picture in font.wide.values():
        left, right = cell(picture, font.width), cell(picture, 0)
        assert left not in font.pictures or (right not in font.pictures and right not in lefts)
