"""What rungs remember of the shipped histories, measured offline; and what a recall test promises."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import jupyter_history
from jupyter_history.errors import BadInput, NotFound
from jupyter_history.experiments import Recall, corpora, corpus, recall_test
from jupyter_history.experiments.trial import variants
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session
from jupyter_history.transcript import problems

ROOT = Path(jupyter_history.__file__).parents[1]


def quiet(_line: str) -> None:
    """For tests: nobody reads the estimate."""


@pytest.fixture(scope="module")
def measured() -> Recall:
    """The debugging session through each rung, read exactly."""
    ladders = ["off", "elision", "pages", "pages+sidecar", "summary"]
    return recall_test("debugging", ladders=ladders, models="offline-long", tell=quiet)


def test_the_corpus_is_what_its_script_makes() -> None:
    spec = importlib.util.spec_from_file_location("make_corpus", ROOT / "scripts" / "make_corpus.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["make_corpus"] = script  # dataclasses look their module up
    spec.loader.exec_module(script)
    for each in corpora():
        made = json.loads(script.made(each.name))
        assert [m for turn in made["turns"] for m in turn] == [message.wire() for message in each.messages]
        assert len(made["questions"]) == 20


@pytest.mark.parametrize("history", corpora(), ids=lambda each: each.name)
def test_every_planted_fact_stands_once_and_the_history_may_be_sent(history: Any) -> None:
    wire = [message.wire() for message in history.messages]
    assert list(problems([*wire, {"role": "user", "content": "next"}])) == []
    assert {question.kind for question in history.questions} == {"number", "identifier", "name", "decision"}
    for question in history.questions:
        assert question.turn is not None
        here = json.dumps([m.wire() for m in history.path[question.turn].messages], ensure_ascii=False)
        assert question.answer in here


def test_an_unknown_corpus_lists_those_there_are() -> None:
    with pytest.raises(NotFound, match="analysis, debugging, discussion"):
        corpus("novel")


def test_variants_are_apart() -> None:
    assert [each.name for each in variants("off,elision,snapshot")] == [
        "off", "elision", "elision+recall", "pages", "pages+sidecar", "pages+recall", "pages+sidecar+recall"
    ]  # fmt: skip
    with pytest.raises(BadInput, match="No variant is called 'pages\\+luck'"):
        variants("pages+luck")


def test_the_exact_reader_finds_everything_in_the_text_and_on_pages(measured: Recall) -> None:
    assert measured.share(variant="off").right == 20
    assert measured.share(variant="pages").right == 20
    assert measured.failed == []


def test_every_rung_did_its_work(measured: Recall) -> None:
    rungs = {"elision": "elision", "pages": "snapshot", "summary": "summary"}
    for variant, rung in rungs.items():
        took = [each.took for each in measured.asked if each.variant == variant]
        assert all(rung in each for each in took)
        assert {len(each) for each in took} == {1}


def test_elision_forgets_results_and_nothing_else(measured: Recall) -> None:
    assert (
        measured.share(variant="elision", place="prompt").right == measured.share(place="prompt", variant="off").right
    )
    assert measured.share(variant="elision", place="result").recall < 0.5


def test_right_wrong_and_abstained_are_counted_apart(measured: Recall) -> None:
    for variant in measured.variants:
        share = measured.share(variant=variant.name)
        assert share.right + share.wrong + share.abstained == 20
    assert measured.share(variant="summary").abstained > 0


def test_variants_are_paired_by_question(measured: Recall) -> None:
    pairs = measured.paired("off", "summary", "offline-long")
    assert sum(pairs.values()) == 20
    assert pairs["both"] == measured.share(variant="summary").right
    assert pairs["summary"] == 0


def test_a_deterministic_reader_has_no_interval(measured: Recall) -> None:
    assert measured.share(variant="off").low is None
    text = str(measured)
    assert "deterministic" in text
    assert "no model" in text
    assert "| pages+sidecar |" in text
    assert "Right/wrong/abstained by kind" in text


def test_the_table_in_the_docs_is_what_its_command_makes() -> None:
    """Of its rows those that draw no page: `benchmarks/recall.py` makes them all."""
    made = recall_test(ladders="off,elision,summary", models="offline-long", tell=quiet, show=False)
    kept = (ROOT / "docs" / "recall.md").read_text(encoding="utf-8").splitlines()
    names = {f"| {variant.name} |" for variant in made.variants}
    rows = [line for line in str(made).splitlines() if any(line.startswith(name) for name in names)]
    assert len(rows) == 3 * len(names)
    assert [row for row in rows if row not in kept] == []


def test_blurry_eyes_misread_silently() -> None:
    made = recall_test("debugging", ladders="off,pages", models="offline-long-blurry", tell=quiet)
    assert made.share(variant="off").right == 20
    pages = made.share(variant="pages")
    assert pages.wrong > 0
    assert pages.near > 0
    assert "simulation" in str(made)


# -- with a scripted model ---------------------------------------------------------------------------------------------

ASKED = [
    {"question": "Which code?", "answer": "K-1", "kind": "identifier"},
    {"question": "How many?", "answer": "42", "kind": "number"},
]


def history(session: Session, script: Scripted, turns: int = 8) -> None:
    for n in range(turns):
        script.reply(f"answer {n} is in /srv/data/part-{n}.csv " + "that goes on and on about the same thing " * 60)
        session.send(f"part {n}: the code is K-1, there are 42")
    script.requests.clear()


def test_a_session_is_asked_and_nothing_is_added_to_it(session: Session, script: Scripted) -> None:
    history(session, script)
    tip = session.tip
    script.reply("K-1").reply("41")
    made = recall_test(
        session, ASKED, ladders="off", models="claude-sonnet-5-5", client=session.client, lanes=1, tell=quiet
    )
    assert session.tip == tip
    assert len(session.turns()) == 8
    assert [each.graded.grade for each in made.asked] == ["right", "wrong"]
    share = made.share(variant="off")
    assert share.low is not None
    assert share.low < 0.5 < share.high  # type: ignore[operator]
    assert made.cost > 0


def test_only_pooled_counts_have_an_interval_and_it_says_how_many_histories_it_knows(
    session: Session, script: Scripted
) -> None:
    history(session, script)
    made = recall_test(
        session, ASKED, ladders="off,summary", models="claude-sonnet-5-5", client=session.client, lanes=1, tell=quiet
    )
    text = str(made)
    variants, *splits = text.split("Right/wrong/abstained by ")
    assert variants.count("% to ") == 3
    assert len(splits) == 1
    assert "% to " not in splits[0]
    assert "of one history: it says nothing of others" in text


def test_pages_alone_have_neither_strings_nor_prompts_beside_them(session: Session, script: Scripted) -> None:
    history(session, script)
    recall_test(
        session, ASKED[:1], ladders=["pages", "pages+sidecar", "pages+recall"], models="claude-sonnet-5-5",
        client=session.client, lanes=1, tell=quiet,
    )  # fmt: skip
    recalled = next(body for body in script.requests if "tools" in body)
    alone, beside = sorted((body for body in script.requests if body is not recalled), key=lambda body: len(str(body)))

    def texts(body: dict[str, Any]) -> str:
        return "\n".join(
            b["text"] for m in body["messages"] for b in m["content"] if b["type"] == "text" and m["role"] == "user"
        )

    def images(body: dict[str, Any]) -> int:
        return sum(b["type"] == "image" for m in body["messages"] for b in m["content"])

    assert images(alone) == images(recalled) > 0
    assert "exact strings]" not in texts(alone)
    assert "exact strings]" in texts(beside)
    assert "part 2" not in texts(alone)
    assert "part 2" in texts(beside)
    assert "exact strings]" not in texts(recalled)
    assert [tool["name"] for tool in recalled["tools"]] == ["recall"]


def test_off_needs_a_window_that_holds_the_history() -> None:
    with pytest.raises(BadInput, match="`off` needs a window that holds the whole history"):
        recall_test("debugging", ladders="off", models="offline", tell=quiet)


def test_the_cost_is_shown_and_checked_before_the_first_call(session: Session, script: Scripted) -> None:
    history(session, script)
    told: list[str] = []
    with pytest.raises(BadInput, match="`budget="):
        recall_test(
            session, ASKED, models="claude-opus-5-5", client=session.client, budget=0.0001, tell=told.append
        )  # fmt: skip
    assert script.requests == []
    assert "about $" in told[0]


def test_a_grader_is_part_of_the_estimate(session: Session, script: Scripted) -> None:
    history(session, script)
    told: list[str] = []
    for grader in (None, "claude-haiku-5-5"):
        recall_test(
            session, ASKED, ladders="off", models="claude-sonnet-5-5", grader=grader, client=session.client,
            tell=told.append,
        )  # fmt: skip
    assert [": 2 calls of" in told[0], ": 4 calls of" in told[1]] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"window": 0}, "window is a number of tokens from 1 .*; 0 is not"),
        ({"window": -5}, "-5 is not"),
        ({"window": float("nan")}, "nan is not"),
        ({"budget": float("nan")}, "budget is an amount of dollars over 0; nan is not"),
        ({"budget": 0}, "0 is not"),
        ({"lanes": 0}, "from 1 to 64; 0 is not"),
        ({"ladders": []}, "no variant"),
        ({"ladders": "off,,"}, "No variant is called ''"),
        ({"asked": []}, "needs questions"),
        ({"models": "offline-text", "ladders": "pages"}, "sees no images"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_sends_nothing(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(BadInput, match=part):
        recall_test("debugging", **{"models": "offline-long", **arguments}, tell=quiet)


def test_a_grader_judges_what_matches_in_no_form(session: Session, script: Scripted) -> None:
    history(session, script)
    script.reply("the first one of the series K").reply("RIGHT").reply("forty-one").reply("WRONG")
    made = recall_test(
        session, ASKED, ladders="off", models="claude-sonnet-5-5", grader="claude-haiku-5-5", client=session.client,
        lanes=1, tell=quiet,
    )  # fmt: skip
    assert [(each.graded.grade, each.graded.how) for each in made.asked] == [("right", "grader"), ("wrong", "grader")]
    assert [body["model"] for body in script.requests] == ["claude-sonnet-5-5", "claude-haiku-5-5"] * 2


def test_a_summary_is_written_once_for_all_questions(session: Session, script: Scripted) -> None:
    history(session, script)
    recall_test(
        session, ASKED, ladders=["summary+recall"], models="claude-sonnet-5-5", client=session.client, lanes=2,
        tell=quiet,
    )  # fmt: skip
    asked = [body for body in script.requests if "system" in body]
    assert len(asked) == 2
    told = [body["messages"][:-1] for body in asked]
    assert told[0] == told[1]
    assert script.requests[-2:] == asked  # all parts of the one summary came before
