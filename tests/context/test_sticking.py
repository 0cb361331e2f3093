"""Rule 10: a decision is an overlay that sticks on its path, and the transcript never changes."""

from collections.abc import Callable
from copy import deepcopy

from transcripts import plain_turn, tool_turn

from jupyter_history.context import Policy, plan
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message

Make = Callable[..., Profile]
ELISION = Policy.named("elision")


def long_path(turns: int = 14) -> list[Message]:
    """Over 0.8 of 8,000 tokens, most of it in tool results."""
    return [message for k in range(turns) for message in tool_turn(k)]


def test_rule_10_the_transcript_is_not_changed(model: Make) -> None:
    path = long_path()
    before = deepcopy(path)
    assert plan(path, "next", model()).overlays
    assert path == before


def test_rule_10_a_decision_is_keyed_by_anchor_range_policy_and_model(model: Make) -> None:
    path = long_path()
    (overlay,) = plan(path, "next", model(), policy=ELISION).overlays
    assert overlay.anchor == path[-1].id
    assert (overlay.first, overlay.policy, overlay.profile) == (path[2].id, "elision", "small")
    assert overlay.kind == "elision"
    assert path[2].turn not in str(overlay.payload), "a fork renames ids, and would not find them in here"


def test_rule_10_siblings_under_one_anchor_share_the_decision(model: Make) -> None:
    path = long_path()
    first = plan(path, "one wording", model())
    second = plan(path, "another wording", model(), overlays=first.overlays)
    assert second.overlays == ()
    assert second.messages[:-1] == first.messages[:-1]
    written = plan(path, "a third", model(), overlays=first.overlays, policy=Policy.named("auto", inherit=False))
    assert written.overlays == (), "with an explicit ladder too: what was decided here is not decided twice"


def test_rule_10_a_branch_that_leaves_before_the_anchor_does_not_see_it(model: Make) -> None:
    path = long_path()
    decided = plan(path, "next", model()).overlays
    branch = path[:8]
    assert plan(branch, "elsewhere", model(), overlays=decided).messages[:-1] == [each.wire() for each in branch]


def test_rule_10_a_branch_between_the_range_and_the_anchor_does_not_see_it_either(model: Make) -> None:
    path = [*long_path(), *plain_turn(40), *plain_turn(41)]
    decided = plan(path, "next", model()).overlays
    branch = path[:-2]
    assert decided[0].last in {message.id for message in branch}
    (anew,) = plan(branch, "x", model(), overlays=decided).overlays
    assert anew.anchor == branch[-1].id, "it decides for itself"


def test_rule_10_an_explicit_ladder_ignores_what_was_inherited(model: Make) -> None:
    path = long_path()
    decided = plan(path, "next", model()).overlays
    off = plan(path, "next", model(), overlays=decided, policy=Policy.named("off"))
    assert [row.disposition for row in off.rows] == ["kept"] * len(path)
    grown = [*path, *plain_turn(90)]
    anew = plan(grown, "next", model(), overlays=decided, policy=Policy.named("auto", inherit=False))
    assert [overlay.anchor for overlay in anew.overlays] == [grown[-1].id], "decided anew, at the end of the path"


def test_rule_10_another_model_decides_for_itself(model: Make) -> None:
    path = long_path()
    decided = plan(path, "next", model()).overlays
    large = plan(path, "next", model(id="large", window=200_000), overlays=decided)
    assert {row.disposition for row in large.rows} == {"kept"}


def test_a_message_elided_once_stays_elided_and_the_prefix_is_the_same_to_the_byte(model: Make) -> None:
    path = long_path()
    first = plan(path, "next", model())
    sent = first.messages
    grown = [*path, *plain_turn(90, "next", "an answer")]
    second = plan(grown, "and then", model(), overlays=first.overlays)
    assert second.overlays == ()
    assert second.messages[: len(sent)] == sent
    assert [row.disposition for row in second.rows][: len(path)] == [row.disposition for row in first.rows]


def test_rule_14_the_ladder_starts_over_its_threshold_and_not_before(model: Make) -> None:
    path = long_path(6)
    quiet = plan(path, "next", model())
    assert quiet.overlays == ()
    assert all("not needed" in rung.why for rung in quiet.rungs)
    small = model(window=round(quiet.tokens / 0.8) + 500)
    assert plan(path, "next", small).overlays


def test_rule_18_nothing_is_decided_inside_an_open_tool_loop(model: Make) -> None:
    path = long_path()
    opened = tool_turn(90)[:3]
    inside = plan(path, opened, model())
    assert inside.overlays == ()
    assert all("open tool loop" in rung.why for rung in inside.rungs)
    assert inside.messages[-3:] == [each.wire() for each in opened], "signed thinking of the open turn is sent as it is"
    before = plan(path, opened[:1], model())
    later = plan(path, opened, model(), overlays=before.overlays)
    assert later.messages[: len(path)] == before.messages[: len(path)], "what was decided before the loop holds in it"


def test_rule_18_a_rewritten_prefix_has_no_thinking_in_its_closed_turns(model: Make) -> None:
    path = long_path()
    made = plan(path, "next", model())
    kinds = [block["type"] for message in made.messages for block in message["content"]]
    assert "thinking" not in kinds
    assert any("thinking" in rung.lost for rung in made.rungs)
    grown = [*path, *tool_turn(91, 10)]
    after = plan(grown, "then", model(), overlays=made.overlays)
    signed = [n for n, m in enumerate(after.messages) for block in m["content"] if block["type"] == "thinking"]
    assert signed == [len(path) + 1], "thinking that was signed against the rewritten prefix stays"


def test_rule_18_an_untouched_prefix_keeps_its_thinking(model: Make) -> None:
    path = long_path(3)
    assert plan(path, "next", model()).messages[:-1] == [each.wire() for each in path]


def test_rule_18_thinking_signed_against_another_form_of_the_prefix_goes(model: Make) -> None:
    path = long_path()
    decided = plan(path, "next", model())
    grown = [*path, *tool_turn(91, 10)]
    whole = plan(grown, "then", model(window=100_000), overlays=decided.overlays, policy=Policy.named("off"))
    assert "thinking" not in [block["type"] for message in whole.messages for block in message["content"]]


def test_rule_18_epochs_tell_which_thinking_is_still_valid(model: Make) -> None:
    path = long_path(3)
    epoch = plan(path, "next", model(), system="Be brief.").epoch
    same = plan(path, "next", model(), system="Be brief.", epochs={path[0].turn: epoch, path[4].turn: epoch})
    assert same.messages[:-1] == [each.wire() for each in path]
    other = plan(path, "next", model(), system="Be brief.", epochs={path[4].turn: "another"})
    signed = [n for n, m in enumerate(other.messages) for block in m["content"] if block["type"] == "thinking"]
    assert signed == [9], "all up to the last turn of another epoch, so that no gap is left"
