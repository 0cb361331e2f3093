"""A tree in text and in HTML without scripts."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from render.reading import dangers, text_of

from jupyter_history.notebook.explorers.tree import OUTCOMES
from jupyter_history.notebook.marks import LEGEND, Noted
from jupyter_history.notebook.trees import html, outline, text
from jupyter_history.store import Head
from jupyter_history.transcript import Outcome
from jupyter_history.tree import Tree

HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)> \u202e &lt;"


def tree(*turns: tuple[str, str | None], tip: str | None = None, title: str = "", **fields: str) -> Tree:
    """A tree of (id, parent); the title of a turn is its id in capitals."""
    made = Tree(tip=tip)
    outcome: Outcome = "complete"
    made.add(
        Head(id, n, parent, 1, None, "", title or id.upper(), outcome, fields.get("model", "m"), 0.0, 0.0, 1.0, 9)
        for n, (id, parent) in enumerate(turns, 1)
    )
    return made


CASES = json.loads((Path(__file__).parents[2] / "labextension/test/marks.json").read_text(encoding="utf-8"))
"""A tree as the front end gets it, and the marks of its turns: the front end is held to the same ones."""


def from_cases() -> tuple[Tree, Noted]:
    made = Tree(tip=CASES["tip"])
    made.add(
        Head(id, n, parent, 1, None, "", title, OUTCOMES[outcome], CASES["models"][model], 0.0, cost, 1.0, context)
        for n, (id, parent, title, model, outcome, context, cost, _seconds, _created) in enumerate(CASES["turns"], 1)
    )
    made.labels = CASES["labels"]
    return made, Noted(**{name: CASES[name] for name in Noted._fields})


def chain(length: int) -> Tree:
    return tree(*((f"t{n}", f"t{n - 1}" if n else None) for n in range(length)), tip=f"t{length - 1}")


def test_a_chain_does_not_indent() -> None:
    assert text(tree(("a", None), ("b", "a"), ("c", "b"), tip="c")).split("\n") == [
        "● a  A   m",
        "● b  B",
        "● c  C   <- you are here",
    ]


def test_a_side_branch_indents_and_the_path_goes_on_in_its_column() -> None:
    made = tree(("a", None), ("b", "a"), ("c", "a"), ("d", "c"), ("e", "d"), ("f", "d"), tip="b")
    made.labels["best"] = "e"
    assert text(made).split("\n") == [
        "● a  A   m",
        "├─○ c  C   answer 2 of 2",
        "│ ○ d  D",
        "│ ├─○ e  E   [best] · answer 1 of 2",
        "│ ○ f  F   answer 2 of 2",
        "● b  B   answer 1 of 2 · <- you are here",
    ]


def test_every_turn_is_drawn_once() -> None:
    turns = [(f"t{n}", f"t{(n * 7) % n}" if n else None) for n in range(300)]
    rows = [row.head.id for row in outline(tree(*turns, tip="t5"))]
    assert sorted(rows) == sorted(id for id, _ in turns)


def test_stopped_turns_and_other_models_are_marked() -> None:
    made = Tree(tip=None)
    made.add(
        [
            Head("a", 1, None, 1, None, "", "A", "complete", "m", 0.0, None, 1.0, 9),
            Head("b", 2, "a", 2, None, "", "B", "stopped", "other", 0.0, None, 1.0, 9),
        ]
    )
    assert text(made).split("\n")[1:] == ["○ a  A   m", "○ b  B   other · stopped"]
    assert text(made).startswith("<- you are here, before the first turn\n")


def test_every_mark_that_the_front_end_draws_stands_in_the_text_and_in_the_html() -> None:
    made, noted = from_cases()
    noted = noted._replace(hidden=[])
    drawn = text(made, noted).split("\n")
    lines = {id: next(line for line in drawn if id in line) for id in made.heads}
    rows = {row.head.id: row for row in outline(made, noted)}
    page = text_of(html(made, noted))
    for id, expected in CASES["marks"].items():
        assert [list(mark) for mark in rows[id].marks] == expected
        for mark in rows[id].marks:
            assert str(mark) in lines[id]
            assert str(mark) in page
    assert "★" in lines["b00000"]
    assert "⚑ before" in lines["a00000"]
    assert "▤ snapshot, elision" in lines["b00000"]
    assert "↳ aside · ↳ other" in lines["b00000"]


def test_hidden_turns_are_left_out_with_all_below_them_and_counted() -> None:
    made, noted = from_cases()
    for drawn in (text(made, noted), text_of(html(made, noted))):
        assert "d00000" not in drawn
        assert "1 hidden turn is left out" in drawn
    noted = noted._replace(hidden=["c00000"])
    assert "2 hidden turns are left out" in text(made, noted)
    assert "below" not in html(made, noted), "a branch of one counts what is hidden in it"
    assert text(made, noted._replace(hidden=["a00000"])) == "5 hidden turns are left out"


def test_signs_are_explained_where_they_stand_and_only_those() -> None:
    made, noted = from_cases()
    for drawn in (text(made, noted), text_of(html(made, noted))):
        for sign, meaning in LEGEND.values():
            assert f"{sign} {meaning}" in " ".join(drawn.split())
    plain = tree(("a", None), tip="a")
    assert "favourite" not in text(plain) + html(plain)
    starred = text(plain, Noted(favourites=["a"]))
    assert starred.endswith("★ favourite")
    assert "checkpoint" not in starred


def test_a_turn_that_failed_is_no_answer_beside_the_others() -> None:
    made = Tree(tip="a")
    head = Head("a", 1, None, 1, None, "", "A", "complete", "m", 0.0, None, 1.0, 9)
    made.add([head, head._replace(id="b", n=2, outcome="failed"), head._replace(id="c", n=3)])
    assert [(row.head.id, str(row.marks[0])) for row in outline(made)] == [
        ("b", "m"),
        ("c", "answer 2 of 2"),
        ("a", "answer 1 of 2"),
    ]


def test_an_empty_tree_says_so() -> None:
    assert text(Tree()) == "The conversation is empty."
    assert "The conversation is empty." in html(Tree())


@pytest.mark.parametrize("shape", ["chain", "comb", "star"])
def test_ten_thousand_turns_neither_recurse_nor_indent_without_end(shape: str) -> None:
    if shape == "chain":
        made = chain(10_000)
    elif shape == "comb":  # every second turn is a side branch of one
        made = tree(*((f"t{n}", f"t{max(0, n - 2 + n % 2)}" if n else None) for n in range(10_000)), tip="t1")
    else:
        made = tree(*((f"t{n}", "t0" if n else None) for n in range(10_000)), tip="t9")
    assert max(row.depth for row in outline(made)) <= 14
    assert text(made).count("\n") == 9_999
    assert html(made).count("<code") == 10_000


def test_two_thousand_turns_are_drawn_in_a_tenth_of_a_second() -> None:
    made = tree(*((f"t{n}", f"t{n * 5 // 7 - 1}" if n > 2 else None) for n in range(2000)), tip="t1999")
    started = time.process_time()
    text(made)
    html(made)
    assert time.process_time() - started < 0.2  # both forms, on a busy machine; 0.03 s on an idle one


def test_titles_labels_models_checkpoints_and_names_of_forks_are_escaped() -> None:
    made = tree(("a", None), ("b", "a"), ("c", "a"), ("d", "c"), tip="d", title=HOSTILE, model=HOSTILE)
    made.labels[HOSTILE] = "d"
    words = {"d": [HOSTILE]}
    noted = Noted(checkpoints=words, compactions=words, forks=words)
    assert dangers(html(made, noted)) == []
    assert "\u202e" not in text(made, noted) + html(made, noted)
    assert "<script>alert(1)</script> <img src=x onerror=alert(1)> \\u202E &lt;" in text_of(html(made))


def test_nothing_in_the_html_opens_a_formula() -> None:
    made = html(tree(("a", None), tip="a", title="$5 or $6 and \\(x\\)"))
    assert "<span>$</span>5 or <span>$</span>6 and <span>\\</span>(x" in made
