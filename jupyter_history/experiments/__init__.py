"""Experiments: the same question through several settings, and what a rung remembers, measured.

    experiment(session, prompt, each={"ladder": ["off", "snapshot"]}) -> Experiment    also Session.experiment
    recall_test(session or corpus, questions, ladders=[...], models=[...]) -> Recall
    page_test(model, profiles) -> Legibility
    corpora(), corpus("debugging") -> Corpus                                            the histories that are shipped

Nothing here is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch import batches, collect
    from .histories import Corpus, corpora, corpus
    from .legibility import Legibility, page_test
    from .points import Axis, Point, axes, grid
    from .questions import Question
    from .recall import Recall, recall_test
    from .sweep import Experiment, experiment

_HOMES = {
    **dict.fromkeys(("Axis", "Point", "axes", "grid"), "points"),
    **dict.fromkeys(("batches", "collect"), "batch"),
    **dict.fromkeys(("Corpus", "corpora", "corpus"), "histories"),
    **dict.fromkeys(("Experiment", "experiment"), "sweep"),
    **dict.fromkeys(("Legibility", "page_test"), "legibility"),
    "Question": "questions",
    **dict.fromkeys(("Recall", "recall_test"), "recall"),
}

__all__ = [
    "Axis", "Corpus", "Experiment", "Legibility", "Point", "Question", "Recall", "axes", "batches", "collect",
    "corpora", "corpus", "experiment", "grid", "page_test", "recall_test",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
