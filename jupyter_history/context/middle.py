"""Head, middle and tail of a path: what stays verbatim at both ends, and what pages or a summary may replace."""

from __future__ import annotations

from .draft import Draft


def tail_start(draft: Draft) -> int:
    """Where the tail begins: whole newest turns up to the tail's share of the window, at least one.

    If that one does not fit beside the head and the prompt, no request with it ever could: then the tail is empty.
    """
    scene = draft.scene
    starts = scene.starts
    if not starts:
        return len(scene.path)
    most = scene.budget.tail * scene.budget.window_of(scene.profile)
    tail, text, images = len(scene.path), 0.0, 0
    for start in reversed(starts):
        for n in range(start, tail):
            weight = draft.weight(n)
            text, images = text + weight.text, images + weight.images
        tokens = scene.calibration.tokens(text, images)
        if tail == len(scene.path):
            around = scene.prompt_measure
            if tokens + scene.calibration.tokens(around.text, around.images) > scene.room and start > 0:
                return tail
        elif tokens > most:
            return tail
        tail = start
    return tail


def middle(draft: Draft) -> range:
    """The positions between head and tail; empty where there is none. The head is the first prompt."""
    stop = tail_start(draft)
    return range(1, stop) if stop > 1 else range(0)


def head_characters(draft: Draft) -> int | None:
    """How many characters of the first prompt stay in the head; None: all. The rest goes with the middle.

    Uncalibrated on purpose: the same window gives the same cut however the calibration moves, so the prefix stays.
    """
    scene = draft.scene
    content = draft.content(0)
    text = "".join(block["text"] for block in content if block["type"] == "text")
    most = scene.budget.head * scene.budget.window_of(scene.profile)
    tokens = scene.estimator.text(text)
    if tokens <= most:
        return None
    keep = int(len(text) * most / tokens)
    while keep and scene.estimator.text(text[:keep]) > most:
        keep = keep * 9 // 10
    line = text.rfind("\n", keep // 2, keep)
    return line + 1 if line > 0 else keep
