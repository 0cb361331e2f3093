"""Checkpoint and rewind, by the model and by hand: rule 8, and what is kept of an exploration."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from jupyter_history.errors import BadInput, ModelError, NotFound
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.retry import NothingToRetry
from jupyter_history.session.session import Session
from jupyter_history.session.turn import Turn
from jupyter_history.transcript import Maker, problems

Opened = Callable[..., Session]


def results_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]


def said(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def tools_of(body: dict[str, Any]) -> set[str]:
    return {tool["name"] for tool in body.get("tools", ())}


def explores(script: Scripted, label: str = "start", digest: str = "It is in cell 7.", *, mark: bool = True) -> None:
    """The model marks, looks, and rewinds."""
    if mark:
        script.tool_call("checkpoint", {"label": label})
    script.tool_call("look", {}, text="A long look.")
    script.tool_call("rewind", {"label": label, "digest": digest})


@pytest.fixture
def looking(session: Session) -> Session:
    session.tools.add(lambda: "very much to read " * 50, name="look")
    session.send("before")
    return session


def test_a_rewind_keeps_the_digest_and_the_run_goes_on_from_the_mark(looking: Session, script: Scripted) -> None:
    before = looking.tip
    explores(script)
    script.reply("In cell 7.")
    turn = looking.send("where is it?")
    assert (turn.text, turn.parent, turn.prompt) == ("In cell 7.", before, "where is it?")
    sent = json.dumps(script.requests[-1]["messages"])
    assert "It is in cell 7." in sent
    assert "where is it?" in sent
    assert "very much to read" not in sent
    assert not list(problems(script.requests[-1]["messages"]))
    assert looking.tip == turn.id


def test_the_exploration_stays_in_the_tree_as_its_own_branch(looking: Session, script: Scripted) -> None:
    explores(script)
    turn = looking.send("where is it?")
    (explored,) = (looking.turn(id) for id in turn.siblings if id != turn.id)
    assert explored.text == "A long look."
    assert explored.messages[-1].results[0]["content"][0]["text"] == "Rewound to 'start'."
    assert f"is the branch {explored.id}" in turn.messages[0].text
    assert not looking.store.problems()
    looking.branch(explored.id)
    looking.send("go on there")
    assert not list(problems(script.requests[-1]["messages"]))


def test_an_exploration_over_several_turns_is_left_whole(looking: Session, script: Scripted, opened: Opened) -> None:
    target = looking.tip
    script.tool_call("checkpoint", {"label": "start"}).reply("I marked it.")
    marked = looking.send("mark here")
    between = looking.send("look about")
    explores(script, mark=False)
    turn = looking.send("where is it?")
    assert turn.parent == target
    assert looking.tree.path(turn.id) == [target, turn.id]
    assert {marked.id, between.id} <= set(looking.tree.heads)


def test_the_first_turn_may_mark_the_beginning_and_keeps_its_prompt(session: Session, script: Scripted) -> None:
    session.tools.add(lambda: "much", name="look")
    explores(script)
    turn = session.send("where is it?")
    assert turn.parent is None
    assert "where is it?" in json.dumps(script.requests[-1]["messages"])
    assert not session.store.problems()


def test_rule_8_a_checkpoint_is_stored_with_its_turn_and_serves_after_a_restart(
    opened: Opened, script: Scripted
) -> None:
    target = opened().send("before").id
    script.tool_call("checkpoint", {"label": "start"}).reply("marked")
    opened().send("mark here")
    later = opened()
    assert {label: mark.target for label, mark in later.checkpoints.items()} == {"start": target}
    script.tool_call("rewind", {"label": "start", "digest": "All is well."})
    turn = later.send("come back")
    assert turn.parent == target
    assert opened().checkpoints == {}, "consumed once"


def test_rule_8_a_failed_turn_leaves_no_checkpoint(looking: Session, script: Scripted) -> None:
    script.tool_call("checkpoint", {"label": "start"}).error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError):
        looking.send("mark here")
    assert looking.checkpoints == {}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"label": "stat", "digest": "x"}, "There is no checkpoint 'stat' here. Live labels: other, start."),
        ({"digest": "x"}, "There is no checkpoint '' here. Live labels: other, start."),
        ({"label": "root", "digest": "x"}, "Live labels: other, start."),
        (
            {"label": "start", "digest": " \n"},
            "The digest is empty: say what is to be kept. Live labels: other, start.",
        ),
        ({"label": "start"}, "The digest is empty"),
    ],
)
def test_rule_8_a_rewind_that_cannot_be_is_an_error_that_lists_the_live_labels(
    looking: Session, script: Scripted, arguments: dict[str, Any], words: str
) -> None:
    looking.checkpoint("start")
    looking.checkpoint("other")
    script.tool_call("rewind", arguments)
    turn = looking.send("go")
    (result,) = results_of(script.requests[-1])
    assert result["is_error"]
    assert words in said(result)
    assert turn.text == f"ok {len(script.requests)}"
    assert set(looking.checkpoints) == {"start", "other"}


def test_rule_8_a_consumed_checkpoint_is_unknown(looking: Session, script: Scripted) -> None:
    explores(script)
    script.tool_call("rewind", {"label": "start", "digest": "again"})
    looking.send("go")
    (result,) = results_of(script.requests[-1])
    assert said(result) == "There is no checkpoint 'start' here. Live labels: none."


def test_rule_8_a_checkpoint_whose_target_is_not_on_the_path_is_not_live(looking: Session, script: Scripted) -> None:
    first = looking.tip
    second = looking.send("two").id
    looking.checkpoint("there")
    looking.branch(first)
    assert looking.checkpoints == {}
    with pytest.raises(NotFound, match="Live labels: none"):
        looking.rewind("there")
    looking.branch(second)
    assert set(looking.checkpoints) == {"there"}


def test_a_label_is_one_word_and_taken_once(looking: Session, script: Scripted) -> None:
    looking.checkpoint("start")
    looking.send("two")
    script.tool_call("checkpoint", {"label": "start"}, more=[("checkpoint", {"label": "two words"})])
    looking.send("mark")
    taken, bad = results_of(script.requests[-1])
    assert taken["is_error"]
    assert said(taken) == "The label 'start' is taken: Live labels: start."
    assert bad["is_error"]
    for label in ("start", "two words", ""):
        with pytest.raises(BadInput):
            looking.checkpoint(label)


def test_results_of_calls_beside_a_rewind_are_kept(looking: Session, script: Scripted) -> None:
    script.tool_call("checkpoint", {"label": "start"})
    script.tool_call("look", {}, more=[("rewind", {"label": "start", "digest": "seen"}), ("look", {})])
    turn = looking.send("go")
    (explored,) = (looking.turn(id) for id in turn.siblings if id != turn.id)
    assert len(explored.messages[-1].results) == 3


def test_no_checkpoints_takes_the_tools_away(looking: Session, script: Scripted) -> None:
    looking.send("with")
    looking.send("without", checkpoints=False)
    assert {"checkpoint", "rewind"} <= tools_of(script.requests[-2])
    assert not {"checkpoint", "rewind"} & tools_of(script.requests[-1])


def test_rule_4_a_fork_takes_checkpoints_along_under_new_ids(looking: Session, opened: Opened) -> None:
    looking.checkpoint("start")
    looking.send("two")
    fork = looking.fork(name="copy")
    (mark,) = fork.checkpoints.values()
    assert mark.target == fork.tree.path(fork.tip)[0] != looking.tree.path(looking.tip)[0]
    fork.rewind("start")
    assert fork.checkpoints == {}
    assert set(looking.checkpoints) == {"start"}, "the source is untouched"
    assert not fork.store.problems()


def test_rule_4_a_fork_takes_along_a_checkpoint_that_a_branch_left_behind_set(
    looking: Session, script: Scripted
) -> None:
    target = looking.tip
    script.tool_call("checkpoint", {"label": "start"}).reply("marked")
    looking.send("mark here")
    looking.branch(target)
    assert set(looking.fork().checkpoints) == {"start"}


def test_by_hand_a_rewind_with_a_digest_is_what_the_model_sees(looking: Session, script: Scripted) -> None:
    mark = looking.checkpoint("start")
    looking.send("an exploration")
    moved = looking.rewind("start", "Nothing was found.")
    assert moved.note.startswith("Off the path now: 1 turn")
    assert looking.tree.parent(moved.tip or "") == mark.target
    assert isinstance(looking.retryable(), NothingToRetry)
    looking.send("and now?")
    sent = json.dumps(script.requests[-1]["messages"])
    assert "Nothing was found." in sent
    assert "an exploration" not in sent
    assert not list(problems(script.requests[-1]["messages"]))


def test_by_hand_what_keeps_a_digest_is_no_answer_and_no_question(looking: Session, script: Scripted) -> None:
    looking.checkpoint("start")
    looking.send("an exploration")
    kept = looking.rewind("start", "Nothing was found.").tip
    assert kept is not None
    turn = looking.turn(kept)
    assert (turn.prompt, turn.outcome, turn.text) == ("Rewound to 'start': Nothing was found.", "complete", "")
    asked = len(script.requests)
    for name in (None, kept):
        with pytest.raises(BadInput, match=f"`{kept}` is no question: it keeps what a rewind kept"):
            looking.again(name)
    assert len(script.requests) == asked


def test_by_hand_a_rewind_without_a_digest_only_moves(looking: Session, script: Scripted) -> None:
    target = looking.tip
    looking.checkpoint("start")
    looking.send("an exploration")
    count = len(looking.tree)
    assert looking.rewind("start").tip == target
    assert len(looking.tree) == count
    with pytest.raises(NotFound):
        looking.rewind("start")


def test_at_the_root_nothing_can_be_marked_by_hand(session: Session) -> None:
    with pytest.raises(BadInput, match="nothing to mark"):
        session.checkpoint("start")


def test_a_cell_that_rewound_shows_its_answer_on_a_rerun_without_a_call(opened: Opened, script: Scripted) -> None:
    session = opened(place="nb")
    session.tools.add(lambda: "much", name="look")
    cells = [(Maker("nb", f"c{n}"), prompt) for n, prompt in enumerate(["one", "mark", "two", "where?"])]
    script.reply("1").tool_call("checkpoint", {"label": "start"}).reply("marked").reply("2")
    explores(script, mark=False)
    script.reply("found")
    first = [session.run(maker, prompt, {}).turn.id for maker, prompt in cells]
    calls = len(script.requests)
    again = opened(place="nb")
    again.tools.add(lambda: "much", name="look")
    assert [again.run(maker, prompt, {}).turn.id for maker, prompt in cells] == first
    assert len(script.requests) == calls
    assert again.tip == first[-1]


def test_a_rewind_whose_continuation_fails_is_retried_with_its_digest(
    looking: Session, script: Scripted, opened: Opened
) -> None:
    target = looking.tip
    explores(script)
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(ModelError):
        looking.send("where is it?")
    later = opened()
    assert later.tip == target
    turn = later.retry()
    assert isinstance(turn, Turn)
    assert turn.parent == target
    assert "It is in cell 7." in json.dumps(script.requests[-1]["messages"])


def test_a_turn_that_rewinds_for_ever_ends_at_its_rounds(looking: Session, script: Scripted) -> None:
    looking.configure(max_rounds=4)
    for n in range(20):
        script.tool_call("checkpoint", {"label": f"m{n}"})
        script.tool_call("rewind", {"label": f"m{n}", "digest": "x"})
    with pytest.raises(KeyboardInterrupt, match="max_rounds"):
        looking.send("go")
    assert len(script.requests) <= 1 + 4 + 1
