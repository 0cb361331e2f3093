"""Which notebook is this, and which conversation does it use (DESIGN section 4)?

A notebook is recognised by the ids of the cells in its file; its path is only a hint. A cell keeps its id where it is
cut and pasted into another notebook, so one shared id makes no copy: a copy has at least half of the cells that the
other's file has. Copies share their ids, so among several it is the answers below the cells that tell. `decide` is
pure; reading the files and asking the store come before it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadInput, NotFound

if TYPE_CHECKING:
    from ..store import Notebook, Store


NOTEBOOK = "JUPYTER_HISTORY_NOTEBOOK"
"""Names the notebook that a batch runner runs from top to bottom, which tells no cell ids."""
COPY = 0.5
"""Which part of another file's cells makes a copy of it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A notebook that the store knows. `cells`: how many of this file's cells made turns in it; `shared`: which part
    of the cells in the file at its own path this file has too, None where that file is gone or another notebook's;
    `shown`: when its conversation was begun, if cells of this file show what they made in it, else 0. A file that shows
    answers of two is the younger's: a copy keeps what it had of its original."""

    notebook: Notebook
    cells: int
    shared: float | None
    shown: float = 0.0


@dataclass(frozen=True, slots=True)
class Same:
    """The notebook as the store knows it."""

    notebook: Notebook


@dataclass(frozen=True, slots=True)
class Renamed:
    """The notebook, found under a new path."""

    notebook: Notebook


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy of a notebook that is still there: it gets a fork of its conversation."""

    source: Notebook


@dataclass(frozen=True, slots=True)
class New:
    """A notebook that was never seen. `instead_of` was at this path before; `like` has some of its cells."""

    instead_of: Notebook | None = None
    like: Notebook | None = None


Decision = Same | Renamed | Copied | New


def decide(
    path: str | None,
    file: frozenset[str] | None,
    running: str | None,
    known: Sequence[Known],
    makers: frozenset[str],
    at_path: Sequence[Notebook],
) -> Decision:
    """Recognise the notebook at `path`.

    `file`: the cell ids in the file, None where the file cannot tell (unreadable, or older than cell ids);
    `running`: the id of the cell that runs, None where the front end gives none that outlives a session;
    `known`: notebooks that one of these cells made turns in, the most cells first;
    `makers`: ids of notebooks in which the running cell made turns; `at_path`: notebooks last seen here, newest first.
    """
    if path is None:
        return New()
    if file is not None and running is not None and running not in file:
        # A kernel is told its path once; after a rename another notebook may be there. The cell that runs knows.
        mine = [item for item in known if item.notebook.id in makers]
        here = [item for item in mine if item.notebook.path == path]
        if here:
            return Same(here[0].notebook)
    close = [item for item in known if item.shared is None or item.shared >= COPY]
    if close:
        best = max(close, key=lambda item: (item.shown, item.notebook.path == path, item.cells, item.shared is None))
        if best.notebook.path == path:
            return Same(best.notebook)
        return Renamed(best.notebook) if best.shared is None else Copied(best.notebook)
    if file is None and at_path:
        return Same(at_path[0])
    return New(at_path[0] if at_path else None, known[0].notebook if known else None)


def recognise(store: Store, path: str | None, running: str | None, *, lasting: bool) -> Decision:
    """`decide`, with what the file and the store say.

    `lasting`: whether `running` is an id of the file; other ids (a URI's fragment) are the same in many notebooks, and
    then only the path tells them apart.
    """
    if path is None:
        return New()
    file = cells_of(path) if lasting or running is None else None
    running = running if lasting else None
    cells = (file or frozenset()) | ({running} if running else frozenset())
    found = store.notebooks_with(cells) if cells else []
    makers = {item.id for item, _ in store.notebooks_with([running])} if running else set()
    answers = answers_of(path) if len(found) > 1 else {}
    known = [
        Known(item, n, None if item.path == path else _shared(store, item, cells), _shown(store, item, answers))
        for item, n in found
    ]
    at_path = store.notebooks_at(path)
    decision = decide(path, file, running, known, frozenset(makers), at_path)
    if isinstance(decision, New):
        # no cell of the file made a turn: one may have failed, or nothing was asked yet
        mine = (item for item in at_path if _failed(store, item, cells))
        unused = (item for item in at_path if _unused(store, item))
        for item in (*mine, *unused):
            return Same(item)
    return decision


def _failed(store: Store, notebook: Notebook, cells: frozenset[str]) -> bool:
    """Whether one of these cells asked in this notebook and failed: it made no turn, and is known all the same."""
    if notebook.conversation is None:
        return False
    makers = [failed.maker for failed in store.failed(notebook.conversation)]
    return any(maker is not None and maker.notebook == notebook.id and maker.cell in cells for maker in makers)


def _unused(store: Store, notebook: Notebook) -> bool:
    """Whether nothing was asked yet in its conversation: whoever comes to this path next may have it, with what was
    set in it (`%chat new`, `%chat config`)."""
    if notebook.conversation is None:
        return False
    try:
        empty = store.conversation(notebook.conversation).turns == 0
    except NotFound:
        return False
    return empty and not store.failed(notebook.conversation)


def _shared(store: Store, notebook: Notebook, cells: frozenset[str]) -> float | None:
    """See `Known`: the file at the notebook's own path may be gone, or another may have taken its place."""
    if notebook.path is None or not (there := cells_of(notebook.path)):
        return None
    if not any(item.id == notebook.id for item, _ in store.notebooks_with(there)):
        return None
    return len(there & cells) / len(there)


def _shown(store: Store, notebook: Notebook, answers: Mapping[str, str]) -> float:
    """See `Known`."""
    if not answers or notebook.conversation is None:
        return 0.0
    try:
        topology = store.topology(notebook.conversation)
    except NotFound:
        return 0.0
    made = ((head.id, head.maker.cell) for head in topology.heads if head.maker and head.maker.notebook == notebook.id)
    return topology.conversation.created if any(answers.get(turn) == cell for turn, cell in made) else 0.0


def cells_of(path: str) -> frozenset[str] | None:
    """The ids of the cells in a notebook file; None where it cannot tell. Ids came with format 4.5."""
    try:
        content = json.loads(Path(path).read_bytes())
        if (content["nbformat"], content["nbformat_minor"]) < (4, 5):
            return None
        return frozenset(cell["id"] for cell in content["cells"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def answers_of(path: str) -> dict[str, str]:
    """The answers that a notebook file shows: turn id -> the id of the cell it stands below."""
    from .answers import MIME

    try:
        cells = json.loads(Path(path).read_bytes())["cells"]
        below = [(cell["id"], output.get("data", {})) for cell in cells for output in cell.get("outputs", ())]
        return {data[MIME]["id"]: cell for cell, data in below if MIME in data}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def notebook_path(names: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of the notebook this kernel serves, from what its user or Jupyter puts in the environment or VS Code in
    the namespace; None where nobody tells (a terminal, a batch runner)."""
    path = environ.get(NOTEBOOK) or names.get("__vsc_ipynb_file__") or environ.get("JPY_SESSION_NAME")
    if not isinstance(path, str) or not path.endswith(".ipynb"):
        return None
    return os.path.abspath(path)


def cell_id(metadata: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The identity of the cell that runs, and whether it is the id in the file (and so outlives the session).

    Some front ends send a URI; its fragment is the identity, good for as long as the notebook is open.
    """
    raw = metadata.get("cellId")
    if not isinstance(raw, str) or not raw:
        return None, False
    _, uri, fragment = raw.partition("#")
    return (fragment, False) if uri and fragment else (raw, True)


Parent = Callable[[], Mapping[str, Any]]


class FromTop:
    """Tells cells apart for a runner that tells no ids, but runs a known file from top to bottom: by their text, the
    next cell that has it. The file is read once; a runner may write to it."""

    def __init__(self, path: str) -> None:
        try:
            cells = json.loads(Path(path).read_bytes())["cells"]
            self._cells = [(str(cell["id"]), "".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
        except (OSError, ValueError, KeyError, TypeError):
            raise BadInput(
                f"{NOTEBOOK} is {path!r}, and no notebook with cell ids can be read there; nothing was sent. "
                "Give the path of the notebook that runs, or unset it."
            ) from None
        self._next = 0

    def find(self, code: str) -> str | None:
        """The cell with this text, at or below the last one that was found; None where there is none."""
        for n, (id, source) in enumerate(self._cells[self._next :], start=self._next):
            if source == code:
                self._next = n + 1
                return id
        return None


class CellCounter:
    """Says which cell runs, and the how-manieth chat call of this execution it is.

    The parent message is asked, not a hook before the cell: nested runs lose that one.
    """

    def __init__(self, parent: Parent, environ: Mapping[str, str] = os.environ) -> None:
        self._parent = parent
        self._environ = environ
        self._file: FromTop | None = None
        self._found: tuple[str | None, str | None] = (None, None)
        """(execution, its cell), where the file had to tell."""
        self._execution: str | None = None
        self._calls = 0

    def peek(self) -> tuple[str | None, bool]:
        """The cell and whether its id is the file's, without counting."""
        parent = self._parent()
        told = cell_id(parent.get("metadata") or {})
        path, execution = self._environ.get(NOTEBOOK), (parent.get("header") or {}).get("msg_id")
        if told[0] is not None or not path or execution is None:
            return told
        if self._found[0] != execution:
            self._file = self._file or FromTop(path)
            self._found = execution, self._file.find((parent.get("content") or {}).get("code", ""))
        return self._found[1], True

    def count(self) -> int:
        """The ordinal of this call, from 0."""
        execution = (self._parent().get("header") or {}).get("msg_id")
        self._calls = self._calls + 1 if execution == self._execution and execution else 0
        self._execution = execution
        return self._calls
