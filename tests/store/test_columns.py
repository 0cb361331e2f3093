"""Many records from columns are the records their constructor makes."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_history.store import columns
from jupyter_history.transcript import Message, Usage


@given(st.lists(st.tuples(*[st.integers()] * 5)))
def test_they_are_equal_to_those_that_were_made_one_by_one(rows: list[tuple[int, int, int, int, int]]) -> None:
    fields = list(zip(*rows, strict=True)) or [()] * 5
    assert columns.records(Usage, *fields) == [Usage(*row) for row in rows]


def test_they_are_as_frozen() -> None:
    (message,) = columns.records(Message, ["user"], [()], ["aaaaaa"], [0])
    with pytest.raises(FrozenInstanceError):
        message.role = "assistant"  # type: ignore[misc]


def test_a_column_too_few_or_too_many_is_an_error() -> None:
    for fields in ([["user"], [()], ["aaaaaa"]], [["user"], [()], ["aaaaaa"], [0], [0]]):
        with pytest.raises(ValueError, match="argument"):
            columns.records(Message, *fields)
