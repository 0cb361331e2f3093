"""Many frozen dataclasses at once, from columns: what a long path is read with.

Their constructor sets each field through `object.__setattr__`. Here the slots are filled a column at a time, in C,
which takes a third of the time; what comes out is the same, and as frozen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sized
from dataclasses import fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Made = TypeVar("Made", bound=DataclassInstance)


class Column(Iterable[Any], Sized, Protocol):
    """The values of one field, one an instance."""


def records(kind: type[Made], *columns: Column) -> list[Made]:
    """One instance of a dataclass with slots for each row; the columns are all its fields, in their order."""
    made = list(map(kind.__new__, repeat(kind, len(columns[0]))))
    for field, column in zip(fields(kind), columns, strict=True):
        deque(map(kind.__dict__[field.name].__set__, made, column), maxlen=0)
    return made
