"""What moves the tip of a session without asking anything: branches, and checkpoints that the user sets by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import BadInput, NotFound
from ..store.records import Checkpoint
from ..transcript import clean_text
from .attempt import left_line
from .checkpoints import Rewound, bad_label, unknown

if TYPE_CHECKING:
    from .standing import Standing


@dataclass(frozen=True, slots=True)
class Moved:
    """A move of the tip: where it is now, the turns it left behind, and the line that says so."""

    tip: str | None
    left: tuple[str, ...]
    note: str


class Moving:
    """The part of a session that moves its tip."""

    _standing: Standing

    if TYPE_CHECKING:

        @property
        def model(self) -> str: ...

    def branch(self, name: str | None) -> Moved:
        """Move the tip to a turn, by id or label (None: the root). Nothing else is written (rule 3)."""
        self._standing.refresh()
        return self._move(None if name is None else self._standing.tree.resolve(name))

    def show(self, name: str) -> Moved:
        """Make a turn part of the path again: the tip goes to the leaf last visited at or below it."""
        self._standing.refresh()
        tree = self._standing.tree
        return self._move(tree.leaf(tree.resolve(name)))

    @property
    def checkpoints(self) -> dict[str, Checkpoint]:
        """The live checkpoints on the path, by label: those that `rewind` can go back to."""
        self._standing.refresh()
        return self._standing.checkpoints(self._standing.tip)

    def checkpoint(self, label: str) -> Checkpoint:
        """Mark the tip, to rewind to once. The model has a tool for the same."""
        standing, known = self._standing, self.checkpoints
        if standing.tip is None:
            raise BadInput("The conversation is at its beginning: there is nothing to mark yet.")
        why = bad_label(label)
        if why or label in known:
            raise BadInput(
                why or f"{label!r} marks `{known[label].target or 'the root'}` already. Choose another label."
            )
        standing.flush()
        standing.store.mark(standing.id, label, standing.tip)
        return standing.checkpoints(standing.tip)[label]

    def rewind(self, label: str, digest: str = "") -> Moved:
        """Go back to a checkpoint, which is consumed; with a digest, keep that of what was explored since.

        What was explored stays in the tree. NotFound lists the live labels.
        """
        standing, known, old = self._standing, self.checkpoints, self._standing.tip
        if label not in known:
            raise NotFound(unknown(label, known))
        if not digest.strip():
            left = standing.rewind(known[label])
        else:
            left = standing.keep_digest(Rewound(known[label], clean_text(digest.strip())), self.model)
        return Moved(standing.tip, left, left_line(left, old) if left else "")

    def _move(self, turn: str | None) -> Moved:
        old = self._standing.tip
        left = self._standing.move(turn)
        return Moved(turn, left, left_line(left, old) if left else "")
