"""How a reply is graded, and how sure a share is."""

from __future__ import annotations

import pytest

from jupyter_history.experiments.intervals import clustered, wilson
from jupyter_history.experiments.questions import Question, grade, questions, value

CODE = Question("Which code?", "KM-4821-b")
COUNT = Question("How many rows?", "48213", "number", accept=("48,213",))
NAME = Question("責任者は誰ですか。", "篠原美緒", "name")


@pytest.mark.parametrize(
    ("question", "reply", "expected", "how"),
    [
        (CODE, "KM-4821-b", "right", "exact"),
        (CODE, " `km-4821-B`. ", "right", "normalised"),
        (CODE, "The code is KM-4821-b, as you said.", "right", "contained"),
        (CODE, "KM-4821-b2", "wrong", ""),
        (CODE, "KM-4821-6", "wrong", ""),
        (CODE, "UNKNOWN", "abstained", ""),
        (CODE, "I cannot read it with certainty.", "abstained", ""),
        (CODE, "", "abstained", ""),
        (CODE, "It may be " + "KM-4821-a or " * 20 + "KM-4821-b", "wrong", ""),
        (COUNT, "48 213".replace(" ", "\u202f"), "right", "normalised"),
        (COUNT, "48,213 rows", "right", "contained"),
        (COUNT, "148213", "wrong", ""),
        (NAME, "篠原美緒さんです。", "right", "contained"),
        (NAME, "不明です", "abstained", ""),
    ],
)
def test_a_reply_is_right_wrong_or_abstained(question: Question, reply: str, expected: str, how: str) -> None:
    graded = grade(question, reply)
    assert (graded.grade, graded.how) == (expected, how)


def test_a_wrong_value_that_looks_right_is_told_apart() -> None:
    assert grade(CODE, "KM-4821-6").near
    assert grade(CODE, "The code is KM-4B21-b.").near
    assert not grade(CODE, "The blue one on the shelf.").near


def test_the_offline_readers_best_quote_is_its_answer() -> None:
    quoting = (
        "The passages that match best:\n\n> The code is X1.\n>\n> — *page 2*\n\n> Not X2.\n\n*I am the offline reader*"
    )
    assert value(quoting) == "The code is X1."
    assert value("I found nothing ... *I am the offline reader, not a language model*") == "UNKNOWN"


def test_questions_may_be_mappings() -> None:
    (made,) = questions([{"question": "Which?", "answer": "A", "accept": ["a"]}])
    assert made.forms == ("A", "a")
    with pytest.raises(Exception, match="Question 1 does not fit"):
        questions([{"question": "Which?", "reply": "A"}])


def test_wilsons_interval_is_the_published_one() -> None:
    # Wallis (2013), and any table: 20 of 20 and 38 of 40
    assert wilson(20, 20) == (pytest.approx(0.8389, abs=1e-3), 1.0)
    assert wilson(38, 40) == (pytest.approx(0.8350, abs=1e-3), pytest.approx(0.9862, abs=1e-3))
    assert wilson(0, 0) == (0.0, 1.0)


def test_clusters_that_differ_widen_the_interval() -> None:
    alike, unlike = clustered([(15, 20)] * 10), clustered([(20, 20), (10, 20)] * 5)
    assert alike[0] > unlike[0]
    assert unlike[1] - unlike[0] > 1.5 * (wilson(150, 200)[1] - wilson(150, 200)[0])
    assert clustered([(15, 20)]) == wilson(15, 20)
