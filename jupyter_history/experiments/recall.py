"""What does a rung remember? Questions with exact answers about a history, asked through each rung, graded, counted.

Nothing is stored: every question is asked right after the history, none sees another. The reader is named beside
every figure, and how sure a figure is: a deterministic reader has no interval.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Stopped
from ..model import catalog
from ..model.client import Client
from ..progress import Watch
from ..session.planning import user
from ..session.written import checked
from ..tools.calling import Caller
from ..tools.limits import Limits
from ..transcript import Overlay, Usage
from . import estimate, grader
from .estimate import BUDGET, Estimate
from .histories import Corpus, corpora, corpus, of_session
from .intervals import clustered
from .questions import INSTRUCTIONS, KINDS, Graded, Question, grade, questions
from .runs import Run, Runs, checked_lanes
from .sweep import frame
from .trial import Bare, Memory, Trial, Variant, variants
from .watching import Shows, watching

if TYPE_CHECKING:
    from ..context.plan import Plan
    from ..notebook.runs import Shown
    from ..session.session import Session

LADDERS = ("off", "elision", "snapshot", "summary")
SHORT = 200
"""`max_tokens` of a reply: a value, or a short quote."""
ROUNDS = 6
"""Requests for one question, where the model recalls."""
TIGHT = 0.7
"""The window that rungs get where none is named, of what the history needs: every one has something to do."""
DEPTHS = ("early", "middle", "late")
READERS = ("offline-long", "offline-long-blurry")
"""Who is asked where no model is named and there is no key."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question through one variant of one model. `took`: rung -> tokens before and after."""

    history: str
    question: Question
    depth: str
    variant: str
    model: str
    reply: str
    graded: Graded
    usage: Usage
    cost: float | None
    seconds: float
    rounds: int
    took: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """One mapping, for a DataFrame."""
        return {
            "history": self.history, "question": self.question.question, "answer": self.question.answer,
            "kind": self.question.kind, "place": self.question.place, "depth": self.depth, "variant": self.variant,
            "model": self.model, "reply": self.reply, "grade": self.graded.grade, "how": self.graded.how,
            "near": self.graded.near, "tokens": self.usage.prompt, "output": self.usage.output, "cost": self.cost,
            "seconds": self.seconds, "rounds": self.rounds, "took": dict(self.took),
        }  # fmt: skip


@dataclass(frozen=True)
class Share:
    """Right, wrong (of these near: they look like the answer) and abstained. `low`, `high`: 95 %, None where the
    reader is deterministic and nothing was sampled."""

    right: int
    wrong: int
    near: int
    abstained: int
    low: float | None = None
    high: float | None = None

    @property
    def of(self) -> int:
        return self.right + self.wrong + self.abstained

    @property
    def recall(self) -> float:
        return self.right / self.of if self.of else 0.0


@dataclass
class Recall:
    """The result of a recall test: `asked`, and the counts over any part of it."""

    histories: tuple[Corpus, ...]
    models: tuple[str, ...]
    variants: tuple[Variant, ...]
    estimate: Estimate = field(default_factory=Estimate)
    asked: list[Asked] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    windows: dict[tuple[str, str], int] = field(default_factory=dict)
    """(model, history) -> the window that the rungs got."""

    @property
    def cost(self) -> float:
        return sum(each.cost or 0.0 for each in self.asked)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [each.row() for each in self.asked]

    @property
    def results(self) -> Any:
        """The rows, as a DataFrame where pandas is installed."""
        return frame(self.rows)

    def share(self, **where: str) -> Share:
        """The counts over what fits: `model`, `variant`, `kind`, `depth`, `history`, `place`."""
        return share([each for each in self.asked if _fits(each, where)])

    def paired(self, one: str, other: str, model: str) -> dict[str, int]:
        """The questions that both variants were asked: both right, only one of them, neither."""
        right: dict[str, dict[tuple[str, str], bool]] = {one: {}, other: {}}
        for each in self.asked:
            if each.model == model and each.variant in right:
                right[each.variant][each.history, each.question.question] = each.graded.grade == "right"
        common = right[one].keys() & right[other].keys()
        pairs = Counter((right[one][key], right[other][key]) for key in common)
        names = {(True, True): "both", (True, False): one, (False, True): other, (False, False): "neither"}
        return {name: pairs[pair] for pair, name in names.items()}

    def markdown(self) -> str:
        from .report import recall_report

        return recall_report(self)

    def __str__(self) -> str:
        return self.markdown()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def __repr__(self) -> str:
        return f"<Recall: {len(self.asked)} questions asked of {', '.join(self.models)}>"


def recall_test(
    source: Session | Corpus | str | Iterable[Corpus] | None = None,
    asked: Iterable[Question | Mapping[str, Any]] | None = None,
    *,
    ladders: Sequence[str] | str = LADDERS,
    models: Sequence[str] | str | None = None,
    window: int | None = None,
    grader: str | None = None,
    budget: float = BUDGET,
    lanes: int = 4,
    client: Client | None = None,
    tell: Callable[[str], None] = print,
    show: Shows = True,
) -> Recall:
    """Ask `asked` about the history of `source` through every variant of `ladders`, of every model.

    `source`: a session (its path; nothing is added to it), a corpus or its name; by default all that are shipped, with
    their own questions. `window`: what the rungs get; `off` always has the whole history. `grader`: a model that
    judges replies which match in no form. `tell` gets the estimate before the first call; BadInput, with nothing sent,
    where that is over `budget` dollars. How far it is shows by itself; `show=False` is silent, a function is called
    with the `Runs` instead. Stopped after an interrupt, with what had been answered as its `result`.
    """
    budget, lanes = estimate.checked_budget(budget), checked_lanes(lanes)
    window = checked({"window": window})["window"]
    histories = _histories(source, asked)
    named = [models] if isinstance(models, str) else list(dict.fromkeys(models or _readers()))
    made = Recall(histories, tuple(named), variants(ladders))
    transport = client or Client()
    runs: list[Run] = []
    estimates = []
    for model in named:
        for history in histories:
            for variant in made.variants:
                trial = _Trial(transport, history, variant, model, window, grader)
                made.windows[model, history.name] = trial.tight
                estimates.append(trial.estimate())
                runs += trial.runs()
    made.estimate = estimate.total(estimates)
    tell(f"Recall test, {len(runs)} questions: {made.estimate}.")
    made.estimate.check(budget, f"`budget={max(0.01, made.estimate.about * 1.1):.2f}`")
    try:
        with watching(show, lambda: bar(runs)) as look:
            Runs(runs, lambda each: each.cost, lanes, budget).all(look)
    except KeyboardInterrupt:
        raise halted(runs, made) from None
    finally:
        made.asked = [run.result for run in runs if run.result is not None]
        made.failed = [f"{run.name}: {run.error}" for run in runs if run.state in ("failed", "left out")]
    return made


def bar(runs: Sequence[Run]) -> Shown:
    """What shows how far they are; what they may cost was told before."""
    from ..notebook import runs as shown
    from .table import line

    return shown.bar(lambda: line(runs))


def halted(runs: Sequence[Run], made: Any) -> Stopped:
    """What a stop raises: what had been answered is its `result`."""
    done = sum(run.result is not None for run in runs)
    error = Stopped(f"Stopped: {done} of {len(runs)} questions were answered; `sys.last_value.result` has them.", None)
    error.result = made  # type: ignore[attr-defined]
    return error


class _Trial:
    """One history through one variant of one model."""

    def __init__(
        self, client: Client, history: Corpus, variant: Variant, model: str, window: int | None, grader: str | None
    ) -> None:
        self.client, self.history, self.variant, self.model, self.grader = client, history, variant, model, grader
        self._decided: list[Overlay] = []
        self._lock = threading.Lock()
        self.asker = Bare(client, lambda: list(self._decided), self._decide, Memory())
        whole = self._plan(self._terms("off", None))
        self.tokens = whole.tokens
        self.tight = window or max(2_000, round(TIGHT * self.tokens))
        if variant.ladder == "snapshot" and not catalog.profile(model).vision:
            raise BadInput(f"{model} sees no images, so it remembers nothing by pages. Leave `{variant.name}` out.")
        if variant.ladder == "off":
            self.terms = self._terms("off", None)
            if not whole.fits:
                raise BadInput(
                    f"`off` needs a window that holds the whole history: about {self.tokens:,} tokens; {model} has "
                    f"{whole.window:,}. Leave `off` out, or name a model with a larger window."
                )
        else:
            self.terms = self._terms(variant.ladder, self.tight)
        self.plan = self._plan(self.terms)

    def _terms(self, ladder: str, window: int | None) -> Trial:
        return Trial(
            model=self.model,
            system=INSTRUCTIONS,
            max_tokens=SHORT,
            ladder=ladder,
            window=window,
            explicit=True,
            sidecar=self.variant.sidecar,
            recalls=self.variant.recall,
        )

    def _plan(self, terms: Trial) -> Plan:
        return self.asker.plan(self.history.path, [user(self.history.questions[0].question)], terms)

    def _decide(self, overlays: Sequence[Overlay]) -> None:
        with self._lock:
            self._decided += overlays

    def estimate(self) -> Estimate:
        """All its questions; a summary is written once."""
        count = len(self.history.questions)
        once = self.plan.need.cost or 0.0 if self.plan.need is not None else 0.0
        one = estimate.of_request(self.model, self.plan.tokens, 30, self.terms.room)
        asked = replace(one.times(count), about=one.about * count + once, most=one.most * count + once)
        return asked if self.grader is None else asked + grader.estimate(self.grader).times(count)

    def runs(self) -> list[Run]:
        prefix = (self.model, self.history.name, self.variant.name)
        return [
            Run(
                f"{self.model}, {self.variant.name}, {question.id or question.question}",
                partial(self.ask, question),
                prefix,
            )
            for question in self.history.questions
        ]

    def ask(self, question: Question, watch: Watch) -> Asked:
        """One question, as if it were the first after the history."""
        answered = self.asker.ask(
            self.history.path,
            "qqqqqq",
            user(question.question).content,
            self.terms,
            caller=Caller({}),
            limits=Limits(rounds=ROUNDS),
            watch=watch,
        )
        exchange = answered.exchange
        reply = exchange.messages[-1].text
        cost = answered.bill.cost
        graded = grade(question, reply)
        if self.grader is not None and graded.grade != "right":
            graded, more = grader.judged(self.client, self.grader, question, reply, graded)
            cost = cost + more if cost is not None and more is not None else None
        took = {taken.rung: [taken.before, taken.after] for taken in answered.plan.rungs if taken.applied}
        return Asked(
            self.history.name,
            question,
            depth(question, len(self.history.path)),
            self.variant.name,
            self.model,
            reply,
            graded,
            answered.bill.usage,
            cost,
            exchange.seconds,
            len(exchange.requests),
            took,
        )


def share(asked: Sequence[Asked]) -> Share:
    """Right, wrong and abstained; the interval over all of them, clustered by history."""
    grades = Counter(each.graded.grade for each in asked)
    near = sum(each.graded.near for each in asked)
    found = Share(grades["right"], grades["wrong"], near, grades["abstained"])
    if not asked or all(catalog.is_offline(each.model) for each in asked):
        return found
    names = dict.fromkeys(each.history for each in asked)
    counts = []
    for name in names:
        here = [each for each in asked if each.history == name]
        counts.append((sum(each.graded.grade == "right" for each in here), len(here)))
    low, high = clustered(counts)
    return replace(found, low=low, high=high)


def depth(question: Question, turns: int) -> str:
    """In which third of the history the fact stands; "" where that is not known."""
    return DEPTHS[min(2, 3 * question.turn // max(1, turns))] if question.turn is not None else ""


def usual(asked: Sequence[Asked]) -> tuple[float, float | None]:
    """(mean prompt tokens of a question, mean dollars)."""
    costs = [each.cost for each in asked if each.cost is not None]
    return mean(each.usage.prompt for each in asked), mean(costs) if costs else None


def _fits(each: Asked, where: Mapping[str, str]) -> bool:
    known = {
        "model": each.model,
        "variant": each.variant,
        "kind": each.question.kind,
        "depth": each.depth,
        "history": each.history,
        "place": each.question.place,
    }
    return all(known[name] == wanted for name, wanted in where.items())


def _histories(source: Any, asked: Any) -> tuple[Corpus, ...]:
    from ..session.session import Session

    mine = questions(asked) if asked is not None else ()
    if isinstance(source, Session):
        return (of_session(source, mine or questions(())),)
    if source is None:
        found = corpora()
    elif isinstance(source, str):
        found = [corpus(source)]
    elif isinstance(source, Corpus):
        found = [source]
    else:
        found = [corpus(each) if isinstance(each, str) else each for each in source]
    if mine:
        found = [replace(each, questions=mine) for each in found]
    return tuple(found)


def _readers() -> tuple[str, ...]:
    chosen = catalog.default_model()
    return READERS if catalog.is_offline(chosen) else (chosen,)


__all__ = ["KINDS", "Asked", "Recall", "Share", "recall_test"]
