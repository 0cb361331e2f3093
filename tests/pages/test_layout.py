"""How text flows over a page: full rows, whole strings, tags, fonts, spans; and what a page costs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_history.pages import (
    PROFILES,
    draw,
    for_model,
    image_size,
    image_tokens,
    normalise,
    profile,
    read,
    read_parts,
    scan,
)
from jupyter_history.pages.layout import lay_out

ENGLISH = "It was the best of times, it was the worst of times, it was the age of wisdom and of foolishness. "


def rows(text: str, name: str = "default") -> list[str]:
    return [row for sheet in lay_out([("", "", text)], profile(name), growing=True) for row in sheet.rows]


def test_twelve_thousand_characters_of_english_are_one_page_of_1536_tokens() -> None:
    pages = draw((ENGLISH * 150)[:12_000])
    assert len(pages) == 1
    assert pages[0].width == 896
    assert pages[0].height <= 1344
    assert pages[0].tokens("standard") == pages[0].tokens("high") == 32 * pages[0].height // 28
    assert draw(ENGLISH * 150)[0].tokens("standard") == 1536


def test_twelve_thousand_wide_characters_are_two_and_a_quarter_pages() -> None:
    pages = draw("混合尤度比検定は境界の上で失敗するのだから" * 572)
    assert len(pages) == 3
    assert 3400 <= sum(page.tokens() for page in pages) <= 3500


@pytest.mark.parametrize(
    "whole",
    [
        "3f2a9c1d4e5b6f708192a3b4c5d6e7f8",
        "192.168.100.254",
        "src/very/long/path/name.py",
        "getUserNameById",
        "1,234,567,890.0987",
    ],
)
def test_an_exact_string_is_never_split_over_rows(whole: str) -> None:
    for lead in range(100, 128):
        text = "x " * (lead // 2) + "y" * (lead % 2) + whole + " and more words follow here " * 9
        assert any(whole in row for row in rows(text))


def test_a_string_longer_than_forty_cells_fills_the_row() -> None:
    first = rows("y " * 50 + "9" * 41 + " z" * 40)[0]
    assert len(first) == 128


def test_rows_of_plain_words_are_always_full() -> None:
    found = rows(ENGLISH * 60)
    assert {len(row) for row in found[:-1]} == {128}


@pytest.mark.parametrize("text", ["  x", "a          b", "\n            x", "a  ", " \n  \n   "])
def test_two_and_more_spaces_are_counted(text: str) -> None:
    glyphs = "".join(rows(text))
    assert "  " not in glyphs
    assert read(draw(text)) == text


def test_a_tag_names_its_place_and_goes_on_over_pages() -> None:
    messages = [("T001", "user", "Why?"), ("T002", "assistant", ENGLISH * 200)]
    pages = draw(messages)
    assert len(pages) == 2
    first, second = (scan(page.png) for page in pages)
    assert [(each.tag, each.role, each.continues) for each in first.passages] == [
        ("T001", "user", False),
        ("T002", "assistant", False),
    ]
    assert [(each.tag, each.role, each.continues) for each in second.passages] == [("T002", "assistant", True)]
    assert (first.ended, second.ended) == (False, True)
    assert read(pages) == f"[T001 user]\nWhy?\n[T002 assistant]\n{ENGLISH * 200}"


@pytest.mark.parametrize("label", [("T 1", "user"), ("T1", "ü"), ("", "user\n"), ("T" * 40, "user"), ("T1", "r" * 40)])
def test_a_tag_that_cannot_be_drawn_is_an_error(label: tuple[str, str]) -> None:
    if label[0]:
        with pytest.raises(ValueError, match="printable ASCII"):
            draw([(*label, "text")])


def test_a_message_of_escapes_closes_the_page_and_opens_one_in_unifont() -> None:
    # Ethiopic is in Unifont, not in the default font.
    messages = [
        ("T001", "user", ENGLISH),
        ("T001", "assistant", "\u1200\u1208\u1210\u1218 " * 40),
        ("T002", "user", ENGLISH),
    ]
    pages = draw(messages)
    assert [page.font for page in pages] == ["7x14", "8x16"]
    assert pages[0].sealed
    assert read_parts(pages) == messages


def test_a_few_escapes_do_not_change_the_font() -> None:
    assert [page.font for page in draw(ENGLISH + "\u1200")] == ["7x14"]


@pytest.mark.parametrize(("share", "leading"), [(0.1, 0), (0.3, 2)])
def test_rows_are_led_where_more_than_a_fifth_is_wide(share: float, leading: int) -> None:
    wide = round(share * 100)
    assert draw(("漢" * wide + "x" * (100 - wide)) * 40)[0].leading == leading


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=400).map(lambda text: text * 5), max_size=5))
def test_spans_hold_every_character_once_and_in_order(texts: list[str]) -> None:
    messages = [(f"T{n}", "", text) for n, text in enumerate(texts)]
    held = [""] * len(texts)
    for page in draw(messages):
        last = 0
        for span in page.spans:
            assert last <= span.first <= span.last
            assert (span.start, span.end) == (len(held[span.part]), len(held[span.part]) + len(span.text))
            held[span.part] += span.text
            last = span.last
    assert held == [normalise(text).text for text in texts]


def test_the_last_page_is_cut_to_a_whole_patch() -> None:
    assert {draw("x" * n)[0].height % 28 for n in range(1, 9000, 400)} == {0}


@pytest.mark.parametrize(
    ("size", "tier", "tokens"),
    [
        ((896, 1344), "standard", 1536),
        ((896, 1344), "high", 1536),
        ((1932, 1932), "high", 4761),
        ((1568, 784), "standard", 1568),
        ((1092, 1092), "standard", 1521),
        ((2576, 1456), "high", 4784),
        ((1, 1), "standard", 1),
    ],
)
def test_an_image_costs_what_the_provider_says(size: tuple[int, int], tier: str, tokens: int) -> None:
    assert image_size(*size, tier) == size
    assert image_tokens(*size, tier) == tokens


def test_a_larger_image_is_seen_at_the_largest_size_under_the_caps() -> None:
    assert image_size(1240, 1754, "standard") == (924, 1307)
    assert image_size(2000, 2000, "standard") == (1092, 1092)
    assert image_size(2000, 2000, "high") == (1932, 1932)
    assert image_size(4000, 100, "standard") == (1568, 39)


@given(st.integers(1, 9000), st.integers(1, 9000), st.sampled_from(["standard", "high"]))
def test_no_image_costs_more_than_its_tiers_cap(width: int, height: int, tier: str) -> None:
    assert 1 <= image_tokens(width, height, tier) <= {"standard": 1568, "high": 4784}[tier]
    assert max(image_size(width, height, tier)) <= {"standard": 1568, "high": 2576}[tier]


def test_every_profile_arrives_unshrunk_on_its_tier() -> None:
    for each in PROFILES.values():
        tier = "high" if each.name == "large" else "standard"
        assert image_size(each.width, each.height, tier) == (each.width, each.height)


@dataclass
class Model:
    known: bool
    tier: str = "standard"


def test_an_unknown_model_gets_legible_pages_and_hangul_its_own() -> None:
    assert for_model(Model(known=False)).name == "legible"
    assert for_model(Model(known=True)).name == "default"
    assert for_model(Model(known=True), "한국어 텍스트입니다").name == "korean"
    with pytest.raises(ValueError, match="default, dense, legible, korean, large"):
        profile("tiny")


def test_importing_pages_loads_no_pillow_and_no_font() -> None:
    code = (
        "import sys, jupyter_history.pages as p; from jupyter_history.pages.atlas import atlas; "
        "assert 'PIL' not in sys.modules; assert atlas.cache_info().currsize == 0; p.draw('plain ASCII'); "
        "assert atlas.cache_info().currsize == 1; assert 'wide' not in vars(atlas('7x14'))"
    )
    run([sys.executable, "-c", code], check=True)
