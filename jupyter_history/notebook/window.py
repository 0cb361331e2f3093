"""The commands about the context window: the exact request, and the ladder run now.

`request` only looks (rule 23); `compact` calls a model for the summary alone, and says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ..context.budget import RUNGS, Rung
from ..errors import BadInput
from ..progress import Note
from .command import Said, command
from .keys import hide

if TYPE_CHECKING:
    from .magics import ChatMagics


@command(
    "request [TURN]",
    "the exact request that was sent for a turn (`next`: of the next prompt), images by name",
    words=(0, 1),
    takes="sent",
)
def request(magics: ChatMagics, words: list[str]) -> Said:
    from ..model.client import prepared

    session = magics.current.required()
    body = prepared(session.request("...") if words == ["next"] else session.request(turn=words[0] if words else None))
    told = json.dumps(named(body), indent=1, ensure_ascii=False)
    return Said(hide(told), next="`%chat ladder` says what became of each message, `%chat cost` what it cost")


@command(
    "compact [RUNG]",
    "run the ladder now, before it is due; with a rung, that one however much room there is",
    words=(0, 1),
    takes="rung",
)
def compact(magics: ChatMagics, words: list[str]) -> Said:
    if words and words[0] not in RUNGS:
        raise BadInput(f"No rung is called {words[0]!r}; there are {', '.join(RUNGS)}.")
    from .explorers import LadderView

    session = magics.current.required()

    def told(event: object) -> None:
        if isinstance(event, Note):
            print(event.text)

    plan = session.compact(cast(Rung, words[0]) if words else None, watch=told)
    if not any(taken.applied for taken in plan.rungs):
        next_ = (
            "nothing was taken back; the table says why. `%chat compact RUNG` runs one rung however much room there is"
        )
    else:
        next_ = "the next prompt is sent like this; `%chat branch ID` before it undoes it"
    return Said(view=LadderView(session, plan, turn="next"), next=next_)


def named(value: Any) -> Any:
    """A request to look at: image data by size instead of its bytes."""
    if isinstance(value, Mapping):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return {**value, "data": f"<{len(value['data']) * 3 // 4:,} bytes>"}
        return {key: named(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [named(item) for item in value]
    return value
