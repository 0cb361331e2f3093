"""The commands about the context window: what the ladder did and would do, the pages, the exact request.

All but `compact` only look (rule 23); `compact` calls a model for the summary alone, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ..context import table
from ..context.budget import RUNGS, Rung
from ..context.plan import Plan
from ..errors import BadInput
from ..progress import Note
from .command import Said, command
from .keys import hide

if TYPE_CHECKING:
    from .magics import ChatMagics

ROWS = 200
"""Messages that a table lists; the oldest beyond are counted."""


class LadderView:
    """A plan as two tables: what each rung took back, what became of each message."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": table.html(self.plan, most=ROWS), "text/plain": str(self)}

    def __str__(self) -> str:
        return table.text(self.plan, most=ROWS)


class PagesView:
    """The pages of a plan, as images."""

    def __init__(self, plan: Plan) -> None:
        self.pages = plan.pages

    def _ipython_display_(self) -> None:
        from IPython.display import Image, display

        for page in self.pages:
            display(Image(page.png, format="png", width=page.width, alt=f"Page {page.number} of the snapshot"))


@command("ladder [TURN]", "what each rung took back, and what became of each message", words=(0, 1), takes="turn")
def ladder(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    plan = session.plan(turn=words[0]) if words else session.plan("...")
    asked = f"As it was sent for `{words[0]}`." if words else "As it would be for a prompt now."
    return Said(
        asked, view=LadderView(plan), next="`%chat pages` shows the pages, `%chat compact` runs the ladder now"
    )


@command("pages [TURN]", "the pages that stand for the middle of the history, as images", words=(0, 1), takes="turn")
def pages(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    plan = session.plan(turn=words[0]) if words else session.plan("...")
    if not plan.pages:
        return Said(
            "Nothing is on pages here: the history is sent as text.",
            next="`%chat compact snapshot` draws the middle of it, `%chat ladder` says why not",
        )
    read = "; ".join(f"page {page.number}: {page.tokens(plan.draft.scene.profile):,} tokens" for page in plan.pages)
    return Said(read, view=PagesView(plan), next="`%chat ladder` says which turns are on which page")


@command("request [TURN]", "the exact request that was sent for a turn, images by name", words=(0, 1), takes="turn")
def request(magics: ChatMagics, words: list[str]) -> Said:
    from ..model.client import prepared

    session = magics.current.required()
    body = prepared(session.request(turn=words[0] if words else None))
    told = json.dumps(named(body), indent=1, ensure_ascii=False)
    return Said(hide(told), next="`%chat ladder` says what became of each message, `%chat cost` what it cost")


@command("compact [RUNG]", "run the ladder now: all of it, or one rung", words=(0, 1))
def compact(magics: ChatMagics, words: list[str]) -> Said:
    if words and words[0] not in RUNGS:
        raise BadInput(f"No rung is called {words[0]!r}; there are {', '.join(RUNGS)}.")
    session = magics.current.required()

    def told(event: object) -> None:
        if isinstance(event, Note):
            print(event.text)

    plan = session.compact(cast(Rung, words[0]) if words else None, watch=told)
    return Said(view=LadderView(plan), next="the next prompt is sent like this; `%chat branch ID` before it undoes it")


def named(value: Any) -> Any:
    """A request to look at: image data by size instead of its bytes."""
    if isinstance(value, Mapping):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return {**value, "data": f"<{len(value['data']) * 3 // 4:,} bytes>"}
        return {key: named(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [named(item) for item in value]
    return value
