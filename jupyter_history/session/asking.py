"""One prompt asked: planned, sent, and where the provider refuses it as too large, planned and sent once more.

Invariant: what is sent is what the plan says, and what the plan decided is kept before it is sent, so that a later
look at the turn shows the request as it was (rules 10, 14, 23).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .. import pages
from ..context import recall
from ..context.budget import RUNGS, Budget, Cache, Policy, Rung
from ..context.overlay import Overlay
from ..context.plan import Plan, plan
from ..context.report import Taken
from ..context.request import body
from ..context.summary import Need
from ..context.tokens import Calibration, Estimator
from ..context.wall import Wall
from ..errors import ChatError, ModelError, TooLarge
from ..model import catalog
from ..model.events import Text
from ..progress import Note, Watch, unwatched
from ..tools.calling import Caller
from ..tools.limits import Limits
from ..transcript import Block, Message, TurnRecord, Usage
from .exchange import Exchange, converse
from .rounds import Rounds
from .shelf import StoreShelf

if TYPE_CHECKING:
    from ..model.client import Client

UNSIGNED = "unsigned"
"""What a turn notes (in `inherited`) whose request was refused for a thought's signature: what stands before it is sent
without thinking from then on."""
PAID = "paid"
"""What the decision for a summary keeps (in `payload`) that was written for no turn: model, usage, cost."""
WARM = 300.0
"""Seconds that a provider keeps a cached prefix after its last use."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What one prompt is asked with, defaults filled in. `explicit`: the ladder was written for this prompt itself.

    `tools`: definitions of the tools it is given, besides `recall`.
    """

    model: str
    system: str | None = None
    max_tokens: int | None = None
    ladder: str = "auto"
    window: int | None = None
    explicit: bool = False
    tools: tuple[Mapping[str, Any], ...] = ()
    pages: str | None = None
    """The page profile of new snapshots; None: by model."""

    @property
    def profile(self) -> catalog.Profile:
        return catalog.profile(self.model)

    @property
    def budget(self) -> Budget:
        return Budget(window=self.window, answer=self.max_tokens)

    @property
    def policy(self) -> Policy:
        # a server nobody knows may refuse any tool at all
        named = Policy.named(self.ladder, inherit=not self.explicit, recall=self.profile.known)
        return replace(named, pages=self.pages)

    @property
    def offered(self) -> list[Mapping[str, Any]]:
        """The definitions of all tools: recall first, where there is anything that it could show."""
        policy = self.policy
        recalls = policy.recall and bool(policy.rungs or self.tools)
        return [*([recall.DEFINITION] if recalls else []), *self.tools]

    @property
    def room(self) -> int:
        """`max_tokens` of the request."""
        return min(self.budget.answer_room(self.profile), self.profile.max_output)


@dataclass
class Bill:
    """What asking one prompt used, whatever became of it: each request as the server counted it, summaries included."""

    model: str
    requests: list[Usage] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        return sum(self.requests, Usage())

    @property
    def cost(self) -> float | None:
        """Dollars: the price of some models depends on the size of each request."""
        return catalog.total(self.model, self.requests)

    def __str__(self) -> str:
        """A sentence for what came to nothing; "" where it cost nothing."""
        if not self.cost:
            return ""
        return f"It cost ${self.cost:.4f}." if self.cost >= 0.0001 else "It cost less than $0.0001."


@dataclass(frozen=True, slots=True)
class Answered:
    """An exchange, the plan of the request that began it, and what all requests used.

    `unsigned`: the provider refused a signature, and thinking was left out.
    """

    exchange: Exchange
    plan: Plan
    bill: Bill
    unsigned: bool = False


@dataclass
class Asker:
    """Asks for one conversation, and keeps what makes its plans cheap and true: weights, calibration, decisions.

    `decide` stores new decisions and is told of them before anything is sent; `decisions` lists all of them.
    """

    client: Client
    decisions: Callable[[], Sequence[Overlay]]
    decide: Callable[[Sequence[Overlay]], None]
    shelf: StoreShelf
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    windows: dict[str, int | None] = field(default_factory=dict)
    """What refusals showed of a model's window, where it is smaller than it was said to be."""
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
        with pages.kept_on(self.shelf):
            return plan(
                [message for turn in path for message in turn.messages],
                list(opened),
                profile,
                budget or self._budget(terms),
                policy,
                self.decisions(),
                more.pop("calibration", None) or self.calibrations.get(terms.model),
                system=terms.system,
                tools=terms.offered,
                estimator=estimator,
                pinned=pinned,
                cache=self._cache(path, terms.model),
                epochs=_epochs(path),
                now=now,
                **more,
            )

    def _budget(self, terms: Terms) -> Budget:
        """The user's window, else what refusals showed of the model's."""
        budget = terms.budget
        return budget if budget.window is not None else replace(budget, window=self.windows.get(terms.model))

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
        caller: Caller | None = None,
        limits: Limits | None = None,
        until: Callable[[], bool] = lambda: False,
        pinned: Collection[str] = (),
        depth: int = 0,
        watch: Watch = unwatched,
        bill: Bill | None = None,
    ) -> Answered:
        """Send `prompt` after `path`. Raises ChatError with nothing kept, KeyboardInterrupt where nothing had come.

        `caller` runs the model's calls, within `limits`; `until` ends the turn after a round of them. `depth`: turns
        that stand before `path`. `bill` gets what every request used, also of an attempt that fails.
        """
        bill = bill or Bill(terms.model)
        self.client.learn_limits(terms.model)
        opened = [Message("user", tuple(prompt), turn, 0)]
        caller = caller or Caller({})

        def planned(**more: Any) -> Plan:
            return self.plan(path, opened, terms, pinned=pinned, depth=depth, **more)

        def converse_as(made: Plan) -> tuple[Exchange, bool]:
            requests = Rounds(self.body(made, terms), made, caller)
            caller.scene = made.draft.scene if recall.DEFINITION in made.tools else None
            exchange = converse(
                self.client,
                requests,
                prompt,
                turn=turn,
                model=terms.model,
                watch=watch,
                tools=caller if made.tools else None,
                limits=limits,
                until=until,
                paid=bill.requests,
            )
            return exchange, requests.unsigned

        made = self._measured(planned(), planned, terms)
        made.check()  # a prompt that alone does not fit is not worth a summary
        made = self._summarised(made, planned, terms, watch, bill)
        made.check()
        wall = Wall()
        while True:
            self._settle(made, watch)
            try:
                exchange, unsigned = converse_as(made)
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
                if error.limit or terms.window is None:
                    self.windows[terms.model] = error.limit or then.budget.window

                def again(budget: Budget = then.budget, **more: Any) -> Plan:
                    return planned(budget=budget, wall=True, **more)

                made = self._summarised(retried, again, terms, watch, bill)
                made.check()
        self._learn(made, exchange, terms)
        return Answered(exchange, made, bill, unsigned)

    def write_summary(self, need: Need, terms: Terms, watch: Watch, bill: Bill) -> Overlay:
        """Run the model calls of a summary, in order; the decision to keep. `bill` gets what each call used."""
        told, before = "", len(bill.requests)
        for part in range(len(need.parts)):
            which = f"part {part + 1} of {len(need.parts)}"
            watch(Note(f"Writing a summary of {need.first_tag} to {need.last_tag}: {which}."))
            request = {"model": terms.model, "max_tokens": need.max_tokens, "messages": need.messages(part, told)}
            pieces: list[str] = []
            stream = self.client.stream(request)
            try:
                with stream:
                    pieces += [event.text for event in stream if isinstance(event, Text)]
            finally:
                bill.requests.append(stream.usage)
            told = "".join(pieces).strip()
            if not any(character.isalnum() for character in told):
                raise ModelError("The model wrote no summary; nothing was sent after it.", kind="server")
        if cost := catalog.total(terms.model, bill.requests[before:]):
            watch(Note(f"The summary cost ${cost:.4f}; it is kept, and not paid for again."))
        return need.overlay(told, model=terms.model, created=time.time())

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

    def _summarised(self, made: Plan, planned: Callable[..., Plan], terms: Terms, watch: Watch, bill: Bill) -> Plan:
        """The plan with the summary that it needs, written and kept: paid for once."""
        if made.need is None:
            return made
        try:
            overlay = self.write_summary(made.need, terms, watch, bill)
        except ChatError as error:
            watch(Note(f"No summary could be written: {error}"))
            return planned(summarise=False)
        self.decide([overlay])
        made = planned()
        for taken in made.rungs:
            if taken.rung == "summary" and taken.applied:
                watch(_note(taken))
        return made

    def _settle(self, made: Plan, watch: Watch) -> None:
        """Keep what was decided, and say it."""
        if made.overlays:
            now = time.time()
            self.decide([replace(overlay, created=overlay.created or now) for overlay in made.overlays])
        if made.pages:
            self.shelf.save()
        for taken in made.rungs:
            if taken.applied and taken.why.startswith("decided now"):
                watch(_note(taken))
        for note in made.notes:
            watch(Note(note))

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
        first, *_ = exchange.measured
        if first.prompt:
            self.calibrations[terms.model] = made.learn(first.prompt)
        last = exchange.measured[-1]
        cached = last.cache_read + last.cache_write + last.cache_write_1h
        self._warm[terms.model] = (time.monotonic(), cached)


def _note(taken: Taken) -> Note:
    """The line for a rung that has just taken something back."""
    lost = f" ({taken.lost})" if taken.lost else ""
    return Note(f"The ladder: {taken.rung} took back {taken.back:,} of {taken.before:,} tokens{lost}.")


def _epochs(path: Sequence[TurnRecord]) -> dict[str, str]:
    """Under which form of the prefix each turn's thinking was signed; none that still holds before an unsigned turn."""
    last = max((n for n, turn in enumerate(path) if turn.inherited.get(UNSIGNED)), default=0)
    return {turn.id: "" if n < last else str(turn.inherited.get("epoch", "")) for n, turn in enumerate(path)}


def took(made: Plan) -> dict[str, list[int]]:
    """For each rung that holds on this request, its tokens before and after: what a turn remembers of its ladder."""
    return {taken.rung: [taken.before, taken.after] for taken in made.rungs if taken.applied}


__all__ = ["PAID", "RUNGS", "UNSIGNED", "Answered", "Asker", "Bill", "Terms", "took"]
