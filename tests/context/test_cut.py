"""Rules 11 and 12: a resumed conversation is cut at a turn boundary, complete and without thinking, or not touched."""

from hypothesis import given
from hypothesis import strategies as st
from transcripts import histories, plain_turn, tool_turn

from jupyter_history.context import cut
from jupyter_history.transcript import Message, problems

NEXT = {"role": "user", "content": [{"type": "text", "text": "go on"}]}


def flat(turns: list[list[Message]]) -> list[Message]:
    return [message for turn in turns for message in turn]


@given(histories(), st.integers(1, 30))
def test_rule_12_a_cut_never_leaves_a_result_whose_call_was_cut(turns: list[list[Message]], most: int) -> None:
    path = flat(turns)
    left = cut(path, most)
    assert list(problems([*(message.wire() for message in left.messages), NEXT])) == []
    assert [message.text for message in left.messages] == [message.text for message in path[left.dropped :]]
    if left.dropped:
        assert not any(message.thinking for message in left.messages)


@given(histories())
def test_rule_12_an_uncut_resume_is_the_same_to_the_byte(turns: list[list[Message]]) -> None:
    path = flat(turns)
    assert cut(path, None).messages == tuple(path)
    assert cut(path, len(path)).messages == tuple(path)


def test_a_cut_keeps_as_many_whole_turns_as_the_limit_allows() -> None:
    path = [*tool_turn(0), *plain_turn(1), *tool_turn(2)]
    left = cut(path, 7)
    assert (left.dropped, left.turns) == (4, 1)
    assert [message.turn for message in left.messages] == [path[4].turn] * 2 + [path[6].turn] * 4


def test_the_newest_turn_stays_whole_however_small_the_limit() -> None:
    path = [*plain_turn(0), *tool_turn(1)]
    assert len(cut(path, 1).messages) == 4
