"""The garbage collector, kept out of the way of a long read.

While many objects are made that will all live, it would walk over them (and all else in a notebook) again and again: on
a path of 10,000 messages that is a third of the time. After a long one they go straight to the oldest generation (which
is what freezing all and thawing it does): the youngest would be walked over at once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

LONG = 20_000
"""Objects that one read makes, to be called a long one."""


@contextmanager
def paused() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_count()[0] > LONG and not gc.get_freeze_count():  # what others froze stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()
