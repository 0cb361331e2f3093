"""The same prompt asked from the same turn under several settings: a sibling for each point of a grid.

Invariants: a point that this cell has asked before is shown from the store, never asked again; every answer is a turn
of the conversation, made by this cell, under the one parent; the tip ends at one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, Stopped, StoreUnavailable
from ..model.sse import digest
from ..session import beside
from ..session.cells import AT_TIP, Show, decide, question_key
from ..session.written import prompt_text
from ..tools.attached import Attached, attach
from ..transcript import Maker, TurnRecord
from . import estimate
from .estimate import Estimate
from .points import Axis, Point, axes, grid
from .runs import Run, Runs, checked_lanes
from .watching import Shows, watching

if TYPE_CHECKING:
    from ..notebook.explorers import CompareView
    from ..notebook.runs import Shown
    from ..session.session import Session
    from ..session.turn import Turn

SCRIPT = Maker("", "experiment")
"""The maker of what a script asks: a script that runs again finds its answers."""
NOBODY = "no question"

Score = Callable[[str], float]


@dataclass
class Experiment:
    """A grid of answers. `runs` holds what each point came to, in the order of `points`."""

    session: Session
    prompt: str
    points: tuple[Point, ...]
    under: str | None
    maker: Maker
    score: Score | None = None
    attached: Attached | None = None
    """Images and values that go with the prompt."""
    estimate: Estimate = field(default_factory=Estimate)
    runs: list[Run] = field(default_factory=list)
    note: str = ""
    """Where the tip went, as a line."""
    hint: str = ""
    """Why points do not differ, where that can be known before."""
    unsaved: list[Session] = field(default_factory=list)
    """Sessions of runs whose answers the store did not take."""

    # -- what came ------------------------------------------------------------------------------------------------

    @property
    def turns(self) -> list[Turn | None]:
        """The answers, in the order of the points; None where there is none."""
        from ..session.turn import Turn

        self.session.refresh()
        ids = [run.turn if run.ended and run.turn in self.session.tree else None for run in self.runs]
        records = {record.id: record for record in beside.records(self.session, [id for id in ids if id is not None])}
        return [Turn(self.session, records[id], stored=True) if id is not None else None for id in ids]

    @property
    def cost(self) -> float:
        """Dollars of the calls that this run made."""
        return sum(run.cost or 0.0 for run in self.runs)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One mapping a point: what was asked, what came, what the answer cost, whenever it was asked."""
        return [self._row(*each) for each in zip(self.points, self.runs, self.turns, strict=True)]

    @property
    def results(self) -> Any:
        """The rows, as a DataFrame where pandas is installed."""
        return frame(self.rows)

    def compare(self) -> CompareView:
        """The answers side by side: the first six."""
        from ..notebook.explorers import compare

        ids = list(dict.fromkeys(turn.id for turn in self.turns if turn is not None))[:6]
        if len(ids) < 2:
            raise BadInput(f"Compare takes two to six answers; this experiment has {len(ids)}.")
        return compare(self.session, *ids)

    def plot(self, score: Score | None = None) -> Any:
        """Tokens and cost of each variant, against its mean score where one is given: a matplotlib figure that shows
        itself."""
        try:
            from .plot import figure
        except ImportError:
            raise BadInput("plot() needs matplotlib: pip install 'jupyter-history[plot]'") from None
        return figure(self.rows if score is None else scored(self.rows, score))

    def _row(self, point: Point, run: Run, turn: Turn | None) -> dict[str, Any]:
        row: dict[str, Any] = {
            "prompt": self.prompt,
            "variant": point.variant,
            **dict(point.labels),
            "state": run.state,
            "error": run.error,
            "notes": " ".join(run.notes),
        }
        row |= answer_columns(turn.record if turn is not None else None)
        if self.score is not None:
            row["score"] = self.score(turn.text) if turn is not None else None
        return row

    def __repr__(self) -> str:
        return f"<Experiment of {len(self.points)} points: {sum(run.turn is not None for run in self.runs)} answers>"

    def _repr_markdown_(self) -> str:
        from .table import progress

        return progress(self, markdown=True)

    def __str__(self) -> str:
        from .table import progress

        return progress(self)


def answer_columns(record: TurnRecord | None) -> dict[str, Any]:
    """The columns that every table of answers has."""
    took = record.inherited.get("took", {}) if record is not None else {}
    return {
        "answer": record.text if record is not None else "",
        "outcome": record.outcome if record is not None else None,
        "answered_by": record.model if record is not None else None,
        "input": record.usage.input if record is not None else 0,
        "cache_read": record.usage.cache_read if record is not None else 0,
        "cache_write": record.usage.cache_write + record.usage.cache_write_1h if record is not None else 0,
        "output": record.usage.output if record is not None else 0,
        "tokens": record.usage.prompt + record.usage.output if record is not None else 0,
        "cost": record.cost if record is not None else None,
        "seconds": record.seconds if record is not None else None,
        "context": record.context if record is not None else 0,
        **{rung: took[rung][0] - took[rung][1] if rung in took else 0 for rung in RUNGS},
        "turn": record.id if record is not None else None,
        "parent": record.parent if record is not None else None,
    }


RUNGS = ("elision", "images", "snapshot", "summary")
"""Columns of what each rung took back, in tokens."""


def experiment(
    session: Session,
    prompt: str,
    each: Mapping[str, Any] | Iterable[str] | str,
    *,
    at: str | None = None,
    edit: str | None = None,
    maker: Maker | None = None,
    budget: float = estimate.BUDGET,
    lanes: int = 4,
    score: Score | None = None,
    images: Sequence[Any] = (),
    show: Shows = True,
    **settings: Any,
) -> Experiment:
    """Ask `prompt` at every point of the grid that `each` makes, from one parent; what is stored is not asked again.

    BadInput, with nothing sent, where the estimate is over `budget` dollars; once so much is spent, no further run
    begins. Stopped after an interrupt, with what had come stored and the experiment as its `experiment`. How far it is
    shows by itself; `show=False` is silent, a function is called with the experiment and its `Runs` instead.
    """
    budget, lanes = estimate.checked_budget(budget), checked_lanes(lanes)
    made = prepare(
        session,
        prompt,
        axes(each),
        settings,
        at=at,
        edit=edit,
        maker=maker or SCRIPT,
        score=score,
        attached=attach(prompt_text(prompt), images),
    )
    made.estimate.check(budget, f"`budget={suggested(made.estimate)}`" if maker is None else option(made.estimate))
    with watching(show, partial(_display, made)) as look:
        run(made, budget=budget, lanes=lanes, show=look)
    return made


def _display(made: Experiment) -> Shown:
    from ..notebook import runs as shown

    return shown.grid(made)


def suggested(wanted: Estimate) -> str:
    """A budget that allows what is wanted."""
    return f"{max(0.01, round(wanted.about * 1.1 + 0.005, 2)):.2f}"


def option(wanted: Estimate) -> str:
    return f"`--budget {suggested(wanted)}`"


def prepare(
    session: Session,
    prompt: str,
    varied: Sequence[Axis],
    settings: Mapping[str, Any],
    *,
    at: str | None = None,
    edit: str | None = None,
    maker: Maker = SCRIPT,
    score: Score | None = None,
    attached: Attached | None = None,
) -> Experiment:
    """The experiment with what is stored of it and what the rest will cost. Calls no model."""
    session.refresh()
    prompt = prompt_text(prompt)
    points = grid(varied, settings)
    keys = frozenset(question_key(prompt, beside.settings_of(session, point.settings, attached)) for point in points)
    under = _under(session, maker, at, edit, keys)
    made = Experiment(session, prompt, points, under, maker, score, attached)
    usual = _usual(session, under)
    estimates: list[Estimate] = []
    known: dict[str, _Asking] = {}
    for point in points:
        turn = stored(made, point)
        if turn is not None:
            made.runs.append(Run(point.variant, _nothing, state="stored", turn=turn))
            continue
        same = key(made, point)
        found = known.get(same)
        if found is None:
            found = known[same] = _asking(made, point, usual)
            estimates.append(found.first)
        else:
            estimates.append(found.other)
        made.runs.append(Run(point.variant, partial(_ask, made, point), found.prefix))
    made.estimate = estimate.total(estimates)
    ladders = max((len(axis.values) for axis in varied if axis.name == "ladder"), default=1)
    if known and ladders > 1 and not any(each.rungs for each in known.values()):
        made.hint = "The history fits the window, so every ladder sends it whole; `--window N` makes that smaller."
    return made


@dataclass(frozen=True, slots=True)
class _Asking:
    """What is known of the points that ask the same before they do: what the first will cost and every other, their
    prefix, and whether any rung runs. A summary is written, and paid for, once."""

    first: Estimate
    other: Estimate
    prefix: str
    rungs: bool


def _asking(made: Experiment, point: Point, usual: int) -> _Asking:
    plan, terms = beside.planned(made.session, made.prompt, point.settings, made.under, made.attached)
    plan.check()
    body = beside.request(made.session, plan, terms)
    shared = [terms.model, body.get("system"), body.get("tools"), body["messages"][:-1]]
    prefix = digest([*shared, point.settings if plan.need is not None else None])
    rungs = plan.need is not None or any(taken.applied for taken in plan.rungs)
    other = estimate.of_request(terms.model, plan.tokens, usual, terms.room)
    return _Asking(estimate.of_plan(plan, terms.model, terms.room, usual), other, prefix, rungs)


def _usual(session: Session, under: str | None) -> int:
    """Tokens of an answer, by those on the path."""
    answers = [turn.usage.output for turn in beside.loaded(session, under) if turn.usage.output]
    return round(sum(answers) / len(answers)) if answers else estimate.ANSWER


def run(
    made: Experiment,
    *,
    budget: float | None = None,
    lanes: int = 4,
    show: Callable[[Experiment, Runs], None] = lambda _experiment, _runs: None,
) -> None:
    """Ask what is not stored, and settle where the tip stands."""
    runs = Runs(made.runs, lambda record: record.cost, lanes, budget)
    try:
        if any(not each.ended for each in made.runs):
            runs.all(lambda state: show(made, state))
    except KeyboardInterrupt:
        settle(made)
        raise stopped(made) from None
    settle(made)


def stopped(made: Experiment) -> Stopped:
    kept = [run.turn for run in made.runs if run.ended and run.turn is not None]
    asked = "running the cell again asks for the others"
    error = Stopped(f"Stopped: {len(kept)} of {len(made.runs)} answers are kept; {asked}.", kept[0] if kept else None)
    error.experiment = made  # type: ignore[attr-defined]
    return error


def stored(made: Experiment, point: Point) -> str | None:
    """The answer that this cell has for a point already, as with takes; None if it has none."""
    choice = decide(made.session.tree, made.maker, key(made, point), under=made.under, take=point.take)
    return choice.turn if isinstance(choice, Show) else None


def key(made: Experiment, point: Point) -> str:
    """What the stored answers of a point are found by."""
    return question_key(made.prompt, beside.settings_of(made.session, point.settings, made.attached))


def settle(made: Experiment) -> None:
    """Take in what was stored; the tip stays where it is in one of the answers' branches, else goes to the first."""
    session = made.session
    session.refresh()
    for other in made.unsaved:
        beside.take_in(session, other)
    made.unsaved.clear()
    for each in made.runs:
        if each.turn is not None and each.turn not in session.tree:
            each.turn = None
    answers = [each.turn for each in made.runs if each.turn is not None]
    before, path = session.tip, set(session.tree.path(session.tip))
    stays = not answers or path & set(answers)
    target = before if stays else session.tree.leaf(answers[0])
    try:
        moved = session.branch(target)
    except StoreUnavailable as error:
        made.note = f"Not saved: {error} The answers are kept in memory; the next turn tries again."
        return
    if target != before or answers:
        others = len(set(answers)) - 1
        here = next((turn for turn in answers if turn in session.tree.path(target)), None)
        made.note = f"The next prompt continues from `{here}`; `%chat branch ID` takes another." if others > 0 else ""
        made.note = " ".join(filter(None, (made.note, moved.note)))


def _ask(made: Experiment, point: Point, watch: Any) -> TurnRecord:
    """One point, in a thread of its own."""
    own = beside.beside(made.session)
    try:
        return beside.ask(own, made.prompt, point.settings, made.maker, made.under, watch, made.attached)
    finally:
        if own.unsaved:
            made.unsaved.append(own)


def _nothing(_watch: Any) -> None:
    raise AssertionError("a stored point is not asked")


def _under(
    session: Session, maker: Maker, at: str | None, edit: str | None, keys: frozenset[str] = frozenset()
) -> str | None:
    """The one parent of all points, by the rules of running a cell (DESIGN 4). `keys`: the points' questions."""
    if edit is None and (at == AT_TIP or (at is None and maker == SCRIPT)):  # a script always goes on from the tip
        heads = session.tree.heads
        mine = set(session.tree.made_by(maker))
        here = [turn for turn in session.tree.path(session.tip) if turn in mine and heads[turn].question in keys]
        return session.tree.parent(here[-1]) if here else session.tip
    choice = decide(session.tree, maker, NOBODY, under=beside.under(session, at, edit))
    assert not isinstance(choice, Show)
    return choice.under


def scored(rows: Sequence[Mapping[str, Any]], score: Score) -> list[dict[str, Any]]:
    return [{**row, "score": score(row["answer"]) if row["turn"] else None} for row in rows]


def frame(rows: list[dict[str, Any]]) -> Any:
    """The rows as a DataFrame, or as they are where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
