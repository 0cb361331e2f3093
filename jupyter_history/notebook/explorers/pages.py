"""The images that stand for older turns: where each character is, and what the same text costs either way."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ... import pages as drawing
from ...context.source import Part, parts
from ...errors import BadInput
from ...pages.profiles import CELLS, PROFILES
from ..markdown import visible
from ..static import escaped
from .ladder import NEXT
from .view import View

if TYPE_CHECKING:
    from ...context.plan import Plan
    from ...pages import Page
    from ...session.session import Session

_IMAGE = "max-width:100%;height:auto;image-rendering:pixelated;border:1px solid rgba(128,128,128,0.35)"

KEPT = 1_500_000
"""Bytes of pages that the HTML carries; the pages after these are only listed."""


@dataclass(frozen=True)
class Drawn:
    """Pages and what they stand for. `what_if`: nothing was sent like this. `tags`: turn tag -> turn id."""

    pages: Sequence[Page]
    what_if: bool
    profile: str
    model: str
    tier: str
    as_text: int
    """Tokens of the same text."""
    as_image: int
    """Tokens of the images alone."""
    beside: int
    """Tokens of the text that stands beside the images: prompts, exact strings."""
    tags: Mapping[str, str]


class PagesView(View):
    """Pages with their source: pointing at one shows the other."""

    kind = "pages"

    def __init__(self, session: Session, drawn: Drawn, **args: Any) -> None:
        super().__init__(session, **args)
        self.drawn = drawn

    def data(self) -> dict[str, Any]:
        drawn = self.drawn
        return {
            "what_if": drawn.what_if,
            "profile": drawn.profile,
            "profiles": list(PROFILES),
            "model": drawn.model,
            "as_text": drawn.as_text,
            "as_image": drawn.as_image,
            "beside": drawn.beside,
            "tags": dict(drawn.tags),
            "pages": [_numbers(page, drawn.tier) for page in drawn.pages],
        }

    def html(self) -> str:
        drawn, kept, left, out = self.drawn, KEPT, 0, [f"<p>{escaped(headline(self.drawn))}</p>"]
        for page in drawn.pages:
            kept -= len(page.png) * 4 // 3
            if kept < 0:
                left += 1
                continue
            data = base64.b64encode(page.png).decode("ascii")
            name = f"page {page.number}: {', '.join(dict.fromkeys(span.tag for span in page.spans))}"
            unfolded = " open" if page.number == 1 else ""
            out.append(
                f'<details{unfolded}><summary style="cursor:pointer">{escaped(name)}</summary>'
                f'<img alt="{escaped(name)}" src="data:image/png;base64,{data}" width="{page.width}" style="{_IMAGE}">'
                f"</details>"
            )
        if left:
            out.append(f"<p>{left:,} more pages are not kept in this output.</p>")
        return "".join(out)

    def text(self) -> str:
        lines = [headline(self.drawn)]
        for page in self.drawn.pages:
            spans = page.spans
            ends = f"{spans[0].tag} to {spans[-1].tag}" if spans else "nothing"
            size = sum(span.end - span.start for span in spans)
            lines.append(
                f"  page {page.number}: {page.width} x {page.height}, {ends}, {size:,} characters, "
                f"{page.tokens(self.drawn.tier):,} tokens"
            )
        return "\n".join(lines)


def pages(session: Session, turn: str | None = None, *, profile: str | None = None) -> PagesView:
    """The pages that were sent for a turn; by default (`next`) those of a prompt now.

    Where nothing is on pages, or in another `profile`, a what-if: the whole path as pages.
    """
    session.refresh()
    turn = NEXT if turn in (None, NEXT) else session.tree.resolve(str(turn))
    return PagesView(session, drawn(session, turn, profile), turn=turn, profile=profile)


def drawn(session: Session, turn: str, profile: str | None = None) -> Drawn:
    """The pages of a request, or the whole path up to it drawn now."""
    if profile is not None and profile not in PROFILES:
        raise BadInput(f"No page profile is called {profile!r}; there are {', '.join(PROFILES)}.")
    made = session.plan("...") if turn == NEXT else session.plan(turn=turn)
    scene, section = made.draft.scene, made.draft.section
    tags = {scene.tag(n): message.turn for n, message in enumerate(scene.path)}
    model, tier = scene.profile.id, scene.profile.tier
    if section is not None and profile in (None, section.profile):
        images = sum(page.tokens(tier) for page in section.pages)
        beside = scene.calibration.tokens(section.weight.text, 0)
        return Drawn(section.pages, False, section.profile, model, tier, round(section.text), images, beside, tags)
    if not scene.path:
        raise BadInput("There is nothing to draw yet: no turn stands before this one.")
    pieces = _pieces(made)
    name = profile or drawing.for_model(scene.profile, "".join(text for *_, text in pieces)[:20_000]).name
    sheets = drawing.draw(pieces, name)
    as_text = sum(scene.text_tokens(text) for *_, text in pieces)
    images = sum(page.tokens(tier) for page in sheets)
    return Drawn(sheets, True, name, model, tier, as_text, images, 0, tags)


def _pieces(made: Plan) -> list[Part]:
    """The path as pages would show it, nothing elided."""
    whole = type(made.draft)(made.draft.scene)
    return [piece for n in range(len(made.draft.scene.path)) for piece in parts(whole, n)]


def page(session: Session, args: Mapping[str, Any], number: int) -> dict[str, Any]:
    """One page's image, and for each of its spans the source text."""
    found = drawn(session, args["turn"], args.get("profile"))
    for each in found.pages:
        if each.number == number:
            return {
                "png": base64.b64encode(each.png).decode("ascii"),
                "texts": [visible(span.text) for span in each.spans],
            }
    raise BadInput(f"There is no page {number}; there are {len(found.pages)}.")


def profiles(session: Session, args: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the same text comes to in each profile, with the first page of each."""
    rows = []
    for name in PROFILES:
        found = drawn(session, args["turn"], name)
        first = found.pages[0] if found.pages else None
        rows.append(
            {
                "profile": name,
                "pages": len(found.pages),
                "tokens": found.as_image,
                "as_text": found.as_text,
                "font": PROFILES[name].font,
                "width": first.width if first else 0,
                "height": first.height if first else 0,
                "png": base64.b64encode(first.png).decode("ascii") if first else "",
            }
        )
    return rows


def headline(found: Drawn) -> str:
    """The pages and what they cost, in one line."""
    count = f"{len(found.pages)} page{'' if len(found.pages) == 1 else 's'}"
    how = f"{count} in profile {found.profile}: {found.as_image:,} tokens as images"
    beside = f" and {found.beside:,} of text beside them" if found.beside else ""
    spent = found.as_image + found.beside
    share = f" ({spent / found.as_text:.0%} of {found.as_text:,} as text)" if found.as_text else ""
    mark = "What if the whole path were pages; nothing was sent like this. " if found.what_if else ""
    return f"{mark}{how}{beside}{share}, for {found.model}."


def _numbers(page: Page, tier: str) -> dict[str, Any]:
    """A page without its pixels and its text. `spans`: part, tag, role, characters from and to, cells from and to."""
    width, height = CELLS[page.font]
    return {
        "number": page.number,
        "width": page.width,
        "height": page.height,
        "cell": [width, height + page.leading],
        "columns": page.width // width,
        "tokens": page.tokens(tier),
        "sealed": page.sealed,
        "spans": [[span.part, span.tag, span.role, span.start, span.end, span.first, span.last] for span in page.spans],
    }
