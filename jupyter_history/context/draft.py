"""A request in the making: a path and what the rungs did to it so far. Rungs make new drafts, never change one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from ..transcript import THINKING, Block, Message, turn_starts
from .budget import ANY_SIDE, MANY_IMAGES, MANY_SIDE, Budget, Policy, Profile
from .overlay import Place
from .stubs import dropped_image, elided_result
from .tokens import Calibration, Estimator, Weight

NOTHING = Weight(0.0)


class Measure(NamedTuple):
    """What a whole request costs: text before calibration, image tokens, images, longest edge, bytes."""

    text: float
    images: int
    pictures: int
    side: int
    bytes: int


@dataclass(frozen=True)
class Scene:
    """What does not change while a plan is made. Positions are those of `path`, the closed turns.

    `prompt` is the open turn: the new prompt and, inside a tool loop, what followed it. It is always sent verbatim.
    """

    path: tuple[Message, ...]
    prompt: tuple[Message, ...]
    profile: Profile
    budget: Budget
    policy: Policy
    calibration: Calibration
    estimator: Estimator
    fixed: float = 0.0
    """Estimated tokens of the system prompt and the tools."""
    fixed_bytes: int = 0
    pinned: frozenset[int] = frozenset()
    depth: int = 0
    """Turns that stand before the path (a resumed conversation that was cut)."""
    wall: bool = False
    """The provider has refused: take back all that can be."""

    @cached_property
    def starts(self) -> list[int]:
        return turn_starts(self.path)

    @cached_property
    def turns(self) -> list[int]:
        """For each message the depth of its turn from the root, from 1."""
        starts = set(self.starts)
        depth, turns = self.depth, []
        for n in range(len(self.path)):
            depth += n in starts
            turns.append(max(depth, self.depth + 1))
        return turns

    @cached_property
    def tags(self) -> list[str]:
        """For each message the name of its turn in stubs, pages and recall: T012."""
        names = {depth: f"T{depth:03d}" for depth in set(self.turns)}
        return [names[depth] for depth in self.turns]

    def tag(self, n: int) -> str:
        return self.tags[n]

    @cached_property
    def weights(self) -> list[Weight]:
        """What each message costs as it is stored."""
        return [self.estimator.message(message) for message in self.path]

    @cached_property
    def thoughts(self) -> list[int]:
        """The messages that hold thinking."""
        return [n for n, weight in enumerate(self.weights) if weight.thinking]

    def text_tokens(self, text: str) -> int:
        """The calibrated estimate for a text."""
        return self.calibration.tokens(self.estimator.text(text))

    @cached_property
    def room(self) -> int:
        return self.budget.room(self.profile)

    @cached_property
    def calls(self) -> dict[Place, Block]:
        """For each tool result, by place, the call it answers: calls are paired by position, ids may repeat."""
        found: dict[Place, Block] = {}
        for n, message in enumerate(self.path):
            if n and message.results:
                asked = {call["id"]: call for call in self.path[n - 1].calls}
                for b, block in enumerate(message.content):
                    if block["type"] == "tool_result" and block["tool_use_id"] in asked:
                        found[n, b, -1] = asked[block["tool_use_id"]]
        return found

    @cached_property
    def prompt_measure(self) -> Measure:
        weights = [self.estimator.content(message.content) for message in self.prompt]
        return add(weights, Measure(self.fixed, 0, 0, 0, self.fixed_bytes))


def add(weights: Iterable[Weight], start: Measure) -> Measure:
    text, images, count, side, size = start
    for weight in weights:
        text += weight.text
        size += weight.bytes
        if weight.count:
            images += weight.images
            count += weight.count
            side = max(side, weight.side)
    return Measure(text, images, count, side, size)


@dataclass(frozen=True)
class Digest:
    """A text in the place of the messages from `first` to `last`: a summary, or a line that names what recall holds."""

    first: int
    last: int
    text: str
    kind: str = "summary"
    by: str = ""
    """The model that wrote it."""
    anchor: int = -1
    """The position where it was decided."""


@dataclass(frozen=True)
class Section:
    """Pages in the place of the messages from `first` to `last`, as the blocks that are sent."""

    first: int
    last: int
    blocks: tuple[Block, ...]
    weight: Weight
    profile: str
    """Name of the page profile."""
    pages: tuple[Any, ...]
    on: dict[int, tuple[int, ...]]
    """For each message on pages, which ones, from 1."""
    drawn: dict[int, int]
    """For each message how many characters were drawn or kept as text in the section."""
    whole: frozenset[int]
    """The user prompts among them that stand as text behind the page that names them."""
    text: float
    """What the same messages cost as text, before calibration."""
    removed: int = 0
    """Characters that drawing leaves out by its published list."""


@dataclass(frozen=True)
class Draft:
    """What the rungs decided so far, and the request that results. Thinking is gone before position `stripped`."""

    scene: Scene
    elided: frozenset[Place] = frozenset()
    dropped: frozenset[Place] = frozenset()
    digest: Digest | None = None
    section: Section | None = None
    head: int | None = None
    """Characters of the first prompt that stay in the head; None: all of them."""
    stripped: int = 0
    written: bool = False
    """Whether a summary was written for this very prompt: one a turn, used or not."""
    _contents: dict[int, tuple[tuple[Block, ...], Weight]] = field(default_factory=dict, repr=False)
    """The messages that differ from the transcript."""

    # deciding

    def elide(self, places: Collection[Place]) -> Draft:
        return self if not places else self._with(self.elided | set(places), self.dropped, self.stripped)

    def drop(self, places: Collection[Place]) -> Draft:
        return self if not places else self._with(self.elided, self.dropped | set(places), self.stripped)

    def decide(self, elided: Collection[Place], dropped: Collection[Place], stripped: int) -> Draft:
        """All three at once."""
        return self._with(self.elided | set(elided), self.dropped | set(dropped), max(stripped, self.stripped))

    def strip(self, until: int) -> Draft:
        """Without any thinking before `until` (rule 18)."""
        return self._with(self.elided, self.dropped, until) if until > self.stripped else self

    def replaced(self, digest: Digest | None, section: Section | None, head: int | None) -> Draft:
        return replace(self, digest=digest, section=section, head=head)

    def _with(self, elided: frozenset[Place], dropped: frozenset[Place], stripped: int) -> Draft:
        """Decisions only ever add up, so only the messages that a new one touches are written anew."""
        scene = self.scene
        touched = {place[0] for place in (elided - self.elided) | (dropped - self.dropped)}
        touched.update(n for n in scene.thoughts if self.stripped <= n < stripped)
        changes: dict[int, list[Place]] = {n: [] for n in touched}
        for place in (*elided, *dropped):
            if place[0] in touched:
                changes[place[0]].append(place)
        contents = {
            n: scene.estimator.variant(
                scene.path[n],
                (scene.tag(n), tuple(sorted(places)), n < stripped, scene.policy.recall),
                partial(self._rewrite, n, elided, dropped, stripped),
            )
            for n, places in changes.items()
        }
        contents = {**self._contents, **contents}
        return replace(self, elided=elided, dropped=dropped, stripped=stripped, _contents=contents)

    def _rewrite(self, n: int, elided: frozenset[Place], dropped: frozenset[Place], stripped: int) -> tuple[Block, ...]:
        scene, tag = self.scene, self.scene.tag(n)
        blocks: list[Block] = []
        for b, block in enumerate(scene.path[n].content):
            if n < stripped and block["type"] in THINKING:
                continue
            if (n, b, -1) in elided:
                block = elided_result(block, scene.calls.get((n, b, -1)), tag, scene.policy.recall)
            elif (n, b, -1) in dropped:
                block = dropped_image(block, f"the prompt of {tag}")
            elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
                call = scene.calls.get((n, b, -1))
                where = f"the result of {call['name'] if call else 'a tool'} in {tag}"
                parts = [
                    dropped_image(part, where) if (n, b, c) in dropped else part
                    for c, part in enumerate(block["content"])
                ]
                block = {**block, "content": parts}
            blocks.append(block)
        return tuple(blocks)

    # reading

    def content(self, n: int) -> tuple[Block, ...]:
        changed = self._contents.get(n)
        return self.scene.path[n].content if changed is None else changed[0]

    def weight(self, n: int) -> Weight:
        changed = self._contents.get(n)
        return self.scene.weights[n] if changed is None else changed[1]

    @cached_property
    def hidden(self) -> range:
        """From the first position that a digest or pages stand for to the last: what is not head or tail."""
        parts = [part for part in (self.digest, self.section) if part is not None]
        return range(min(part.first for part in parts), max(part.last for part in parts) + 1) if parts else range(0)

    def covers(self, n: int) -> bool:
        """Whether a digest or pages stand for this message; pinned messages are shown all the same."""
        parts = (self.digest, self.section)
        covered = any(part is not None and part.first <= n <= part.last for part in parts)
        return covered and n not in self.scene.pinned

    @cached_property
    def shown(self) -> list[int]:
        """The positions that are sent as messages, in order."""
        if not self.hidden:
            return list(range(len(self.scene.path)))
        between = [n for n in self.hidden if not self.covers(n)]
        return [*range(self.hidden.start), *between, *range(self.hidden.stop, len(self.scene.path))]

    @cached_property
    def head_content(self) -> tuple[Block, ...]:
        """The first prompt, cut to what stays in the head."""
        return first_characters(self.content(0), self.head, self.scene.tag(0))

    @cached_property
    def measure(self) -> Measure:
        estimator, stored, changed = self.scene.estimator, self.scene.weights, self._contents
        weights = [changed[n][1] if n in changed else stored[n] for n in self.shown]
        if weights and self.hidden and self.head is not None:
            weights[0] = estimator.content(self.head_content)
        if self.digest is not None:
            weights.append(Weight(estimator.text(self.digest.text), bytes=len(self.digest.text.encode()) + 32))
        if self.section is not None:
            weights.append(self.section.weight)
        return add(weights, self.scene.prompt_measure)

    @cached_property
    def tokens(self) -> int:
        """The calibrated estimate of the whole request."""
        return self.scene.calibration.tokens(self.measure.text, self.measure.images)

    @cached_property
    def overflows(self) -> tuple[str, ...]:
        """Which of the provider's limits other than the window this request breaks (rule 19)."""
        budget, profile, measure = self.scene.budget, self.scene.profile, self.measure
        wrong = []
        if measure.pictures > budget.images_of(profile):
            wrong.append(f"{measure.pictures} images of {budget.images_of(profile)}")
        if measure.pictures > MANY_IMAGES and measure.side > MANY_SIDE:
            wrong.append(f"an edge of {measure.side} pixels among more than {MANY_IMAGES} images (limit {MANY_SIDE})")
        if measure.side > ANY_SIDE:
            wrong.append(f"an image edge of {measure.side} pixels (limit {ANY_SIDE})")
        if measure.bytes > budget.bytes:
            wrong.append(f"{measure.bytes / 1e6:.1f} MB of {budget.bytes / 1e6:.1f} MB")
        if self.section is not None and self.section.weight.bytes > budget.page_bytes:
            wrong.append(f"{self.section.weight.bytes / 1e6:.1f} MB of pages of {budget.page_bytes / 1e6:.1f} MB")
        return tuple(wrong)

    def wire(self) -> list[dict[str, Any]]:
        """The messages of the request: head, pinned, digest, pages, tail, prompt; neighbours of one role are merged."""
        messages: list[dict[str, Any]] = []
        pending: list[tuple[int, Sequence[Block]]] = []
        if self.digest is not None:
            pending.append((self.digest.last, ({"type": "text", "text": self.digest.text},)))
        if self.section is not None:
            pending.append((self.section.last, self.section.blocks))
        for n in self.shown:
            while pending and n > pending[0][0]:
                _append(messages, "user", pending.pop(0)[1])
            content = self.head_content if n == 0 and self.hidden else self.content(n)
            _append(messages, self.scene.path[n].role, content)
        for _, blocks in pending:
            _append(messages, "user", blocks)
        for message in self.scene.prompt:
            _append(messages, message.role, message.content)
        return messages


def _append(messages: list[dict[str, Any]], role: str, content: Sequence[Block]) -> None:
    if not content:
        return
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] = [*messages[-1]["content"], *content]
    else:
        messages.append({"role": role, "content": list(content)})


GOES_ON = "\n[the first prompt goes on below, at {tag}]"


def first_characters(content: tuple[Block, ...], most: int | None, tag: str) -> tuple[Block, ...]:
    """The blocks with only their first `most` characters of text; other blocks stay."""
    if most is None:
        return content
    left = most
    kept: list[Block] = []
    for block in content:
        if block["type"] == "text":
            if left <= 0:
                continue
            text = block["text"]
            if len(text) > left:
                text = text[:left].rstrip() + GOES_ON.format(tag=tag)
            left -= len(block["text"])
            if text.strip():
                kept.append({**block, "text": text})
        else:
            kept.append(block)
    return tuple(kept)


def beyond(content: tuple[Block, ...], most: int | None) -> str:
    """The text that `first_characters` leaves out."""
    if most is None:
        return ""
    left, rest = most, []
    for block in content:
        if block["type"] == "text":
            if len(block["text"]) > left:
                rest.append(block["text"][max(0, left) :])
            left -= len(block["text"])
    return "\n\n".join(rest)
