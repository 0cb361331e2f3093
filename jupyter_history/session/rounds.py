"""The requests of one turn: the plan's, and after each round of tool calls the same with what was added since.

Invariant: nothing that was sent is rewritten inside an open turn (rule 18); what is shortened was not sent yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..context.picture import picture
from ..context.plan import Plan
from ..context.request import body
from ..errors import ModelError
from ..tools import results
from ..tools.calling import Caller
from ..transcript import THINKING, Block, Message, Usage


class Rounds:
    """The requests of one turn: the plan's, and after it the turn's own messages as they come."""

    def __init__(self, first: dict[str, Any], made: Plan, caller: Caller) -> None:
        self.unsigned = False
        self._first = first
        self._made = made
        self._caller = caller

    def body(self, messages: Sequence[Message], *, paused: bool = False) -> dict[str, Any]:
        return body(self._first, messages[1:], paused=paused)

    def fit(self, messages: Sequence[Message], found: list[Block], last: Usage) -> list[Block] | None:
        """Results, not sent yet, shortened until the request fits; None where even the shortest do not.

        What the server measured of the request before, and of its answer, is known; only the results are estimated.
        Where there are too many images in all, or too many bytes, the new images become words (rule 19).
        """
        scene = self._made.draft.scene
        sent = last.prompt + last.output if last.prompt else None
        if sent is None:
            more = [scene.estimator.content(message.content) for message in messages[1:]]
            sent = self._made.tokens + sum(scene.calibration.tokens(each.text, each.images) for each in more)
        left = scene.room - sent

        def fits(candidate: Sequence[Block]) -> bool:
            weight = scene.estimator.content(candidate)
            if scene.calibration.tokens(weight.text, weight.images) > left:
                return False
            whole = replace(scene, prompt=(*scene.prompt, *messages[1:], Message("user", tuple(candidate))))
            return not replace(self._made.draft, scene=whole).overflows

        if fits(found):
            return found
        for candidate in (found, _imageless(found)):
            if not fits(_cut(candidate, results.LEAST)):
                continue
            low, high = results.LEAST, max((len(part["text"]) for part in _texts(candidate)), default=0) + 1
            while high - low > results.LEAST:
                middle = (low + high) // 2
                low, high = (middle, high) if fits(_cut(candidate, middle)) else (low, middle)
            return _cut(candidate, low, self._caller.keep)
        return None

    def mend(self, error: ModelError) -> str:
        """Where a thought's signature was refused, the closed turns go out without thinking (rule 18), once."""
        if error.kind != "invalid" or "signature" not in str(error) or "thinking" not in str(error):
            return ""
        messages = [
            {**message, "content": [block for block in message["content"] if block["type"] not in THINKING]}
            for message in self._first["messages"]
        ]
        if self.unsigned or messages == self._first["messages"]:
            return ""
        self.unsigned = True
        self._first = {**self._first, "messages": [message for message in messages if message["content"]]}
        return "The server refused the signature of a thought: sent once more, without the thinking of earlier turns."


def _texts(found: Sequence[Block]) -> list[Block]:
    return [part for result in found for part in result["content"] if part["type"] == "text"]


def _imageless(found: Sequence[Block]) -> list[Block]:
    """The results with words in the place of images."""

    def words(part: Block) -> Block:
        return {"type": "text", "text": f"[image: {picture(part)}; there was no room for it]"}

    return [
        {**result, "content": [words(part) if part["type"] == "image" else part for part in result["content"]]}
        for result in found
    ]


def _cut(found: Sequence[Block], most: int, keep: results.Keep = lambda _text: None) -> list[Block]:
    """The results with every text cut to `most` characters."""
    return [
        {
            **result,
            "content": [
                {**part, "text": results.shortened(part["text"], most, keep)} if part["type"] == "text" else part
                for part in result["content"]
            ],
        }
        for result in found
    ]
