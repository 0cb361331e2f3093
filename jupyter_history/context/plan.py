"""What is sent, and why: path + model + budget + policy -> a plan that can be looked at. Pure; calls no model.

The rungs run cheapest first on a draft of the request; each is taken only if it makes the request smaller. What was
decided comes back as overlays for the caller to store, so that the next plan on this path starts from the same prefix.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import TooLarge
from ..transcript import Block, Message
from . import elision, images, inherit, snapshot, summary
from .budget import RUNGS, Budget, Cache, Policy, Profile, Rung
from .draft import Draft, Scene
from .economics import Rewrite, rewrite
from .overlay import Overlay
from .report import Row, Taken, rows, taken
from .summary import Need
from .tokens import Calibration, Estimator


@dataclass(frozen=True)
class Plan:
    """A request and the account of how it came to be. `overlays` are new decisions, to be stored with the turn."""

    draft: Draft
    system: list[Block]
    tools: tuple[Mapping[str, Any], ...]
    rungs: tuple[Taken, ...]
    overlays: tuple[Overlay, ...]
    need: Need | None = None
    """A summary that has to be written first: run it, store its overlay, and plan again; this plan is not sent."""
    rewrite: Rewrite | None = None
    """What the new decisions cost where the cache is warm."""
    problem: str | None = None
    """Why nothing can be sent, in one line; None if it can."""
    notes: tuple[str, ...] = ()

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages in the form that is sent."""
        return self.draft.wire()

    @property
    def rows(self) -> list[Row]:
        """Every message of the path, with its disposition."""
        return rows(self.draft)

    @property
    def tokens(self) -> int:
        """The calibrated estimate of the whole request."""
        return self.draft.tokens

    @property
    def room(self) -> int:
        return self.draft.scene.room

    @property
    def window(self) -> int:
        return self.draft.scene.budget.window_of(self.draft.scene.profile)

    @property
    def pages(self) -> tuple[Any, ...]:
        return self.draft.section.pages if self.draft.section is not None else ()

    @property
    def fits(self) -> bool:
        return self.tokens <= self.room and not self.draft.overflows

    @property
    def count_first(self) -> bool:
        """Whether the estimate is near enough to the window that asking the server to count is worth a call."""
        return self.tokens > 0.7 * self.room

    @property
    def epoch(self) -> str:
        """Names the form in which the closed turns are sent: thinking signed under another epoch is no longer valid."""
        return inherit.epoch(self.draft, self.system, self.tools)

    def check(self) -> Plan:
        """This plan, if it can be sent. Raises TooLarge with the one line that says why not."""
        if self.problem is not None:
            raise TooLarge(self.problem, tokens=self.tokens, limit=self.window)
        return self

    def learn(self, measured: int) -> Calibration:
        """The calibration after the server measured this request at so many prompt tokens, cached ones included."""
        return self.draft.scene.calibration.learn(measured, self.draft.measure.text, self.draft.measure.images)


def plan(
    path: Sequence[Message],
    prompt: str | Message | Sequence[Message],
    profile: Profile,
    budget: Budget | None = None,
    policy: Policy | None = None,
    overlays: Iterable[Overlay] = (),
    calibration: Calibration | None = None,
    *,
    system: str | Sequence[Block] | None = None,
    tools: Sequence[Mapping[str, Any]] = (),
    estimator: Estimator | None = None,
    pinned: Collection[str] = (),
    depth: int = 0,
    cache: Cache | None = None,
    epochs: Mapping[str, str] | None = None,
    now: Rung | None = None,
    wall: bool = False,
    summarise: bool = True,
) -> Plan:
    """Plan the request that sends `prompt` after `path`.

    `path`: the messages of the closed turns, in order. `prompt`: the new prompt, or all messages of the open turn so
    far; where that holds more than the prompt, a tool loop is open and nothing is decided anew. `overlays`: every
    decision stored with the conversation; those that do not hold here are ignored. `estimator`: the session's, so that
    messages are weighed once. `pinned`: ids of messages that stay verbatim. `depth`: turns that stand before `path`.
    `epochs`: turn id -> `Plan.epoch` under which its thinking was signed. `now`: run this rung whatever the size.
    `wall`: the provider has refused. `summarise`: False where no summary can be written now.
    """
    budget, policy = budget or Budget(), policy or Policy()
    calibration, cache = calibration or Calibration(), cache or Cache()
    estimator = estimator or Estimator(profile.tokenizer, profile.tier)
    instructions = _system(system)
    if isinstance(prompt, str):
        prompt = Message("user", ({"type": "text", "text": prompt},))
    opened = (prompt,) if isinstance(prompt, Message) else tuple(prompt)
    scene = Scene(
        path=tuple(path),
        prompt=opened,
        profile=profile,
        budget=budget,
        policy=policy,
        calibration=calibration,
        estimator=estimator,
        fixed=sum(estimator.text(str(block.get("text", ""))) for block in instructions) + estimator.tools(tools),
        fixed_bytes=len(json.dumps([instructions, list(tools)], ensure_ascii=False).encode("utf-8", "replace")),
        pinned=_pinned(path, pinned),
        depth=depth,
        wall=wall,
    )
    stored = list(overlays)
    # decisions made for this very prompt hold whatever the policy: siblings share them (rule 10)
    held = [each for each in stored if policy.inherit or (path and each.anchor == path[-1].id)]
    base = inherit.apply(scene, held)
    base = base.strip(inherit.stale(base, stored, epochs, instructions, tools))
    decided = _decide(scene, base, held, cache, now, summarise)
    return replace(decided, system=instructions, tools=tuple(tools), problem=_problem(decided))


def _decide(
    scene: Scene, base: Draft, held: Sequence[Overlay], cache: Cache, now: Rung | None, summarise: bool
) -> Plan:
    """Run the rungs that are due, and account for them."""
    why = _not_due(scene, base, now)
    if why:
        return _account(base, base, dict.fromkeys(RUNGS, why))
    adopted = inherit.adopt(base, held)
    if adopted is not base and not _not_due(scene, adopted, now):
        base = adopted
    elif adopted is not base:
        return _account(adopted, base, dict.fromkeys(RUNGS, "not needed: a stored summary is enough"))
    draft, reasons, need = _climb(scene, base, now, summarise)
    if draft is base and need is None:
        return _account(base, base, reasons)
    cost = _rewrite(base, draft, cache)
    if scene.policy.name == "auto" and now is None and not scene.wall and not base.overflows:
        if base.tokens < scene.budget.wait * scene.room and cost is not None and cost.waits:
            waiting = _account(base, base, dict.fromkeys(RUNGS, f"waits: {cost}"), rewrite=cost)
            return replace(waiting, notes=(f"The ladder waits while the cache is warm: {cost}.",))
        gain = base.tokens - draft.tokens
        if need is None and gain < scene.policy.least * scene.room and base.tokens <= scene.room:
            small = f"not applied: all rungs together would take back {gain:,} tokens, too few for a new prefix"
            return _account(base, base, dict.fromkeys(RUNGS, small))
    return _account(draft, base, reasons, need=need, rewrite=cost)


def _not_due(scene: Scene, base: Draft, now: Rung | None) -> str:
    """Why no rung is to run; empty if one is."""
    if not scene.path:
        return "not applicable: there is no history yet"
    if len(scene.prompt) > 1:
        return "not inside an open tool loop: nothing already sent is rewritten there"
    if not scene.policy.rungs and now is None:
        return "the ladder is off"
    if scene.wall or now is not None or base.overflows:
        return ""
    start = round(scene.budget.start * scene.room)
    return "" if base.tokens > start else f"not needed: {base.tokens:,} tokens, it starts over {start:,}"


def _climb(scene: Scene, base: Draft, now: Rung | None, summarise: bool) -> tuple[Draft, dict[str, str], Need | None]:
    """The draft after all rungs that are due, for each rung why it was (not) taken, and the summary that is needed."""
    stop = round(scene.budget.stop * scene.room)
    full = scene.wall or now is not None or base.tokens > round(scene.budget.start * scene.room)
    if not full:
        stop = max(stop, base.tokens + 1)  # a limit on images or bytes alone is no reason to take tokens back
    reasons: dict[str, str] = {}
    draft, whole = base, len(scene.path)
    allowed = (now,) if now is not None else scene.policy.rungs
    for rung in RUNGS[:3]:
        stripped = draft.strip(whole)  # a rewrite strips thinking anyway: that alone is no reason for a rung
        if rung not in allowed:
            reasons[rung] = "not in this ladder" if now is None else f"only {now} was asked for"
            continue
        heavy = draft.measure.bytes > scene.budget.bytes
        needed = full or heavy if rung == "elision" else draft.tokens >= stop or bool(draft.overflows)
        if now is None and not needed:
            reasons[rung] = f"not needed: {draft.tokens:,} tokens, under {stop:,}"
            continue
        if rung == "elision":
            candidate, reason = stripped.elide(elision.eligible(stripped)), "no result is old, uneventful and large"
        elif rung == "images":
            candidate = images.drop_old(stripped, 0 if now else stop)
            reason = "no image is old enough"
        else:
            told = "summary" in allowed and summarise
            candidate, reason = snapshot.propose(stripped, summarise=told, stub=scene.wall or not summarise)
        if candidate is stripped:
            reasons[rung] = f"not applied: {reason}"
            continue
        if candidate.tokens >= stripped.tokens and not _relieves(stripped, candidate):
            reasons[rung] = f"not applied: {candidate.tokens:,} tokens are not fewer than {stripped.tokens:,}"
            continue
        draft, reasons[rung] = candidate, ""
    need, reasons["summary"] = summary.due(draft, allowed, now, summarise)
    return draft, reasons, need


def _relieves(before: Draft, after: Draft) -> bool:
    """Whether `after` breaks fewer of the other limits: then it is taken even where tokens stay the same."""
    return len(after.overflows) < len(before.overflows)


def _account(
    draft: Draft, base: Draft, reasons: Mapping[str, str], *, need: Need | None = None, rewrite: Rewrite | None = None
) -> Plan:
    return Plan(
        draft=draft,
        system=[],
        tools=(),
        rungs=taken(draft, base, reasons, need),
        overlays=inherit.decided(draft, base) if need is None else (),
        need=need,
        rewrite=rewrite,
    )


def _rewrite(base: Draft, draft: Draft, cache: Cache) -> Rewrite | None:
    """The economics of going from `base` to `draft`."""
    first = inherit.first_edit(base, draft)
    if first is None:
        return None
    scene = base.scene
    ahead = scene.fixed + sum(base.weight(n).text for n in base.shown if n < first)
    pictures = sum(base.weight(n).images for n in base.shown if n < first)
    before_edit = scene.calibration.tokens(ahead, pictures)
    old, new = base.section, draft.section
    if old is not None and new is not None and old.first == new.first == first:
        # pages that only grow: the sealed ones stay in the cache
        sealed = sum(page.sealed for page in old.pages) / max(1, len(old.pages))
        before_edit += round(sealed * scene.calibration.tokens(old.weight.text, old.weight.images))
    return rewrite(
        taken=base.tokens - draft.tokens,
        behind=max(0, draft.tokens - before_edit),
        price=scene.profile.price,
        cached=cache.tokens,
        before_edit=before_edit,
        now=base.tokens,
        limit=round(scene.budget.wait * scene.room),
        growth=cache.growth,
    )


def _problem(made: Plan) -> str | None:
    """The one line that stops a request before it is sent."""
    draft, scene = made.draft, made.draft.scene
    alone = scene.prompt_measure
    tokens = scene.calibration.tokens(alone.text, alone.images)
    doubt = 1.05 if scene.calibration.seen else scene.budget.doubt
    if tokens > doubt * scene.room:
        return (
            f"This prompt alone is about {tokens:,} tokens, with what is sent beside it; the model has room for "
            f"{scene.room:,}. Nothing was sent. Shorten it, or choose a model with a larger window."
        )
    if made.need is None and draft.overflows:
        # where the prompt alone is over, no ladder helps
        hopeless = alone.pictures > scene.budget.images_of(scene.profile) or alone.bytes > scene.budget.bytes
        advice = "Take images" if hopeless else "Let the ladder run (--ladder auto), or take images"
        return f"The request would carry {' and '.join(draft.overflows)}. Nothing was sent. {advice} out of the prompt."
    return None


def _system(system: str | Sequence[Block] | None) -> list[Block]:
    if not system or (isinstance(system, str) and not system.strip()):
        return []
    return [{"type": "text", "text": system}] if isinstance(system, str) else [dict(block) for block in system]


def _pinned(path: Sequence[Message], ids: Collection[str]) -> frozenset[int]:
    """The positions of pinned messages; a call is pinned with its results and results with their call."""
    if not ids:
        return frozenset()
    found = {n for n, message in enumerate(path) if message.id in ids}
    for n in tuple(found):
        if path[n].calls and n + 1 < len(path):
            found.add(n + 1)
        if path[n].results and n:
            found.add(n - 1)
    return frozenset(found)
