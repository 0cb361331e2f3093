"""What was sent for a turn, or would be: each rung before and after, what became of each message, the exact request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...context import table
from ...context.budget import RUNGS
from ..markdown import visible
from ..window import named
from .view import View

if TYPE_CHECKING:
    from ...context.plan import Plan
    from ...context.report import Row
    from ...session.session import Session

LISTED = 200
"""Messages that the HTML and the text list, the newest; a front end shows all."""

NEXT = "next"
"""In place of a turn's id: a prompt that is not written yet."""

LEAST = 1_000
"""Tokens: the smallest window of a what-if."""


class LadderView(View):
    """The ladder on one request. With `window` or `rungs` it is a what-if: planned anew, nothing sent."""

    kind = "ladder"

    def __init__(self, session: Session, made: Plan, **args: Any) -> None:
        super().__init__(session, **args)
        self.plan = made

    @property
    def what_if(self) -> bool:
        return "window" in self.args or "rungs" in self.args

    def data(self) -> dict[str, Any]:
        made, scene = self.plan, self.plan.draft.scene
        return {
            "what_if": self.what_if,
            "headline": table.headline(made),
            "model": scene.profile.id,
            "most": scene.profile.window,
            "least": min(LEAST, scene.profile.window),
            "window": made.window,
            "room": made.room,
            "raw": made.rungs[0].before if made.rungs else made.tokens,
            "tokens": made.tokens,
            "fits": made.fits and made.problem is None,
            "ladder": list(scene.policy.rungs),
            "rungs": [
                {
                    "rung": rung.rung,
                    "before": rung.before,
                    "after": rung.after,
                    "applied": rung.applied,
                    "why": rung.why,
                    "lost": rung.lost,
                    "cost": rung.cost,
                }
                for rung in made.rungs
            ],
            "rows": [_row(row) for row in made.rows],
            "remarks": remarks(made),
            "pages": len(made.pages),
            "pinned": list(self.session.conversation.settings.get("pinned", ())),
            "undo": undone(self.session),
        }

    def asked(self) -> dict[str, Any]:
        return {"glances": [visible(row.text) for row in self.plan.rows]}

    def html(self) -> str:
        mark = "<p><strong>What if</strong>: planned anew, nothing was sent.</p>" if self.what_if else ""
        return mark + bars(self.plan) + table.html(self.plan, most=LISTED)

    def text(self) -> str:
        mark = "What if (planned anew, nothing was sent):\n" if self.what_if else ""
        return mark + visible(table.text(self.plan, most=LISTED))


def ladder(
    session: Session, turn: str | None = None, *, window: int | None = None, rungs: str | list[str] | None = None
) -> LadderView:
    """The plan that a turn was sent by; by default (`next`) the plan for a prompt now.

    `window` in tokens and `rungs` (some of them, or `off`) make it a what-if.
    """
    session.refresh()
    terms = _terms(window, rungs)
    if turn in (None, NEXT):
        return LadderView(session, session.plan("...", **terms), turn=NEXT, window=window, rungs=_names(rungs))
    turn = session.tree.resolve(str(turn))
    made = session.plan(turn=turn, **terms)
    return LadderView(session, made, turn=turn, window=window, rungs=_names(rungs))


def _names(rungs: str | list[str] | None) -> list[str] | None:
    if rungs is None:
        return None
    return [name for name in (rungs.split(",") if isinstance(rungs, str) else rungs) if name != "off"]


def _terms(window: int | None, rungs: str | list[str] | None) -> dict[str, Any]:
    """The settings of a what-if; none where it is none."""
    terms: dict[str, Any] = {} if window is None else {"window": int(window)}
    names = _names(rungs)
    if names is not None:
        terms["ladder"] = "auto" if set(names) == set(RUNGS) else ",".join(names) or "off"
    return terms


def shown_request(session: Session, args: Mapping[str, Any]) -> dict[str, Any]:
    """The exact request of a ladder view, images by name."""
    from ...model.client import prepared

    turn = args.get("turn")
    terms = _terms(args.get("window"), args.get("rungs"))
    body = session.request("...", **terms) if turn == NEXT else session.request(turn=turn, **terms)
    shown: dict[str, Any] = named(prepared(body))
    return shown


def undone(session: Session) -> dict[str, str | None] | None:
    """The last decision of the ladder that holds on the path: after which turn it was made, and what stands before."""
    path = set(session.tree.path(session.tip))
    for overlay in reversed(session.store.overlays(session.id)):
        turn = overlay.anchor.partition(".")[0]
        if turn in path:
            return {"turn": turn, "before": session.tree.parent(turn), "kind": overlay.kind}
    return None


def remarks(made: Plan) -> list[str]:
    """What else is to be known of a plan, in lines."""
    lines = [str(made.rewrite)] if made.rewrite is not None else []
    lines += [f"Before this is sent, a summary has to be written: {made.need}."] if made.need is not None else []
    lines += [made.problem] if made.problem is not None else []
    return [*lines, *made.notes]


def _row(row: Row) -> list[Any]:
    """id, tag, role, disposition, reason, tokens before and after, and of user prompts the beginning."""
    prompt = visible(row.text) if row.role == "user" and row.id.endswith(".0") else ""
    return [row.id, row.tag, row.role, row.disposition, row.reason, row.before, row.after, prompt]


# -- HTML --------------------------------------------------------------------------------------------------------------

_LINE = "display:flex;align-items:center;gap:0.8em;margin:3px 0;max-width:60em"
_TRACK = "position:relative;flex:1;height:14px;background-color:rgba(128,128,128,0.18);border-radius:3px"
_BAR = "position:absolute;left:0;top:0;height:14px;border-radius:3px"


def bars(made: Plan) -> str:
    """The request after each rung against the window."""
    whole = max([made.window, *(rung.before for rung in made.rungs), made.tokens]) or 1
    stages = [("as stored", made.rungs[0].before if made.rungs else made.tokens)]
    stages += [(rung.rung, rung.after) for rung in made.rungs if rung.applied]
    out = []
    for name, tokens in stages:
        width = f"width:{100 * tokens / whole:.1f}%"
        over = tokens > made.room
        tint = "rgba(229,57,53,0.75)" if over else "rgba(33,150,243,0.75)"
        limit = f"position:absolute;left:{100 * made.room / whole:.1f}%;top:-2px;height:18px;border-left:2px solid"
        out.append(
            f'<div style="{_LINE}"><span style="flex:0 0 6em">{name}</span>'
            f'<span style="{_TRACK}"><span style="{_BAR};{width};background-color:{tint}"></span>'
            f'<span style="{limit} rgba(128,128,128,0.9)"></span></span>'
            f'<span style="flex:0 0 6em;text-align:right">{tokens:,}</span></div>'
        )
    return "".join(out)
