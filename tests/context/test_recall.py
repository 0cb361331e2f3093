"""Recall: a turn's tag gives its source text back, exactly, in bounded pieces."""

from collections.abc import Callable

from transcripts import image, plain_turn, text, thinking, tool_turn, turn

from jupyter_history.context import plan
from jupyter_history.context.recall import answer
from jupyter_history.model.catalog import Profile
from jupyter_history.transcript import Message

Make = Callable[..., Profile]


def path() -> list[Message]:
    return [
        *plain_turn(0),
        *tool_turn(1, 1_500),
        *turn(2, [image(300, 200), text("see")], [thinking("psst"), text("ok")]),
    ]


def test_recall_gives_the_stored_text_of_a_turn_back(model: Make) -> None:
    scene = plan(path(), "next", model(window=100_000)).draft.scene
    shown, failed = answer(scene, {"turn": "T002"})
    assert not failed
    assert path()[3].content[1]["input"]["q"] in shown
    assert path()[4].content[0]["content"].rstrip() in shown
    assert answer(scene, {"turn": "t2"}) == (shown, False)


def test_recall_shows_images_as_stubs_and_never_thinking(model: Make) -> None:
    scene = plan(path(), "next", model(window=100_000)).draft.scene
    shown, _ = answer(scene, {"turn": "T003"})
    assert "[image: 300x200 PNG" in shown
    assert "psst" not in shown


def test_recall_of_an_elided_result_shows_what_was_elided(model: Make) -> None:
    made = plan([m for k in range(14) for m in tool_turn(k)], "next", model())
    assert made.rows[2].disposition == "elided"
    shown, _ = answer(made.draft.scene, {"turn": "T001"})
    assert "row 0: value" in shown


def test_a_long_turn_comes_in_pieces_that_join_to_the_whole(model: Make) -> None:
    scene = plan(tool_turn(0, 12_000), "next", model()).draft.scene
    whole, begin = "", 0
    for _ in range(40):
        shown, failed = answer(scene, {"turn": "T001", "from": begin})
        assert not failed
        piece, _, left = shown.partition("\n[")
        if "continues]" not in shown:
            whole += shown
            break
        cut = shown.rindex("\n[")
        piece, left = shown[:cut], shown[cut:]
        assert scene.text_tokens(piece) <= 800
        whole += piece
        begin = int(left.rsplit("from=", 1)[1].split()[0])
    assert tool_turn(0, 12_000)[2].content[0]["content"] in whole


def test_recall_shows_at_most_a_tenth_of_the_window_in_one_turn(model: Make) -> None:
    scene = plan(tool_turn(0, 12_000), "next", model()).draft.scene
    shown, _ = answer(scene, {"turn": "T001"}, spent=0)
    spent = scene.text_tokens(shown)
    assert 700 < spent <= 900
    again, failed = answer(scene, {"turn": "T001", "from": 900}, spent=spent)
    assert failed
    assert "as much as it may" in again


def test_an_unknown_tag_is_an_error_that_says_which_there_are(model: Make) -> None:
    scene = plan(path(), "next", model(), depth=4).draft.scene
    shown, failed = answer(scene, {"turn": "T001"})
    assert failed
    assert "T005 to T007" in shown
    assert answer(scene, {})[1]
