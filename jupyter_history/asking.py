"""One prompt asked: planned, sent, and where the provider refuses it as too large, planned and sent once more.

Invariant: what is sent is what the plan says, and what the plan decided is kept before it is sent, so that a later
look at the turn shows the request as it was (rules 10, 14, 23).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .context import recall
from .context.budget import RUNGS, Budget, Cache, Policy, Rung
from .context.overlay import Overlay
from .context.plan import Plan, plan
from .context.request import body
from .context.summary import Need
from .context.tokens import Calibration, Estimator
from .context.wall import Wall
from .errors import ChatError, ModelError, TooLarge
from .exchange import Exchange, converse
from .model import catalog
from .model.events import Text
from .progress import Note, Watch, unwatched
from .transcript import Block, Message, TurnRecord, Usage

if TYPE_CHECKING:
    from .model.client import Client

WARM = 300.0
"""Seconds that a provider keeps a cached prefix after its last use."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What one prompt is asked with, defaults filled in. `explicit`: the ladder was written for this prompt itself."""

    model: str
    system: str | None = None
    max_tokens: int | None = None
    ladder: str = "auto"
    window: int | None = None
    explicit: bool = False

    @property
    def profile(self) -> catalog.Profile:
        return catalog.profile(self.model)

    @property
    def budget(self) -> Budget:
        return Budget(window=self.window, answer=self.max_tokens)

    @property
    def policy(self) -> Policy:
        # a server nobody knows may refuse any tool at all
        return Policy.named(self.ladder, inherit=not self.explicit, recall=self.profile.known)

    @property
    def room(self) -> int:
        """`max_tokens` of the request."""
        return min(self.budget.answer_room(self.profile), self.profile.max_output)


@dataclass(frozen=True, slots=True)
class Answered:
    """An exchange, and the plan of the request that began it. `spent`: tokens of the summaries written for it."""

    exchange: Exchange
    plan: Plan
    spent: Usage


@dataclass
class Asker:
    """Asks for one conversation, and keeps what makes its plans cheap and true: weights, calibration, decisions.

    `decide` stores new decisions and is told of them before anything is sent; `decisions` lists all of them.
    """

    client: Client
    decisions: Callable[[], Sequence[Overlay]]
    decide: Callable[[Sequence[Overlay]], None]
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    _estimators: dict[tuple[str, str], Estimator] = field(default_factory=dict)
    _warm: dict[str, tuple[float, int]] = field(default_factory=dict)

    # -- planning -------------------------------------------------------------------------------------------------

    def plan(
        self,
        path: Sequence[TurnRecord],
        opened: Sequence[Message],
        terms: Terms,
        *,
        pinned: Collection[str] = (),
        now: Rung | None = None,
        budget: Budget | None = None,
        **more: Any,
    ) -> Plan:
        """The plan for sending `opened` (a prompt, as messages) after `path`. Calls no model, stores nothing."""
        profile, policy = terms.profile, terms.policy
        key = profile.tokenizer, profile.tier
        estimator = self._estimators.setdefault(key, Estimator(profile.tokenizer, profile.tier))
        return plan(
            [message for turn in path for message in turn.messages],
            list(opened),
            profile,
            budget or terms.budget,
            policy,
            self.decisions(),
            more.pop("calibration", None) or self.calibrations.get(terms.model),
            system=terms.system,
            tools=[recall.DEFINITION] if policy.recall and policy.rungs else [],
            estimator=estimator,
            pinned=pinned,
            cache=self._cache(path, terms.model),
            epochs={turn.id: str(turn.inherited.get("epoch", "")) for turn in path},
            now=now,
            **more,
        )

    def _cache(self, path: Sequence[TurnRecord], model: str) -> Cache:
        """What the provider still holds of the last request, and how fast this path grows."""
        when, tokens = self._warm.get(model, (0.0, 0))
        growth = path[-1].context / len(path) if path else 0.0
        return Cache(tokens if time.monotonic() - when < WARM else 0, growth)

    # -- asking ---------------------------------------------------------------------------------------------------

    def ask(
        self,
        path: Sequence[TurnRecord],
        turn: str,
        prompt: Sequence[Block],
        terms: Terms,
        *,
        pinned: Collection[str] = (),
        watch: Watch = unwatched,
    ) -> Answered:
        """Send `prompt` after `path`. Raises ChatError with nothing kept, KeyboardInterrupt where nothing had come."""
        opened = [Message("user", tuple(prompt), turn, 0)]

        def planned(**more: Any) -> Plan:
            return self.plan(path, opened, terms, pinned=pinned, **more)

        spent = Usage()
        made = self._measured(planned(), planned, terms)
        made, used = self._summarised(made, planned, terms, watch)
        spent += used
        made.check()
        wall = Wall()
        while True:
            self._settle(made, watch)
            try:
                exchange = self._converse(made, prompt, turn, terms, watch)
                break
            except TooLarge as error:
                wall, then = wall.refused(made, error)
                if isinstance(then, TooLarge):
                    raise then from error
                watch(Note(then.note + "."))
                retried = planned(calibration=then.calibration, budget=then.budget, wall=True)
                hopeless = wall.replanned(made, retried)
                if hopeless is not None:
                    raise hopeless from error
                self.calibrations[terms.model] = then.calibration

                def again(budget: Budget = then.budget, **more: Any) -> Plan:
                    return planned(budget=budget, wall=True, **more)

                made, used = self._summarised(retried, again, terms, watch)
                spent += used
                made.check()
        self._learn(made, exchange, terms)
        return Answered(exchange, made, spent)

    def write_summary(self, need: Need, terms: Terms, watch: Watch) -> tuple[Overlay, Usage]:
        """Run the model calls of a summary, in order; the decision to keep, and what it cost."""
        told, used = "", Usage()
        for part in range(len(need.parts)):
            which = f"part {part + 1} of {len(need.parts)}"
            watch(Note(f"Writing a summary of {need.first_tag} to {need.last_tag}: {which}."))
            request = {"model": terms.model, "max_tokens": need.max_tokens, "messages": need.messages(part, told)}
            pieces: list[str] = []
            stream = self.client.stream(request)
            with stream:
                pieces += [event.text for event in stream if isinstance(event, Text)]
            used += stream.usage
            told = "".join(pieces).strip()
            if not told:
                raise ModelError("The model wrote no summary; nothing was sent after it.", kind="server")
        return need.overlay(told, model=terms.model, created=time.time()), used

    # -- the parts ------------------------------------------------------------------------------------------------

    def _measured(self, made: Plan, planned: Callable[..., Plan], terms: Terms) -> Plan:
        """Near the limit the server's own count takes the estimate's place, where it has one.

        The offline reader stands in for a server that cannot count ahead: with it, refusals happen for real.
        """
        if not made.count_first or made.problem or catalog.is_offline(terms.model):
            return made
        counted = self.client.count(self.body(made, terms))
        if counted is None:
            return made
        self.calibrations[terms.model] = made.learn(counted)
        return planned()

    def _summarised(
        self, made: Plan, planned: Callable[..., Plan], terms: Terms, watch: Watch
    ) -> tuple[Plan, Usage]:
        """The plan with the summary that it needs, written and kept: paid for once."""
        if made.need is None:
            return made, Usage()
        try:
            overlay, used = self.write_summary(made.need, terms, watch)
        except ChatError as error:
            watch(Note(f"No summary could be written: {error}"))
            return planned(summarise=False), Usage()
        self.decide([overlay])
        return planned(), used

    def _settle(self, made: Plan, watch: Watch) -> None:
        """Keep what was decided, and say it."""
        if made.overlays:
            now = time.time()
            self.decide([replace(overlay, created=overlay.created or now) for overlay in made.overlays])
        for taken in made.rungs:
            if taken.applied and taken.why.startswith("decided now"):
                lost = f" ({taken.lost})" if taken.lost else ""
                watch(Note(f"The ladder: {taken.rung} took back {taken.back:,} of {taken.before:,} tokens{lost}."))
        for note in made.notes:
            watch(Note(note))

    def _converse(self, made: Plan, prompt: Sequence[Block], turn: str, terms: Terms, watch: Watch) -> Exchange:
        first = self.body(made, terms)

        def request(messages: Sequence[Message]) -> dict[str, Any]:
            return body(first, messages[1:])

        tools = Recall(made) if first.get("tools") else None
        return converse(self.client, request, prompt, turn=turn, watch=watch, tools=tools)

    def body(self, made: Plan, terms: Terms) -> dict[str, Any]:
        """The request that a plan makes, as it goes to the client."""
        request: dict[str, Any] = {"model": terms.model, "max_tokens": terms.room, "messages": made.messages}
        if made.system:
            request["system"] = made.system
        if made.tools:
            request["tools"] = [dict(tool) for tool in made.tools]
        return body(request)

    def _learn(self, made: Plan, exchange: Exchange, terms: Terms) -> None:
        """Correct the estimates by the server's own count of the request, and remember what it cached."""
        if exchange.first.prompt:
            self.calibrations[terms.model] = made.learn(exchange.first.prompt)
        cached = exchange.last.cache_read + exchange.last.cache_write + exchange.last.cache_write_1h
        self._warm[terms.model] = (time.monotonic(), cached)


class Recall:
    """Answers the model's `recall` calls from the transcript: exact words, whatever pages and stubs show."""

    def __init__(self, made: Plan) -> None:
        self._scene = made.draft.scene
        self._spent = 0

    def run(self, name: str, arguments: Mapping[str, Any]) -> tuple[list[Block], bool]:
        """The text of a turn; an error for any other tool."""
        if name != recall.DEFINITION["name"]:
            return [{"type": "text", "text": f"There is no tool {name!r}; there is recall."}], True
        text, wrong = recall.answer(self._scene, arguments, self._spent)
        self._spent += self._scene.text_tokens(text)
        return [{"type": "text", "text": text or "(empty)"}], wrong


def took(made: Plan) -> dict[str, list[int]]:
    """For each rung that holds on this request, its tokens before and after: what a turn remembers of its ladder."""
    return {taken.rung: [taken.before, taken.after] for taken in made.rungs if taken.applied}


__all__ = ["RUNGS", "Answered", "Asker", "Recall", "Terms", "took"]
