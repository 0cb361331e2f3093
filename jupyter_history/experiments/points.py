"""What is varied: axes (`ladder=off,snapshot`), and the grid of points that they make."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..context.budget import Policy
from ..errors import BadInput
from ..session.written import checked
from ..transcript import same_question

REPEAT = "repeat"
NAMES = ("ladder", "model", "system", "window", "max_tokens", REPEAT)
"""What an axis may vary. `repeat=N` asks every point N times."""
MOST = 200
"""Points of a grid; more are a slip of the keyboard."""
_SHORT = 32
_ALSO = {"elide": "elision", "image": "images", "pages": "snapshot"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an axis, and how a table calls it."""

    label: str
    value: Any


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One cell of the grid. `take` counts from 1 where several points ask exactly the same."""

    labels: tuple[tuple[str, str], ...]
    settings: Mapping[str, Any]
    take: int = 1

    @property
    def variant(self) -> str:
        return ", ".join(f"{name}={label}" for name, label in self.labels) or "as set"


def axes(each: Mapping[str, Any] | Iterable[str] | str) -> tuple[Axis, ...]:
    """Axes as they were written: `"ladder=off,snapshot"`, several of those, or a mapping of names to values.

    BadInput names what does not fit.
    """
    if isinstance(each, str):
        each = [each]
    written = each.items() if isinstance(each, Mapping) else [_split(text) for text in each]
    made = tuple(_axis(name, values) for name, values in written)
    twice = [name for name, count in Counter(axis.name for axis in made).items() if count > 1]
    if twice:
        raise BadInput(f"--each {twice[0]}=... stands there twice; write all its values after one `{twice[0]}=`.")
    return made


def grid(varied: Sequence[Axis], settings: Mapping[str, Any] | None = None) -> tuple[Point, ...]:
    """All points, the last axis running fastest; `settings` hold for every one of them. BadInput for too many."""
    points: list[Point] = []
    seen: Counter[str] = Counter()
    fixed = checked(settings or {})
    clash = [axis.name for axis in varied if fixed.get(axis.name) is not None]
    if clash:
        raise BadInput(f"{clash[0]} is set and varied at once; leave one of the two out.")
    size = 1
    for axis in varied:
        size *= len(axis.values)
    if size > MOST:
        raise BadInput(f"This grid has {size:,} points; at most {MOST} are run at once.")
    for chosen in itertools.product(*(axis.values for axis in varied)):
        named = list(zip((axis.name for axis in varied), chosen, strict=True))
        own = {name: value.value for name, value in named if name != REPEAT}
        merged = {key: value for key, value in {**fixed, **checked(own)}.items() if value is not None}
        key = same_question("", merged)
        seen[key] += 1
        points.append(Point(tuple((name, value.label) for name, value in named), merged, seen[key]))
    return tuple(points)


def _split(text: str) -> tuple[str, list[str]]:
    name, sign, values = text.partition("=")
    if not sign or not name.strip():
        raise BadInput(f"--each {text}: write NAME=VALUE,VALUE, such as ladder=off,snapshot.")
    return name.strip(), [value.strip() for value in values.split(",") if value.strip()]


def _axis(name: str, given: Any) -> Axis:
    if name not in NAMES:
        raise BadInput(f"--each {name}: nothing of that name can be varied; there are {', '.join(NAMES)}.")
    if name == REPEAT:
        return Axis(name, tuple(Value(str(n + 1), n + 1) for n in range(_number(name, _only(name, given)))))
    values = _listed(given)
    if not values:
        raise BadInput(f"--each {name}: no value is given.")
    return Axis(name, _distinct(name, tuple(_value(name, value) for value in values)))


def _value(name: str, value: Any) -> Value:
    if isinstance(value, Value):
        return value
    if name == "ladder":
        words = value.replace("+", ",").split(",") if isinstance(value, str) else list(value)
        ladder = Policy.named([_ALSO.get(word.strip(), word.strip()) for word in words]).name
        return Value(ladder.replace(",", "+"), ladder)
    if name in ("window", "max_tokens"):
        return Value(f"{_number(name, value):,}".replace(",", ""), _number(name, value))
    if value is None:
        return Value("none", None)
    text = str(value).strip()
    label = " ".join(text.split())
    return Value(label if len(label) <= _SHORT else label[: _SHORT - 1] + "…", text)


def _only(name: str, given: Any) -> Any:
    values = _listed(given)
    if len(values) != 1:
        raise BadInput(f"--each {name} takes one number.")
    return values[0]


def _number(name: str, value: Any) -> int:
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise BadInput(f"--each {name}: {value!r} is not a number from 1.")
    return int(text)


def _listed(given: Any) -> list[Any]:
    """Several values as they were given, or one."""
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def _distinct(name: str, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """The values; BadInput where two ask the same, which would be one thing under two names."""
    seen: dict[str, int] = {}
    for n, each in enumerate(values):
        first = seen.setdefault(same_question("", {name: each.value}), n)
        if first != n:
            names = f"{values[first].label} and {each.label}"
            twice = f"{each.label} stands there twice" if values[first].label == each.label else f"{names} are the same"
            raise BadInput(f"--each {name}: {twice}; `repeat=2` asks everything twice.")
    return values
