"""Rule 14: at the wall the provider's figures count, the free rungs run, and there is one retry, never a loop."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcripts import histories, image, plain_turn, text, tool_turn, turn

from jupyter_history.context import Budget, Calibration, Plan, Policy, plan
from jupyter_history.context.wall import Again, Wall
from jupyter_history.errors import TooLarge
from jupyter_history.model.catalog import Profile, profile
from jupyter_history.transcript import Message, problems

Make = Callable[..., Profile]


def refusal(tokens: int | None = None, limit: int | None = None) -> TooLarge:
    return TooLarge("too large", tokens=tokens, limit=limit, status=400)


def some_path() -> list[Message]:
    return [message for k in range(8) for message in tool_turn(k, 1_500)]


def test_rule_14_the_providers_figures_correct_the_estimate_and_the_free_rungs_run(model: Make) -> None:
    path = some_path()
    sent = plan(path, "next", model())
    assert sent.overlays == (), "by our estimate it fits"
    state, again = Wall().refused(sent, refusal(sent.tokens * 2, 8_000))
    assert isinstance(again, Again)
    assert again.calibration.ratio == pytest.approx(2, rel=0.01)
    retry = plan(path, "next", model(), again.budget, calibration=again.calibration, wall=True)
    assert state.replanned(sent, retry) is None
    assert retry.need is None
    assert retry.tokens <= retry.room
    assert list(problems(retry.messages)) == []


def test_rule_14_a_limit_below_the_models_window_becomes_the_window(model: Make) -> None:
    sent = plan(some_path(), "next", model(window=100_000))
    _, again = Wall().refused(sent, refusal(5_000, 4_096))
    assert isinstance(again, Again)
    assert again.budget.window == 4_096


def test_rule_14_a_window_that_was_given_stays_where_it_is_below_the_limit(model: Make) -> None:
    sent = plan(some_path(), "next", model(window=100_000), Budget(window=3_000))
    _, again = Wall().refused(sent, refusal(5_000, 4_096))
    assert isinstance(again, Again)
    assert again.budget.window == 3_000


def test_with_the_ladder_off_a_refusal_is_the_end(model: Make) -> None:
    sent = plan(some_path(), "next", model(), policy=Policy.named("off"))
    _, end = Wall().refused(sent, refusal(9_000, 8_000))
    assert isinstance(end, TooLarge)
    assert "the ladder is off. Tried: no rung applied" in str(end)


def test_rule_14_without_figures_the_request_is_halved(model: Make) -> None:
    path = some_path()
    sent = plan(path, "next", model())
    state, again = Wall().refused(sent, refusal())
    assert isinstance(again, Again)
    retry = plan(path, "next", model(), again.budget, calibration=again.calibration, wall=True)
    assert state.replanned(sent, retry) is None
    assert retry.tokens <= sent.tokens / 2 + 1


def test_rule_14_pages_may_be_more_bytes_than_the_text_that_was_refused(model: Make) -> None:
    prose = "The nested mixture has its parameter on the boundary, so there is nothing to expand around. "
    path = [message for k in range(30) for message in plain_turn(k, "why?", prose * 20)]
    sent = plan(path, "next", model(window=60_000), Budget(tail=0.1))
    state, again = Wall().refused(sent, refusal())
    assert isinstance(again, Again)
    retry = plan(path, "next", model(window=60_000), again.budget, calibration=again.calibration, wall=True)
    assert state.replanned(sent, retry) is None
    assert retry.pages
    assert retry.need is None


def test_rule_14_a_body_that_is_too_large_loses_its_oldest_images(model: Make) -> None:
    path = [m for k in range(8) for m in turn(k, [image(60, 600, 900_000), text("look")], [text("seen")])]
    sent = plan(path, "next", model(window=500_000))
    state, again = Wall().refused(sent, TooLarge("Request exceeds the maximum size", status=413))
    assert isinstance(again, Again)
    retry = plan(path, "next", model(window=500_000), again.budget, calibration=again.calibration, wall=True)
    assert state.replanned(sent, retry) is None
    assert retry.draft.measure.bytes <= sent.draft.measure.bytes / 2


def test_rule_14_a_second_refusal_is_one_clear_error_that_says_what_was_tried(model: Make) -> None:
    path = some_path()
    sent = plan(path, "next", model())
    state, again = Wall().refused(sent, refusal(9_000, 8_000))
    assert isinstance(again, Again)
    retry = plan(path, "next", model(), again.budget, calibration=again.calibration, wall=True)
    _, end = state.refused(retry, refusal(8_500, 8_000))
    assert isinstance(end, TooLarge)
    assert "elision took back" in str(end)
    assert "\n" not in str(end)


def test_rule_14_a_request_that_cannot_shrink_is_not_sent_again(model: Make) -> None:
    path = plain_turn(0, "short", "answer")
    sent = plan(path, "word " * 1_000, model())
    state, again = Wall().refused(sent, refusal(9_000, 8_000))
    assert isinstance(again, Again)
    retry = plan(path, "word " * 1_000, model(), again.budget, calibration=again.calibration, wall=True)
    assert isinstance(state.replanned(sent, retry), TooLarge)


def test_rule_18_at_the_wall_inside_a_tool_loop_nothing_is_rewritten(model: Make) -> None:
    sent = plan(some_path(), tool_turn(90)[:3], model())
    _, end = Wall().refused(sent, refusal(9_000, 8_000))
    assert isinstance(end, TooLarge)
    assert "tool loop" in str(end)


def test_rule_14_only_where_the_free_rungs_do_not_fit_a_summary_runs_in_parts(model: Make) -> None:
    path = [message for k in range(6) for message in plain_turn(k, f"prompt {k} " * 250, f"answer {k} " * 150)]
    blind = model(vision=False, window=16_000)
    sent = plan(path, "next", blind)
    state, again = Wall().refused(sent, refusal(30_000, 16_000))
    assert isinstance(again, Again)
    retry = plan(path, "next", blind, again.budget, calibration=again.calibration, wall=True)
    assert retry.need is not None
    assert len(retry.need.parts) > 1
    assert state.replanned(sent, retry) is None


refusals = st.builds(
    refusal,
    st.one_of(st.none(), st.integers(1, 500_000)),
    st.one_of(st.none(), st.integers(1, 300_000)),
)


@settings(max_examples=40, deadline=None)
@given(
    histories(6), st.lists(refusals, min_size=3, max_size=3), st.sampled_from(["auto", "off", "elision", "snapshot"])
)
def test_rule_14_no_sequence_of_refusals_loops_or_loses_the_prompt(
    turns: list[list[Message]], said: list[TooLarge], ladder: str
) -> None:
    """Whatever the provider says, at most two requests are sent, and each ends with the prompt."""
    path = [message for each in turns for message in each]
    policy, eyes = Policy.named(ladder), profile("offline")
    sent: list[Plan] = []
    wall, budget, calibration, made = Wall(), Budget(), Calibration(), plan(path, "the prompt", eyes, policy=policy)
    for refused in said:
        sent.append(made)
        wall, step = wall.refused(made, refused)
        if isinstance(step, TooLarge):
            break
        budget, calibration = step.budget, step.calibration
        retry = plan(path, "the prompt", eyes, budget, policy, calibration=calibration, wall=True, summarise=False)
        if wall.replanned(made, retry) is not None:
            break
        made = retry
    assert len(sent) <= 2
    for each in sent:
        assert each.messages[-1]["content"][-1]["text"] == "the prompt"
        assert list(problems(each.messages)) == []
