"""A model to plan for. Tests choose its window and eyes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jupyter_history.model.catalog import Price, Profile

SMALL = Profile("small", 8_000, 1_000, Price(2, 10, 0.2, 2.5, 4), True, "standard", "new", 512, 100)


@pytest.fixture(scope="session")
def model() -> Callable[..., Profile]:
    """A profile with a window of 8,000 tokens, and what the test says otherwise."""

    def make(**fields: Any) -> Profile:
        return replace(SMALL, **fields)

    return make
