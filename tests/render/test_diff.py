"""Two texts, aligned by block and then by word."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_history.notebook.diff import blocks, diff, words

texts = st.lists(st.sampled_from(["one", "two ", "\n\n", "- item\n", "```\ncode\n\n```\n", "# head\n", ", ", "é"])).map(
    "".join
)


def test_blocks_are_paragraphs_items_headings_and_fences() -> None:
    text = "# Title\nA line\nof text.\n\n- one\n- two\n  more\n\n```py\na\n\nb\n```\nend"
    assert blocks(text) == ["# Title", "A line\nof text.", "- one", "- two\n  more", "```py\na\n\nb\n```", "end"]


def test_a_changed_word_is_marked_and_nothing_else() -> None:
    found = diff("Same.\n\nThe null lies on the edge.", "Same.\n\nThe null sits on the edge.")
    assert [row.kind for row in found.rows] == ["same", "changed"]
    left = [piece.text for piece in found.rows[1].left or () if piece.changed]
    right = [piece.text for piece in found.rows[1].right or () if piece.changed]
    assert (left, right) == (["lies "], ["sits "])


def test_a_display_formula_is_one_block_whatever_its_lines_begin_with() -> None:
    assert blocks("$$\na\n- b\n$$\n- item") == ["$$\na\n- b\n$$", "- item"]


def test_where_no_spaces_divide_words_an_ideograph_is_one_and_a_run_of_hiragana() -> None:
    (row,) = diff("通常の極限分布には三つの条件が必要です。", "通常の極限分布には二つの条件が必要です。").rows
    assert [piece.text for piece in row.left or () if piece.changed] == ["三"]
    assert words("カタカナ 조건이") == ["カタカナ ", "조건이"]


def test_a_new_block_does_not_shift_its_neighbours() -> None:
    old = "- alpha beta gamma\n- delta epsilon zeta"
    found = diff(old, "- new words here\n" + old.replace("gamma", "GAMMA"))
    assert [row.kind for row in found.rows] == ["added", "changed", "same"]


@settings(deadline=None)
@given(texts, texts)
def test_each_side_keeps_all_its_blocks_in_order(left: str, right: str) -> None:
    rows = diff(left, right).rows
    for side, text in ((1, left), (2, right)):
        kept = ["".join(piece.text for piece in row[side]) for row in rows if row[side] is not None]
        assert kept == blocks(text)


@given(texts)
def test_words_joined_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text


@given(texts)
def test_a_text_has_no_difference_from_itself(text: str) -> None:
    found = diff(text, text)
    assert found.share == 1.0
    assert all(row.kind == "same" for row in found.rows)


def test_texts_too_large_to_align_are_compared_by_their_share_in_bounded_time() -> None:
    chosen = random.Random(1)
    common = ["the", "of", "and", "to", "a"] + [f"w{n}" for n in range(500)]
    for glue in (" ", "\n\n"):
        left, right = (glue.join(chosen.choices(common, k=8000)) for _ in range(2))
        started = time.process_time()
        found = diff(left, right)
        assert time.process_time() - started < 1.0
        assert 0.5 < found.share < 1
    assert diff("x\n\n" * 3000, "x\n\n" * 3001).coarse
