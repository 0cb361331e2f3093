"""The garbage collector, kept out of the way of a long read.

While many objects are made that will all live, it would walk over them (and all else in a notebook) again and again: on
a path of 10,000 messages that is a third of the time.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
