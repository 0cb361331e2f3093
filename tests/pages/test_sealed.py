"""Rule 16: a full page never changes, and the same text gives the same pixels anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
from hashlib import sha256
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from jupyter_history.pages import Page, Profile, draw, normalise

SMALL = Profile("small", 448, 168, "7x14")
"""64 x 12 cells, so that a few hundred characters fill a page."""

WORDS = st.sampled_from(
    [
        "word ",
        "a1b2c3 ",
        "path/to/file.py",
        "\n    ",
        "日本語",
        "한국어 ",
        "x",
        "7",
        "\u2603",
        "\U000f1234",
        "   ",
        "😀",
        ".",
        "\u0301",
    ]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=400).map("".join)


def pixels(page: Page) -> bytes:
    return Image.open(BytesIO(page.png)).tobytes()


@settings(max_examples=120, deadline=None)
@given(TEXTS, TEXTS)
def test_text_that_grows_leaves_every_sealed_page_as_it_was(text: str, more: str) -> None:
    if not normalise(text + more).text.startswith(normalise(text).text):
        return
    before, after = draw(text, SMALL), draw(text + more, SMALL)
    for old, new in zip(before, after, strict=False):
        if old.sealed:
            assert old.png == new.png
            assert new.sealed


@settings(max_examples=120, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=6), st.lists(TEXTS, min_size=1, max_size=3))
def test_new_messages_leave_every_page_but_the_last_as_it_was(texts: list[str], more: list[str]) -> None:
    messages = [(f"T{n:03}", "user", text) for n, text in enumerate(texts + more)]
    before, after = draw(messages[: len(texts)], SMALL), draw(messages, SMALL)
    assert [page.sealed for page in before] == [True] * (len(before) - 1) + [False]
    for old, new in zip(before[:-1], after, strict=False):
        assert old.png == new.png
        assert old.spans == new.spans


def test_a_page_that_what_comes_next_may_still_change_is_not_sealed() -> None:
    text = "y " * 380 + "abcdef"  # the last word goes on over the page's end, and may yet become an exact string
    before, after = draw(text, SMALL), draw(text + "1", SMALL)
    assert len(before) == 2
    assert not before[0].sealed
    assert before[0].png != after[0].png
    assert draw(text + "1" * 40, SMALL)[0].sealed


@pytest.mark.parametrize(("first", "then", "leading"), [("x", "漢", 0), ("漢", "x", 2)])
def test_the_leading_of_a_page_is_that_of_its_first_ten_rows_whatever_follows(
    first: str, then: str, leading: int
) -> None:
    style = Profile("tall", 448, 700, "7x14")
    assert draw(first * 640 + then * 10_000, style)[0].leading == leading


def test_sealed_pages_come_about() -> None:
    assert [page.sealed for page in draw("seven words on every line of this " * 100, SMALL)].count(True) >= 3


def test_a_page_says_its_number_and_not_how_many_there_are() -> None:
    long, longer = draw("abc " * 1000, SMALL), draw("abc " * 2000, SMALL)
    assert len(longer) > len(long)
    assert [page.png for page in long[:-1]] == [page.png for page in longer[: len(long) - 1]]


GOLDEN = {
    "english": ("The likelihood ratio test fails for nested mixtures.\n" * 20, "default"),
    "code": ("def f(x):\n    return {'a': x, 'b': [1, 2.5, 0xff]}\n\n" * 20, "dense"),
    "japanese": ("日本語のテキストです。尤度比検定は境界で失敗する。\n" * 20, "default"),
    "korean": ("한국어 텍스트입니다. 우도비 검정은 경계에서 실패합니다.\n" * 20, "korean"),
    "mixed": ("Ünïcode — “quotes” → ✓ 😀 e\u0301 \u05d0\u05d1 \x1b[1mbold\x1b[0m\r\n\t  end " * 20, "legible"),
}
HASHES = {
    "english": "71d3ab3e91b0e377",
    "code": "408d7c9da050aa36",
    "japanese": "2f0e219e1cdb6e99",
    "korean": "ceb31a6f08d19a27",
    "mixed": "d64fe455101c856e",
}
"""Of the pixels, never of the PNG's bytes: those depend on the system's zlib."""


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_the_pixels_are_those_of_the_first_release(name: str) -> None:
    text, profile = GOLDEN[name]
    found = sha256(b"".join(pixels(page) for page in draw(text, profile))).hexdigest()[:16]
    assert found == HASHES[name]


def test_another_process_draws_the_same_pixels() -> None:
    text = "한글 and English, \U0001f600 " * 200
    code = (
        "import sys; from hashlib import sha256; from jupyter_history.pages import draw; "
        "print(sha256(b''.join(page.png for page in draw(sys.argv[1]))).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code, text],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "123"},
    )  # fmt: skip
    assert other.stdout.strip() == sha256(b"".join(page.png for page in draw(text))).hexdigest()


def test_a_page_is_one_bit_deep_and_carries_no_metadata() -> None:
    page = draw("abc")[0]
    image = Image.open(BytesIO(page.png))
    assert (image.mode, image.info) == ("1", {})
    assert page.png.count(b"IDAT") == 1
    assert not any(kind in page.png for kind in (b"tEXt", b"iTXt", b"tIME", b"pHYs", b"gAMA"))
