"""The last rung: asked for only when it is needed, in parts that fit, stored, and paid for once."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts import plain_turn, thinking, tool_turn, turn

from jupyter_history.context import Need, Overlay, Plan, Policy, plan, table
from jupyter_history.context.summary import pack
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message, problems

Make = Callable[..., Profile]


def talk(turns: int = 12, words: int = 300) -> list[Message]:
    """Over the window, and nothing in it that elision could take."""
    return [m for k in range(turns) for m in plain_turn(k, f"prompt {k} " * words, f"answer {k} " * (words // 2))]


def needed(made: Plan) -> Need:
    assert made.need is not None
    return made.need


def written(made: Plan, told: str = "Goal: find the cause. Facts: port 8471 (T003).") -> Overlay:
    return needed(made).overlay(told, model="small")


def test_a_model_without_vision_gets_a_summary_and_the_plan_says_why(model: Make) -> None:
    made = plan(talk(), "next", model(vision=False))
    snapshot = made.rungs[2]
    assert not snapshot.applied
    assert "cannot see images" in snapshot.why
    assert made.need is not None
    assert "needed" in made.rungs[3].why
    assert made.problem is None


def test_the_summary_stands_between_head_and_tail_and_the_request_is_valid(model: Make) -> None:
    path = talk()
    made = plan(path, "next", model(vision=False))
    done = plan(path, "next", model(vision=False), overlays=[written(made)])
    assert done.need is None
    assert done.tokens < 0.8 * done.room
    assert list(problems(done.messages)) == []
    texts = [block["text"] for block in done.messages[0]["content"]]
    assert texts[0].startswith("prompt 0"), "the head"
    assert "port 8471" in texts[1]
    assert texts[2].startswith("prompt 1"), "the tail begins in the same user message"
    assert [row.disposition for row in done.rows[1:3]] == ["in the summary"] * 2
    assert done.rows[-1].reason == "tail"


def test_a_summary_is_paid_for_once_under_one_anchor_and_holds_later_on_the_path(model: Make) -> None:
    path = talk()
    overlay = written(plan(path, "next", model(vision=False)))
    assert plan(path, "edited", model(vision=False), overlays=[overlay]).need is None
    sent = plan(path, "next", model(vision=False), overlays=[overlay]).messages
    later = plan([*path, *plain_turn(90, "next")], "then", model(vision=False), overlays=[overlay])
    assert later.need is None
    assert later.messages[: len(sent)] == sent


def test_a_second_summary_takes_up_the_first_and_never_asks_for_its_turns_again(model: Make) -> None:
    path = talk()
    first = written(plan(path, "next", model(vision=False)), "Facts: port 8471 (T003).")
    grown = [*path, *(m for k in range(20, 26) for m in plain_turn(k, f"later {k} " * 300))]
    again = needed(plan(grown, "then", model(vision=False), overlays=[first]))
    assert "port 8471" in again.prior
    assert again.first == path[1].id
    assert not any("[T002 user]" in part for part in again.parts)
    assert "port 8471" in again.messages(0)[0]["content"][0]["text"]
    done = plan(grown, "then", model(vision=False), overlays=[first, again.overlay("All so far.", model="small")])
    assert "port 8471" not in str(done.messages), "the later summary took the place of the earlier one"
    assert done.tokens < 0.8 * done.room


def test_a_summary_that_another_model_wrote_is_used_where_one_is_needed(model: Make) -> None:
    path = talk()
    overlay = written(plan(path, "next", model(vision=False)))
    other = plan(path, "next", model(id="other", vision=False), overlays=[overlay])
    assert other.need is None
    assert "port 8471" in str(other.messages)
    assert [(each.kind, each.profile) for each in other.overlays] == [("summary", "other")]
    large = plan(path, "next", model(id="large", window=500_000), overlays=[overlay])
    assert "port 8471" not in str(large.messages), "a model with room for all sees all"


def test_the_prompt_asks_for_what_must_survive_and_shows_no_thinking(model: Make) -> None:
    path = [*talk(11), *turn(30, [{"type": "text", "text": "why"}], [thinking("secret musing"), *talk(1)[1].content])]
    path += plain_turn(31, "last " * 900)
    need = needed(plan(path, "next", model(vision=False)))
    asked = need.messages(0)[0]["content"][-1]["text"]
    for heading in ("Goal", "Constraints", "Decisions", "Facts", "Open questions"):
        assert f"{heading}:" in asked
    assert not any("secret musing" in part for part in need.parts)


def test_rule_14_parts_hold_at_most_half_the_window(model: Make) -> None:
    path = [*tool_turn(0, 90_000, failed=True), *talk()]
    made = plan(path, "next", model(vision=False))
    need = needed(made)
    scene = made.draft.scene
    assert len(need.parts) > 4
    for n in range(len(need.parts)):
        request = need.messages(n, "w " * need.max_tokens)
        tokens = sum(scene.text_tokens(block["text"]) for block in request[0]["content"])
        assert tokens <= scene.budget.window_of(scene.profile) / 2 + need.max_tokens * 0.3


@settings(deadline=None)
@given(st.lists(st.text("ab\n ", max_size=400), max_size=8), st.integers(20, 120))
def test_rule_14_packing_loses_no_character_and_never_exceeds_the_limit(texts: list[str], most: int) -> None:
    pieces = list(pack(texts, most, len))
    assert "".join(pieces).replace("\n", "") == "".join(texts).replace("\n", "")
    assert all(len(piece) <= most for piece in pieces)


def test_where_no_summary_can_be_written_the_plan_says_so_and_asks_for_none(model: Make) -> None:
    made = plan(talk(), "next", model(vision=False), summarise=False)
    assert made.need is None
    assert "no summary can be written" in made.rungs[3].why


def test_a_ladder_without_the_summary_never_asks_for_one(model: Make) -> None:
    made = plan(talk(), "next", model(vision=False), policy=Policy.named("elision,images"))
    assert made.need is None
    assert made.rungs[3].why == "not in this ladder"


def test_rule_23_the_cost_of_a_summary_is_told_before_it_is_spent(model: Make) -> None:
    made = plan(talk(), "next", model(vision=False))
    need = needed(made)
    assert f"${need.cost:.4f}" in table.text(made)
    assert need.cost == pytest.approx((need.tokens * 2 + len(need.parts) * need.max_tokens * 10) / 1e6)
    assert needed(plan(talk(), "next", model(vision=False, price=None))).cost is None


def test_what_recall_stubs_stood_for_is_summarised_from_its_source(model: Make) -> None:
    path = [m for k in range(60) for m in plain_turn(k, f"question {k}", f"fact-{k}: " + "it holds as before. " * 160)]
    few = model(window=24_000, max_images=6)
    stubbed = plan(path, "next", few, wall=True, summarise=False)
    assert any(overlay.kind == "recall" for overlay in stubbed.overlays)
    grown = [*path, *(m for k in range(70, 140) for m in plain_turn(k, f"question {k}", f"fact-{k}: " + "so. " * 700))]
    need = needed(plan(grown, "then", few, overlays=stubbed.overlays))
    assert need.first == path[1].id
    assert need.prior == ""
    assert any("fact-3:" in part for part in need.parts)


def test_rule_15_a_summary_that_is_not_shorter_is_not_applied_and_not_asked_for_twice(model: Make) -> None:
    path = talk()
    wordy = needed(plan(path, "next", model(vision=False))).overlay("blah " * 20_000, model="small")
    made = plan(path, "next", model(vision=False), overlays=[wordy])
    assert made.need is None
    assert not made.rungs[3].applied
    assert "not shorter" in made.rungs[3].why
