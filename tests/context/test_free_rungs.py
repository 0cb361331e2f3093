"""Elision and image drop: what goes, what stays, and what the stub says (rules 13, 15 and 19)."""

from collections.abc import Callable

import pytest
from transcripts import call, image, plain_turn, result, text, tool_turn, turn

from jupyter_history.context import Budget, Policy, plan
from jupyter_history.errors import BadInput, TooLarge
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message, problems

Make = Callable[..., Profile]


def flat(*turns: list[Message]) -> list[Message]:
    return [message for each in turns for message in each]


def stubs(messages: list[dict[str, object]]) -> list[str]:
    found = []
    for message in messages:
        for block in message["content"]:  # type: ignore[attr-defined]
            if block["type"] == "tool_result" and str(block["content"]).startswith("[elided"):
                found.append(block["content"])
            if block["type"] == "text" and block["text"].startswith("[image"):
                found.append(block["text"])
    return found


def test_a_stub_names_tool_arguments_size_and_how_to_get_it_back(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(14)))
    stub = stubs(plan(path, "next", model()).messages)[0]
    assert stub == '[elided: search({"q": "item 0", "limit": 0}) returned 2,000 characters; recall("T001") shows it]'
    without = stubs(plan(path, "next", model(), policy=Policy.named("auto", recall=False)).messages)[0]
    assert without.endswith("ask for T001 to see it]")


def test_errors_the_newest_results_and_small_ones_are_not_elided(model: Make) -> None:
    path = flat(tool_turn(0, failed=True), tool_turn(1, 30), *(tool_turn(k) for k in range(2, 14)), plain_turn(14))
    rows = {row.id: row.disposition for row in plan(path, "next", model()).rows}
    assert rows[path[2].id] == "kept", "an error"
    assert rows[path[6].id] == "kept", "smaller than its stub"
    assert rows[path[10].id] == "elided"
    assert rows[path[54].id] == "kept", "the newest"


def test_elision_takes_all_that_is_eligible_at_once(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(14)))
    made = plan(path, "next", model(), policy=Policy.named("elision"))
    assert sum(row.disposition == "elided" for row in made.rows) == 13
    assert made.tokens < 0.6 * made.room


def test_what_recall_showed_goes_first(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(12)), tool_turn(12, tool="recall"), plain_turn(13))
    made = plan(path, "next", model())
    rows = made.rows
    assert rows[50].disposition == "elided"
    stub = made.messages[50]["content"][0]["content"]
    assert stub == '[recalled earlier: recall({"q": "item 12", "limit": 12}); call it again to see it]'


def test_pinned_messages_stay_with_their_calls_and_results(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(14)))
    made = plan(path, "next", model(), pinned=[path[1].id])
    assert made.rows[2].disposition == "kept"


def test_rule_15_a_result_that_is_not_smaller_is_not_applied_and_says_so(model: Make) -> None:
    path = flat(*(plain_turn(k, "word " * 400, "word " * 300) for k in range(10)))
    made = plan(path, "next", model(vision=False), policy=Policy.named("elision,images"))
    assert made.overlays == ()
    assert [(rung.applied, rung.why) for rung in made.rungs[:2]] == [
        (False, "not applied: no result is old, uneventful and large"),
        (False, "not applied: no image is old enough"),
    ]


def test_rule_15_an_image_smaller_than_its_stub_stays(model: Make) -> None:
    path = flat(
        turn(0, [image(30, 30), text("an icon")], [text("seen")]),
        turn(1, [image(900, 900), text("a plan")], [text("seen")]),
        *(plain_turn(k, "word " * 400, "word " * 300) for k in range(2, 8)),
    )
    made = plan(path, "next", model(), policy=Policy(name="images", rungs=("images",), live_images=0))
    assert [row.disposition for row in made.rows[:3]] == ["kept", "kept", "image dropped"]


def test_old_images_become_stubs_with_their_size_and_origin_and_the_newest_stay(model: Make) -> None:
    path = flat(*(turn(k, [image(1000, 800, 300), text("look")], [text("seen")]) for k in range(7)))
    made = plan(path, "next", model())
    found = stubs(made.messages)
    assert (
        found[0]
        == "[image: 1000x800 PNG, 300 bytes, from the prompt of T001; no longer in view, ask for it if you need it]"
    )
    kept = [row.tag for row in made.rows if row.role == "user" and row.disposition == "kept"]
    assert kept[-2:] == ["T006", "T007"]
    assert made.tokens < 0.6 * made.room


def test_image_drop_stops_as_soon_as_the_request_is_under_its_target(model: Make) -> None:
    path = flat(*(turn(k, [image(560, 560), text("look")], [text("seen")]) for k in range(14)))
    made = plan(path, "next", model())
    dropped = sum(row.disposition == "image dropped" for row in made.rows)
    assert made.tokens < 0.6 * made.room <= made.tokens + 400
    assert 0 < dropped < 12


def test_images_in_results_are_dropped_in_place(model: Make) -> None:
    plot = [image(1000, 1000), text("done")]
    path = flat(
        *(turn(k, [text("plot")], [call("c", "plot")], [result("c", plot)], [text("ok")]) for k in range(7)),
    )
    made = plan(path, "next", model(), policy=Policy.named("images"))
    first = made.messages[2]["content"][0]["content"]
    assert first[0]["text"].startswith("[image: 1000x1000 PNG, 40 bytes, from the result of plot in T001")
    assert first[1] == text("done")


@pytest.mark.parametrize(
    ("fields", "budget", "limit"),
    [
        ({"max_images": 5}, Budget(), lambda m: m.pictures <= 5),
        ({}, Budget(bytes=20_000), lambda m: m.bytes <= 20_000),
    ],
)
def test_rule_19_images_and_bytes_are_budgeted_over_the_whole_request(
    model: Make, fields: dict[str, int], budget: Budget, limit: Callable[..., bool]
) -> None:
    path = flat(*(turn(k, [image(60, 600, 3000), text("look")], [text("seen")]) for k in range(8)))
    made = plan(path, [turn(90, [image(60, 600, 3000), text("and this")])[0]], model(window=500_000, **fields), budget)
    assert limit(made.draft.measure)
    assert made.problem is None
    assert made.messages[-1]["content"][0]["type"] == "image", "the prompt's own image stays"


def test_rule_19_a_limit_on_images_alone_takes_no_text_back(model: Make) -> None:
    live = (turn(k, [image(60, 600), text("look")], [text("seen")]) for k in range(20, 28))
    path = flat(*(tool_turn(k) for k in range(14)), *live)
    made = plan(path, "next", model(window=200_000, max_images=5))
    assert made.draft.overflows == ()
    assert {row.disposition for row in made.rows} == {"kept", "image dropped"}
    assert sum(row.disposition == "image dropped" for row in made.rows) == 3


def test_rule_19_one_oversized_image_among_many_is_dropped_even_if_it_is_the_newest(model: Make) -> None:
    path = flat(
        *(turn(k, [image(100, 100), text("look")], [text("seen")]) for k in range(24)),
        turn(25, [image(2400, 100), text("wide")], [text("seen")]),
    )
    made = plan(path, "next", model(window=500_000))
    assert made.draft.overflows == ()
    assert [row.tag for row in made.rows if row.disposition == "image dropped"] == ["T025"]


def test_rule_19_an_image_that_no_request_may_carry_is_dropped_alone_too(model: Make) -> None:
    path = flat(turn(0, [image(9_000, 10), text("wide")], [text("seen")]), plain_turn(1))
    made = plan(path, "next", model(window=500_000))
    assert [row.tag for row in made.rows if row.disposition == "image dropped"] == ["T001"]
    with pytest.raises(TooLarge, match="an image edge of 9000 pixels"):
        plan([], Message("user", (image(9_000, 10), text("look")), "z00000"), model(window=500_000)).check()


def test_rule_19_a_prompt_with_more_images_than_the_model_takes_is_one_error_before_anything_is_sent(
    model: Make,
) -> None:
    prompt = Message("user", (*(image(100, 100) for _ in range(7)), text("compare")), "z00000")
    with pytest.raises(TooLarge, match="7 images of 5"):
        plan([], prompt, model(max_images=5, window=500_000)).check()


def test_a_prompt_that_alone_does_not_fit_is_one_error_before_anything_is_sent(model: Make) -> None:
    made = plan(flat(plain_turn(0)), "word " * 20_000, model())
    with pytest.raises(TooLarge) as failure:
        made.check()
    assert "\n" not in str(failure.value)
    assert "prompt alone" in str(failure.value)


def test_a_policy_is_auto_off_or_a_list_of_rungs() -> None:
    assert Policy.named(None) == Policy.named("auto")
    assert Policy.named("snapshot, elision").rungs == ("elision", "snapshot")
    assert Policy.named(["images"]).name == "images"
    assert Policy.named("off").rungs == ()
    with pytest.raises(BadInput, match="'elison'"):
        Policy.named("elison")


def test_a_rung_can_be_run_now_whatever_the_size(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(4)))
    made = plan(path, "next", model(), now="elision")
    assert [rung.applied for rung in made.rungs] == [True, False, False, False]
    assert list(problems(made.messages)) == []


def test_the_rows_add_up_to_the_request(model: Make) -> None:
    path = flat(*(tool_turn(k) for k in range(14)))
    made = plan(path, "next", model(), system="Be brief.")
    around = made.draft.scene.prompt_measure
    assert sum(row.after for row in made.rows) + around.text == pytest.approx(made.tokens, abs=len(path))
