"""Answers side by side."""

from __future__ import annotations

import re

from builders import assistant, turn, user
from render.reading import HOSTILE, dangers, text_of

from jupyter_history.notebook.compare import html, layout, text
from jupyter_history.transcript import TurnRecord, Usage


def answer(id: str, said: str, prompt: str = "Why?", **fields: object) -> TurnRecord:
    return turn("c", id, None, prompt, (user(prompt), assistant(said)), **fields)


def test_two_answers_stand_side_by_side_with_what_differs_tinted() -> None:
    made = html([answer("a00001", "It is red.\n\nThe end."), answer("b00001", "It is blue.\n\nThe end.")])
    assert re.findall(r'<span style="background-color[^>]*>([^<]*)</span>', made) == ["red", "blue"]
    assert made.count("The end.") == 1
    assert "<del" not in made
    assert "line-through" not in made


def test_each_column_tells_model_tokens_cost_and_time() -> None:
    first = answer("a00001", "x", model="m1", cost=0.5, seconds=2.0, usage=Usage(1000, 20))
    made = text_of(html([first, answer("b00001", "y", model="m2", cost=None, outcome="stopped")]))
    for told in ("m1", "1,000 in, 20 out", "$0.50", "2.0 s", "m2, stopped", "price unknown"):
        assert told in made


def test_equal_prompts_are_told_once() -> None:
    assert "prompt, the same in all" in html([answer("a00001", "x"), answer("b00001", "y")])
    made = html([answer("a00001", "x", "Why not?"), answer("b00001", "x", "Why now?")])
    assert re.findall(r'<span style="background-color[^>]*>([^<]*)</span>', made) == ["not", "now"]
    assert "answer, the same in all" in made


def test_long_text_that_is_the_same_is_folded() -> None:
    long = "Nothing new. " * 60
    assert f'<details><summary style="cursor:pointer">1 block the same: {"Nothing new. " * 6}No' in html(
        [answer("a00001", long + "\n\nx"), answer("b00001", long + "\n\ny")]
    )


def test_three_answers_are_laid_out_along_the_first() -> None:
    lines = layout(["one\n\nto be", "zero\n\none\n\nto be", "one\n\nto BE\n\nthree"])
    rows = [tuple("".join(piece.text for piece in cell) for cell in line.cells) for line in lines]
    assert rows == [("", "zero", ""), ("one", "one", "one"), ("to be", "to be", "to BE"), ("", "", "three")]
    assert [line.same for line in lines] == [False, True, False, False]


def test_answers_too_large_to_align_still_stand_side_by_side() -> None:
    lines = layout(["x\n\n" * 3000, "x\n\n" * 3001])
    assert len(lines) == 1
    assert "same words" in html([answer("a00001", "x\n\n" * 3000), answer("b00001", "x\n\n" * 3001)])


def test_hostile_prompts_and_answers_are_escaped() -> None:
    for said in HOSTILE:
        made = html([answer("a00001", said, said, model="<b>m"), answer("b00001", said + " changed", said[::-1])])
        assert dangers(made) == []


def test_nothing_in_the_html_opens_a_formula() -> None:
    first = answer("a00001", "$5 or $6, \\(x\\), \\begin{a}", "$x$", cost=0.5)
    made = html([first, answer("b00001", "\\[y\\] $5", "$$")])
    assert re.findall(r"(.{6})\$(?!</span>)", made) == []
    assert re.findall(r"\\(?:[(\[]|begin)", made) == []


def test_the_text_form_marks_what_differs() -> None:
    told = text([answer("a00001", "It is red.\n\nEnd."), answer("b00001", "It is blue.\n\nEnd.")])
    assert told.split("\n")[2:] == [
        "",
        "prompt (the same)",
        "= | Why?",
        "",
        "answer",
        "A | It is [red].",
        "B | It is [blue].",
        "= | End.",
    ]
