"""The snapshot: head, pages, tail. Every word is kept, sealed pages stay (rules 13 to 19)."""

import base64
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from transcripts import call, image, plain_turn, result, text, thinking, tool_turn, turn

from jupyter_history import pages
from jupyter_history.context import Budget, Plan, Policy, plan
from jupyter_history.context.snapshot import LINE
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message, problems

Make = Callable[..., Profile]
PROSE = "The nested mixture has its parameter on the boundary, so the usual expansion has nothing to expand around. "


def talk(turns: int = 12, size: int = 20, first: int = 0) -> list[Message]:
    """Turns with a short prompt and an answer of prose with one exact string each."""
    return [
        message
        for k in range(first, first + turns)
        for message in turn(
            k, [text(f"question {k}?")], [thinking("hidden musing"), text(f"seed-{k}a{k}f7: " + PROSE * size)]
        )
    ]


def drawn(made: Plan) -> str:
    """The text on the pages of a request, read back from their pixels."""
    images = [
        base64.b64decode(block["source"]["data"])
        for message in made.messages
        for block in message["content"]
        if block["type"] == "image" and block["source"]["media_type"] == "image/png"
    ]
    return pages.read(images[-len(made.pages) :])


def beside(made: Plan) -> str:
    """The text of the message that holds the pages."""
    holder = next(m for m in made.messages if any(b.get("text") == LINE for b in m["content"]))
    return "\n".join(block["text"] for block in holder["content"] if block["type"] == "text")


def test_rule_17_the_pages_hold_every_word_of_the_middle(model: Make) -> None:
    path = talk()
    made = plan(path, "next", model())
    assert made.need is None
    assert made.tokens < 0.8 * made.room
    shown = drawn(made)
    for n, row in enumerate(made.rows):
        if row.disposition.startswith("on page") and row.role == "assistant":
            assert path[n].text.strip() in shown
    assert list(problems(made.messages)) == []


def test_rule_13_no_free_rung_needs_a_model_a_key_a_network_or_a_database() -> None:
    script = (
        "import sys; sys.path[:0] = ['tests', '.']\n"
        "from transcripts import plain_turn\n"
        "from jupyter_history.context import plan\n"
        "from jupyter_history.model.catalog import profile\n"
        "path = [m for k in range(12) for m in plain_turn(k, 'why?', 'because it is so. ' * 120)]\n"
        "made = plan(path, 'next', profile('offline'))\n"
        "assert made.rungs[2].applied and made.need is None\n"
        "heavy = {'anthropic', 'httpx2', 'sqlalchemy', 'IPython', 'PIL'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_head_and_tail_stay_verbatim_and_the_first_prompt_is_the_head(model: Make) -> None:
    path = talk()
    made = plan(path, "next", model())
    first = made.messages[0]["content"]
    assert first[0] == path[0].content[0]
    assert first[1]["text"] == LINE
    assert next(row.reason for row in made.rows if row.disposition == "kept") == "head"
    assert made.messages[-2]["content"][-1] == path[-1].content[-1]
    assert made.rows[-1].reason.startswith("tail")


def test_rule_18_thinking_is_never_drawn(model: Make) -> None:
    made = plan(talk(), "next", model())
    assert "hidden musing" not in drawn(made) + beside(made)
    assert not any(block["type"] == "thinking" for message in made.messages for block in message["content"])


def test_images_are_drawn_as_stubs_and_what_recall_showed_is_not_drawn_again(model: Make) -> None:
    path = [
        *talk(2),
        *turn(20, [image(321, 123), text("see?")], [text("yes")]),
        *turn(
            21,
            [text("again")],
            [call("r1", "recall", turn="T001")],
            [result("r1", "recalled words " * 9)],
            [text("ok")],
        ),
        *talk(12, first=30),
    ]
    made = plan(path, "next", model(), policy=Policy.named("snapshot"))
    assert "[image: 321x123 PNG" in drawn(made) + beside(made)
    assert "recalled words" not in drawn(made)
    assert "[recalled earlier: recall(" in drawn(made)


def test_results_are_drawn_after_elision(model: Make) -> None:
    path = [*talk(2), *tool_turn(20), *tool_turn(21), *talk(12, first=30)]
    made = plan(path, "next", model())
    assert "[elided: search(" in drawn(made)
    assert "row 20: value" not in drawn(made)
    assert made.rows[6].disposition.startswith("on page")


def test_user_prompts_stay_text_up_to_a_thousand_characters(model: Make) -> None:
    short, long = "Keep the port at 8471, please. ", "The log says id 4f2a9c7e1b0d at /var/log/run-17.txt and more. "
    path = [*talk(2), *plain_turn(20, short * 20, "ok"), *plain_turn(21, long * 30, "ok"), *talk(11, first=30)]
    made = plan(path, "next", model())
    assert (short * 20).strip() in beside(made)
    assert (long * 30).strip() not in beside(made)
    assert (long * 30).strip() in drawn(made)
    for exact in ("4f2a9c7e1b0d", "/var/log/run-17.txt"):
        assert exact in beside(made)
    assert "kept as text" in made.rows[4].reason


def test_exact_strings_stand_behind_their_page_in_at_most_400_tokens(model: Make) -> None:
    path = [
        m
        for k in range(12)
        for m in turn(k, [text("go on")], [text(" ".join(f"{n * k + 7919:08x}" for n in range(330)))])
    ]
    made = plan(path, "next", model())
    holder = next(m for m in made.messages if any(b.get("text") == LINE for b in m["content"]))
    lists = [b["text"] for b in holder["content"] if b["type"] == "text" and "exact strings]" in b["text"]]
    assert len(lists) == len(made.pages)
    for each in lists:
        listed = "\n".join(line for line in each.splitlines() if line.startswith("[page"))
        assert made.draft.scene.estimator.text(listed) <= 402
    assert "00001eef" in lists[0]


def test_one_constant_line_says_how_to_read_pages_and_never_what_they_are_not(model: Make) -> None:
    made = plan(talk(), "next", model())
    assert beside(made).count(LINE) == 1
    for said in (
        "no instructions",
        "ask, rather than guess",
        "line break",
        "so many spaces",
        "code point",
        "quoted history",
    ):
        assert said in LINE
    assert "reasoning" not in LINE


def test_rule_16_a_second_snapshot_extends_the_first_and_sealed_pages_stay(model: Make) -> None:
    path = talk(50, 30)
    roomy = model(window=60_000)
    first = plan(path, "next", roomy)
    sealed = [page for page in first.pages if page.sealed]
    assert len(sealed) >= 3
    grown = [*path, *talk(16, 40, first=60)]
    second = plan(grown, "then", roomy, overlays=first.overlays)
    (overlay,) = second.overlays
    assert overlay.kind == "snapshot"
    assert overlay.first == first.overlays[-1].first
    assert [page.png for page in second.pages][: len(sealed)] == [page.png for page in sealed]
    blocks, old = second.messages[0]["content"], first.messages[0]["content"]
    same = next(n for n, (a, b) in enumerate(zip(blocks, old, strict=False)) if a != b)
    assert sum(block["type"] == "image" for block in blocks[:same]) >= len(sealed), "the cached prefix keeps its pages"


def test_rule_16_the_same_decision_gives_the_same_bytes_in_a_new_session(model: Make) -> None:
    path = talk()
    first = plan(path, "next", model())
    again = plan(path, "next", model(), overlays=first.overlays)
    assert again.overlays == ()
    assert again.messages == first.messages
    later = plan([*path, *plain_turn(80, "next")], "then", model(), overlays=first.overlays)
    assert later.messages[: len(first.messages)] == first.messages


def test_a_model_without_vision_is_never_given_pages(model: Make) -> None:
    made = plan(talk(), "next", model(vision=False), policy=Policy.named("snapshot"))
    assert made.pages == ()
    assert "cannot see images" in made.rungs[2].why


def test_rule_15_pages_that_do_not_pay_are_not_drawn_and_the_plan_says_so(model: Make) -> None:
    path = [m for k in range(12) for m in plain_turn(k, "word " * 199, "yes")]
    made = plan(path, "next", model(window=3_600), policy=Policy.named("snapshot"))
    assert made.pages == ()
    assert "the pages would cost" in made.rungs[2].why


def test_rule_15_pages_that_are_no_smaller_are_not_applied_whatever_they_may_cost(model: Make) -> None:
    path = [m for k in range(12) for m in plain_turn(k, "word " * 199, "yes")]
    made = plan(path, "next", model(window=3_600), policy=Policy("snapshot", ("snapshot",), page_worth=99.0))
    assert made.pages == ()
    assert "are not fewer than" in made.rungs[2].why


def test_an_empty_middle_is_not_applicable(model: Make) -> None:
    made = plan(talk(1, 250), "next", model(), policy=Policy.named("snapshot"))
    assert made.pages == ()
    assert "middle is empty" in made.rungs[2].why


def test_a_newest_turn_that_does_not_fit_beside_the_prompt_goes_with_the_middle(model: Make) -> None:
    path = [*plain_turn(0), *plain_turn(1, "paste: " + PROSE * 200, "I see.")]
    made = plan(path, "word " * 900, model())
    assert [row.disposition for row in made.rows][2].startswith("on page")
    assert made.tokens <= made.room


def test_the_excess_of_a_long_first_prompt_goes_with_the_middle(model: Make) -> None:
    prompt = "\n".join(f"line {k} of the task with value {k * 37}" for k in range(200))
    path = [*plain_turn(0, prompt, PROSE * 5), *talk(9, first=1)]
    made = plan(path, "next", model())
    head = made.messages[0]["content"][0]["text"]
    kept, note = head.rsplit("\n", 1)
    assert note == "[the first prompt goes on below, at T001]"
    assert made.draft.scene.text_tokens(kept) <= 0.1 * made.window
    whole = drawn(made).split("[T001 user]\n", 1)[1]
    assert prompt[len(kept) :].strip() in whole
    grown = [*path, *plain_turn(50, "next")]
    assert plan(grown, "x", model(), overlays=made.overlays).messages[: len(made.messages)] == made.messages


def test_rule_19_pages_over_the_image_limit_send_the_oldest_to_the_summary(model: Make) -> None:
    path = talk(60, 40)
    few = model(window=24_000, max_images=8)
    made = plan(path, "next", few)
    assert made.need is not None
    assert made.need.first_tag == "T001"
    done = plan(path, "next", few, overlays=[made.need.overlay("Goal: so far.", model="small")])
    assert done.need is None
    assert 0 < len(done.pages) <= 8
    assert done.draft.overflows == ()
    kinds = [block["type"] if block.get("text", LINE) == LINE else "text" for block in done.messages[0]["content"]]
    texts = [block.get("text", "") for block in done.messages[0]["content"]]
    assert "Goal: so far." in texts[1], "head, summary, pages"
    assert texts[2] == LINE
    assert kinds[3] == "image"


def test_rule_19_what_is_over_the_limit_stays_text_while_it_fits_and_nothing_is_lost(model: Make) -> None:
    path = talk(60, 40)
    made = plan(path, "next", model(window=90_000, max_images=4), policy=Policy.named("snapshot"))
    assert 0 < len(made.pages) <= 4
    assert made.fits
    assert {row.disposition.split()[0] for row in made.rows} == {"kept", "on"}
    said = {block.get("text") for message in made.messages for block in message["content"]}
    assert all(path[n].text in said for n, row in enumerate(made.rows) if row.disposition == "kept")
    again = plan([*path, *plain_turn(90)], "x", model(window=90_000, max_images=4), policy=Policy.named("snapshot"),
                 overlays=made.overlays)  # fmt: skip
    assert again.messages[: len(made.messages) - 1] == made.messages[:-1]


@pytest.mark.parametrize("by", ["images", "bytes"])
def test_rule_19_one_page_too_many_is_not_sent(model: Make, by: str) -> None:
    path = talk(40, 40)
    snapshot = Policy.named("snapshot")
    free = plan(path, "next", model(window=50_000), policy=snapshot)
    size = free.draft.section.weight.bytes if free.draft.section else 0
    limit = Budget(images=len(free.pages) - 1) if by == "images" else Budget(page_bytes=size - 1)
    made = plan(path, "next", model(window=50_000), limit, snapshot)
    assert 0 < len(made.pages) < len(free.pages)
    assert made.draft.overflows == ()
    later = plan(path, "again", model(window=50_000), limit, snapshot, free.overlays)
    assert later.draft.overflows == (), "pages decided under a wider limit are fewer under a narrower one"
    assert 0 < len(later.pages) < len(free.pages)


@pytest.mark.parametrize("limits", [Budget(images=4), Budget(page_bytes=200_000)])
def test_rule_19_at_the_wall_the_oldest_pages_become_recall_stubs_that_name_their_turns(
    model: Make, limits: Budget
) -> None:
    path = talk(60, 40)
    made = plan(path, "next", model(window=60_000), limits, wall=True)
    assert made.need is None
    assert made.draft.overflows == ()
    assert 0 < len(made.pages) <= 4
    stub = made.messages[0]["content"][1]["text"]
    assert stub.startswith("[Turns T001 to T0")
    assert "recall(" in stub
    assert {row.disposition for row in made.rows} >= {"left to recall", "kept"}
    again = plan(path, "next", model(window=60_000), limits, overlays=made.overlays)
    assert again.messages == made.messages, "decisions at the wall stick as well"


def test_rule_19_live_images_count_beside_pages(model: Make) -> None:
    live = [m for k in range(70, 73) for m in turn(k, [image(100, 100), text("see")], [text("yes")])]
    made = plan([*talk(40, 40), *live], "next", model(window=40_000, max_images=6))
    done = made
    if made.need is not None:
        stored = [made.need.overlay("Goal: so far.", model="small")]
        done = plan([*talk(40, 40), *live], "next", model(window=40_000, max_images=6), overlays=stored)
    assert done.draft.measure.pictures <= 6
    assert done.draft.overflows == ()


def test_pinned_messages_stay_text_in_the_head(model: Make) -> None:
    path = talk()
    made = plan(path, "next", model(), pinned=[path[5].id])
    assert path[5].text not in drawn(made)
    assert made.rows[5].reason.startswith("pinned")
    assert any(block.get("text") == path[5].content[1]["text"] for m in made.messages for block in m["content"])
    assert list(problems(made.messages)) == []


def test_what_drawing_removes_is_counted(model: Make) -> None:
    path = [*talk(2), *plain_turn(20, "colours?", "\x1b[31mred\x1b[0m " * 40), *talk(11, first=30)]
    made = plan(path, "next", model())
    assert f"{40 * 9:,} characters were not drawn" in made.rungs[2].lost


def test_a_page_profile_can_be_chosen(model: Make) -> None:
    made: Any = plan(talk(), "next", model(), policy=Policy(pages="dense"))
    assert {page.profile for page in made.pages} == {"dense"}
    unknown = plan(talk(), "next", model(known=False))
    assert {page.profile for page in unknown.pages} == {"legible"}
