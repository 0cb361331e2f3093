"""A tree in text and in HTML without scripts."""

from __future__ import annotations

import time

import pytest
from render.reading import dangers, text_of

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


def test_titles_labels_and_models_are_escaped() -> None:
    made = tree(("a", None), ("b", "a"), ("c", "a"), ("d", "c"), tip="d", title=HOSTILE, model=HOSTILE)
    made.labels[HOSTILE] = "d"
    assert dangers(html(made)) == []
    assert "<script>alert(1)</script> <img src=x onerror=alert(1)> \\u202E &lt;" in text_of(html(made))


def test_nothing_in_the_html_opens_a_formula() -> None:
    made = html(tree(("a", None), tip="a", title="$5 or $6 and \\(x\\)"))
    assert "<span>$</span>5 or <span>$</span>6 and <span>\\</span>(x" in made
