"""What a session shows of itself: the explorers, made by `notebook.explorers` when they are asked for.

None of them calls a model or moves anything (rule 23). Each shows itself in a notebook; `print` gives its text, and
`.static()` its HTML alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from ..notebook.explorers import CompareView, LadderView, PagesView, TreeView
    from .session import Session


class Views:
    """The part of a session that draws it."""

    def explore(self) -> TreeView:
        """All turns on all branches: continue from one, ask again, label, compare."""
        from ..notebook.explorers import explore

        return explore(cast("Session", self))

    def compare(self, *names: str) -> CompareView:
        """Two to six answers side by side, by id or label; one: all answers beside it; none: all beside the tip."""
        from ..notebook.explorers import compare

        return compare(cast("Session", self), *names)

    def ladder(
        self, turn: str | None = None, *, window: int | None = None, rungs: str | Sequence[str] | None = None
    ) -> LadderView:
        """What was sent for a turn and why; by default, what would be sent for a prompt now.

        `window` in tokens and `rungs` (some of them, or "off") make it a what-if.
        """
        from ..notebook.explorers import ladder

        wanted = rungs if rungs is None or isinstance(rungs, str) else list(rungs)
        return ladder(cast("Session", self), turn, window=window, rungs=wanted)

    def pages(self, turn: str | None = None, *, profile: str | None = None) -> PagesView:
        """The images that stand for older turns; where there are none, the whole path as pages, as a what-if."""
        from ..notebook.explorers import pages

        return pages(cast("Session", self), turn, profile=profile)
