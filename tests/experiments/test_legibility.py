"""Random tokens on dense pages: read back exactly, by whom, how surely; and what new snapshots then use."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from jupyter_history.errors import BadInput
from jupyter_history.experiments import Legibility, page_test
from jupyter_history.experiments.legibility import Read, Token, drawn_tokens, grade, page_text, request, usable
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
from jupyter_history.pages import PROFILES, draw, read
from jupyter_history.session.session import Session

DEFAULT = PROFILES["default"]


def quiet(_line: str) -> None:
    """For tests: nobody reads the estimate."""


def measured(right: int, wrong: int, model: str = "claude-sonnet-5-5", profile: str = "default") -> list[Read]:
    token = Token("Q001", "hex", "abc")
    reads = [Read(profile, token, "abc", "right", False)] * right
    return reads + [Read(profile, token, "abd", "wrong", True)] * wrong


def test_tokens_are_the_same_for_the_same_seed_and_of_all_kinds() -> None:
    tokens = drawn_tokens(100, ("hex", "number", "identifier", "kanji", "hangul"), 1)
    assert tokens == drawn_tokens(100, ("hex", "number", "identifier", "kanji", "hangul"), 1)
    assert tokens != drawn_tokens(100, ("hex", "number", "identifier", "kanji", "hangul"), 2)
    for token, pattern in zip(
        tokens, ("[0-9a-f]{12}", "[0-9]{9}", "[a-zA-Z]+[0-9]", "[一-龥]{4}", "[가-힣]{4}"), strict=False
    ):
        assert re.fullmatch(pattern, token.value), token


@pytest.mark.parametrize("name", PROFILES)
def test_the_pages_are_dense_and_hold_every_token(name: str) -> None:
    profile = PROFILES[name]
    tokens = drawn_tokens(25, ("hex", "number", "identifier", "kanji", "hangul"), 3)
    sheets = draw(page_text(tokens, profile, 3), profile)
    text = read(sheets)
    assert all(f"{token.mark} = {token.value}" in text for token in tokens)
    assert len(sheets) <= 2
    assert sheets[0].height >= 0.85 * profile.height


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Q001 = 9f3c", ("right", "9f3c", False)),
        ("Q001: `9f3c`", ("right", "9f3c", False)),
        ("- **Q001** = **9f3c**", ("right", "9f3c", False)),
        ("Q001 =\nQ002 = 9f3c", ("abstained", "", False)),
        ("Q001 = 9F3C", ("wrong", "9F3C", False)),
        ("Q001 = 9f3e", ("wrong", "9f3e", True)),
        ("Q001 = ?", ("abstained", "", False)),
        ("Q002 = 9f3c", ("abstained", "", False)),
        ("", ("abstained", "", False)),
    ],
)
def test_only_what_was_drawn_is_right(reply: str, expected: tuple[str, str, bool]) -> None:
    graded = grade(DEFAULT, Token("Q001", "hex", "9f3c"), reply)
    assert (graded.grade, graded.read, graded.near) == expected


def test_the_exact_reader_reads_all_and_the_blurry_one_misreads() -> None:
    exact = page_test("offline", "default", tokens=30, tell=quiet)
    assert exact.share("default").right == 30
    assert exact.share("default").low is None
    blurry = page_test("offline-blurry", "default", tokens=30, tell=quiet)
    assert blurry.share("default").wrong > 0
    assert blurry.offer is None
    assert "simulation" in str(blurry)


def test_a_model_is_asked_a_page_at_a_time(script: Scripted) -> None:
    tokens = drawn_tokens(50, ("hex", "number"), 1)
    for n in (0, 25):
        script.reply("\n".join(f"{token.mark} = {token.value}" for token in tokens[n : n + 25]))
    made = page_test(
        "claude-sonnet-5-5", "default", tokens=50, kinds=("hex", "number"), client=Client(transport=script), lanes=1,
        tell=quiet,
    )  # fmt: skip
    assert len(script.requests) == 2
    body = script.requests[0]
    png = base64.b64decode(body["messages"][0]["content"][0]["source"]["data"])
    assert f"Q001 = {tokens[0].value}" in read(png)
    assert made.share("default").right == 50
    assert made.share("default").low == pytest.approx(0.9287, abs=1e-3)
    assert made.cost > 0
    assert made.offer is None  # 50 tokens carry no offer


def test_the_densest_profile_that_is_read_surely_is_offered() -> None:
    made = Legibility("claude-sonnet-5-5", (PROFILES["default"], PROFILES["dense"], PROFILES["legible"]))
    made.tokens = [*measured(97, 3, profile="dense"), *measured(100, 0), *measured(100, 0, profile="legible")]
    assert [each.name for each in made.by_density] == ["dense", "default", "legible"]
    assert made.offer == "default"
    assert made.price(PROFILES["dense"]) < made.price(PROFILES["legible"])  # type: ignore[operator]
    assert "Offered: **default**" in str(made)


def test_large_pages_are_for_the_tier_that_does_not_shrink_them() -> None:
    assert "large" in usable("high")
    assert "large" not in usable("standard")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"model": "offline-text"}, "sees no images"),
        ({"model": "offline", "profiles": "tiny"}, "No page profile is called 'tiny'"),
        ({"model": "offline", "kinds": ["runes"]}, "runes"),
        ({"model": "claude-opus-5-5", "budget": 0.0001}, "`budget="),
        ({"model": "offline", "tokens": 0}, "from 1 to 1,000; 0 is not"),
        ({"model": "offline", "tokens": -3}, "-3 is not"),
        ({"model": "offline", "tokens": float("nan")}, "nan is not"),
        ({"model": "offline", "tokens": 1_001}, "1001 is not"),
        ({"model": "offline", "tokens": True}, "True is not"),
        ({"model": "offline", "budget": float("nan")}, "an amount of dollars"),
        ({"model": "offline", "lanes": 0}, "from 1 to 64"),
        ({"model": "offline", "kinds": []}, "of the kind \\(none\\)"),
    ],
)
def test_what_cannot_be_tested_is_one_line(arguments: dict[str, Any], part: str) -> None:
    with pytest.raises(BadInput, match=part):
        page_test(**arguments, tell=quiet)


def test_a_page_is_cached_over_its_questions() -> None:
    body = request("claude-sonnet-5-5", draw("text", DEFAULT), drawn_tokens(2, ("hex",), 1))
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}


def test_the_profile_in_use_holds_for_new_snapshots_only(session: Session, script: Scripted) -> None:
    session.configure(window=8_000, ladder="snapshot")
    for n in range(6):
        script.reply("words that fill the window with more and more words " * 120)
        session.send(f"part {n}")
    session.compact("snapshot")
    old = session.plan("next")
    made = Legibility("claude-sonnet-5-5", (PROFILES["dense"],), tokens=measured(100, 0, profile="dense"))
    assert "dense" in made.use(session)
    assert {page.profile for page in old.pages} == {"default"}
    assert {page.profile for page in session.plan("next").pages} == {"default"}
    session.send("one more")
    assert {page.profile for page in session.plan("next").pages} == {"default"}
    # a plan that decides anew draws anew
    fresh = session.plan("next", ladder="snapshot", window=6_000)
    assert {page.profile for page in fresh.pages} == {"dense"}
    with pytest.raises(BadInput, match="No page profile"):
        made.use(session, "tiny")
