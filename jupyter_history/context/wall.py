"""At the wall: the provider itself refused the request as too large (rule 14). One retry, never a loop.

A pure state machine. The caller sends a plan; on `TooLarge` it asks `refused`, which gives either the figures to plan
with again (with `wall=True`) or the error to raise; `replanned` says whether the new plan is worth sending. Where the
new plan needs a summary, the caller runs it, plans once more, and sends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..errors import TooLarge
from .budget import Budget
from .plan import Plan
from .tokens import Calibration

HEAVY = 4_000_000
"""Bytes from which on a refusal without figures may mean the bytes and not the tokens."""


@dataclass(frozen=True, slots=True)
class Again:
    """What to plan the one retry with: `plan(..., calibration, budget, wall=True)`. `note` says what is happening."""

    calibration: Calibration
    budget: Budget
    note: str


@dataclass(frozen=True, slots=True)
class Wall:
    """How often this turn's request was refused, and what the provider said: a new one for each turn."""

    refusals: tuple[str, ...] = ()

    def refused(self, sent: Plan, error: TooLarge) -> tuple[Wall, Again | TooLarge]:
        """After `sent` was refused: the next state, and what to plan with, or the error that ends the turn."""
        said = _said(error)
        state = Wall((*self.refusals, said))
        if self.refusals:
            return state, _give_up(state, sent, "the provider refused the smaller request too")
        if len(sent.draft.scene.prompt) > 1:
            return state, _give_up(state, sent, "a tool loop is open, in which nothing already sent is rewritten")
        if not sent.draft.scene.policy.rungs:
            return state, _give_up(state, sent, "the ladder is off")
        return state, _recalibrated(sent, error, said)

    def replanned(self, sent: Plan, retry: Plan) -> TooLarge | None:
        """None if `retry` may be sent (after its summary, if it needs one), else the error that ends the turn."""
        if retry.problem is not None:
            return TooLarge(retry.problem, tokens=retry.tokens, limit=retry.window)
        if retry.need is not None:
            return None
        calibration = retry.draft.scene.calibration
        before, after = sent.draft.measure, retry.draft.measure
        smaller = calibration.tokens(after.text, after.images) < calibration.tokens(before.text, before.images)
        if not smaller and after.bytes >= before.bytes:
            return _give_up(self, retry, "the ladder could take nothing more back")
        if retry.tokens > retry.window:
            return _give_up(self, retry, f"what is left is still about {retry.tokens:,} tokens")
        return None


def _recalibrated(sent: Plan, error: TooLarge, said: str) -> Again:
    """The provider's own figures where it gave any; without them half of what was sent is the new limit. A window that
    the user gave stays where it is smaller."""
    scene, measure = sent.draft.scene, sent.draft.measure
    budget, calibration = scene.budget, scene.calibration
    window = min(sent.window, error.limit) if error.limit else sent.window
    if error.tokens:
        calibration = calibration.exactly(error.tokens, measure.text, measure.images)
        if not error.limit:
            window = min(window, error.tokens - 1)
        return Again(
            calibration, replace(budget, window=max(1, window)), f"{said}; taking context back and asking again"
        )
    if error.limit:
        # refused at this limit, so it was at least a little more than that
        calibration = calibration.exactly(max(sent.tokens, error.limit * 11 // 10), measure.text, measure.images)
        return Again(calibration, replace(budget, window=window), f"{said}; taking context back and asking again")
    answer = budget.answer_room(scene.profile)
    # pages are more bytes than the text they replace: bytes are halved only where they may be what was refused
    heavy = error.status == 413 or measure.bytes > HEAVY
    halved = replace(
        budget,
        window=min(window, sent.tokens // 2 + answer),
        answer=answer,
        bytes=min(budget.bytes, measure.bytes // 2) if heavy else budget.bytes,
    )
    return Again(calibration, halved, f"{said}; halving the request and asking again")


def _said(error: TooLarge) -> str:
    if error.tokens and error.limit:
        return f"The provider measured {error.tokens:,} tokens, of {error.limit:,}"
    if error.limit:
        return f"The provider refused the request as too large, with a limit of {error.limit:,} tokens"
    return "The provider refused the request as too large, without figures"


def _give_up(state: Wall, last: Plan, why: str) -> TooLarge:
    """One line: what happened, what was tried, what was kept, what to do."""
    tried = [f"{rung.rung} took back {rung.back:,}" for rung in last.rungs if rung.applied]
    said = state.refusals[-1] if state.refusals else "The request is too large"
    return TooLarge(
        f"{said}: {why}. Tried: {', '.join(tried) or 'no rung applied'}. The prompt is in its cell and the "
        "conversation is as it was. Shorten the prompt, branch from an earlier turn, or choose a larger window.",
        tokens=last.tokens,
        limit=last.window,
    )
