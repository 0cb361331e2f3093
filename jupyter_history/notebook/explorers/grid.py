"""The answers of a grid side by side, from the first call on: columns fill while their answers stream.

JupyterLab with our extension patches what it drew from the JSON. Any other front end would make a widget's view anew at
every update of the display, and the kernel that runs the cell answers no request for texts: there the display stays,
and what has come is sent to its widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...experiments import table
from .. import compare as columns
from ..markdown import Safe, visible
from ..static import escaped
from .compare import MOST, column, open_column, texts
from .view import View, new_widget

if TYPE_CHECKING:
    from ...experiments import Experiment
    from ...experiments.runs import Run
    from ...session.turn import Turn
    from .widget import Explorer


class GridView(View):
    """An experiment of two to six points. `look` takes in what has come since."""

    kind = "compare"

    def __init__(self, made: Experiment, notes: Sequence[str] = ()) -> None:
        super().__init__(made.session)
        self.made = made
        self.notes = tuple(notes)
        self._growing = [Safe() for _ in made.runs]
        self._turns: list[Turn | None] = []
        self._tinted: list[str] = []
        self._ended = -1
        self._widget: Explorer | None = None
        self.look()

    @property
    def done(self) -> bool:
        return all(run.ended for run in self.made.runs)

    def look(self, *, whole: bool = False) -> None:
        """Take in the answers that have ended since; `whole`: read all again. Only these are compared, and once."""
        ended = sum(run.ended for run in self.made.runs)
        if whole or ended != self._ended:
            self._ended = ended
            self._turns = self.made.turns
            self._tinted = columns.stacked(self._there)
            self.args = {"turns": [turn.id for turn in self._there]}

    @property
    def _there(self) -> list[Turn]:
        return [turn for turn in self._turns if turn is not None]

    @property
    def _all_there(self) -> bool:
        return len(self._there) == len(self._turns)

    # -- the forms ------------------------------------------------------------------------------------------------

    def data(self) -> dict[str, Any]:
        shown = []
        for n, (point, run, turn) in enumerate(zip(self.made.points, self.made.runs, self._turns, strict=True)):
            known = column(turn) if turn is not None else self._open(n, run)
            shown.append({**known, "variant": visible(point.variant)})
        return {"columns": shown, "progress": table.head(self.made), "notes": self._notes}

    def texts(self) -> dict[str, Any]:
        if sum(len(turn.text) if turn else len(run.text) for run, turn in self._columns) > MOST:
            return {}
        said = []
        for n, (run, turn) in enumerate(self._columns):
            if turn is not None:
                said += texts([turn])
            else:
                prompt = visible(self.made.prompt)
                said.append({"id": _key(n), "prompt": prompt, "text": self._growing[n](run.text).rstrip()})
        return {"texts": said}

    def html(self) -> str:
        names = [point.variant for point in self.made.points]
        if self._all_there:
            compared = columns.html(self._there, names)
        else:
            filled = [
                columns.Column(name, turn, run.text, _standing(run))
                for name, (run, turn) in zip(names, self._columns, strict=True)
            ]
            compared = columns.html_filling(self.made.prompt, filled, self._tinted)
        said = "".join(f"<div>{escaped(line.replace('`', ''))}</div>" for line in [table.head(self.made), *self._notes])
        return f"<div>{said}{compared}</div>"

    def text(self) -> str:
        parts = [*self.notes, table.progress(self.made)]
        if self.done and len(self._there) > 1:
            parts.append(columns.text(self._there))
        return "\n\n".join(parts)

    def live(self, state: dict[str, Any]) -> dict[str, Any]:
        """One widget for the whole run; where JupyterLab patches the JSON, only when all have ended."""
        from .front import has_extension

        if self._widget is None and (self.done or not has_extension()):
            self._widget = new_widget(self, state)
        if self._widget is None:
            return {}
        self._widget.state = state
        return self._widget.named()

    def push(self) -> bool:
        """Let the widget show what has come; False where it is not what is looked at."""
        from .front import has_extension

        if self._widget is None or has_extension():
            return False
        state = self.state()
        self._widget.push({**state, "data": {**state["data"], **self.texts()}})
        return True

    # -- the parts ------------------------------------------------------------------------------------------------

    @property
    def size(self) -> int:
        """About how many bytes the forms have."""
        return 3 * sum(2_000 + len((turn or run).text.encode()) for run, turn in self._columns)

    @property
    def _columns(self) -> list[tuple[Run, Turn | None]]:
        return list(zip(self.made.runs, self._turns, strict=True))

    @property
    def _notes(self) -> list[str]:
        return [line for line in (*self.notes, self.made.hint, self.made.note) if line]

    def _open(self, n: int, run: Run) -> dict[str, Any]:
        """What is known of an answer that is not there, yet or for good."""
        return open_column(_key(n), self.made.under, self.made.prompt, _standing(run), growing=not run.ended)


def _key(n: int) -> str:
    """What the texts of a column without a turn are found by."""
    return f"point-{n + 1}"


def _standing(run: Run) -> str:
    if run.ended:
        return table.standing(run)
    return f"{visible(run.status or run.state)} …"
