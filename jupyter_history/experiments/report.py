"""A recall test and a page test as Markdown tables: counts first, shares after, and who read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import catalog
from ..notebook.markdown import safe_line
from .legibility import page_tokens
from .recall import DEPTHS, Share, share, usual
from .table import rows

if TYPE_CHECKING:
    from .legibility import Legibility
    from .recall import Asked, Recall

EXACT = (
    "deterministic: decodes exactly and searches instead of understanding; its summary is an extract. "
    "An upper bound for what can still be read, no model"
)
BLURRY = "deterministic: a simulation of misreadings by glyph distance; of no particular model"
NO_INTERVAL = "deterministic"


def recall_report(made: Recall) -> str:
    """Which reader, then for each the table of variants, by kind and by depth."""
    parts = [_head(made)]
    for model in made.models:
        asked = [each for each in made.asked if each.model == model]
        if asked:
            parts += [
                f"**{model}** ({reader(model, len(made.histories))})",
                _variants(made, asked),
                _split(made, asked, "kind"),
                _split(made, asked, "depth"),
            ]
    if made.failed:
        parts.append(f"{len(made.failed)} questions were not answered, the first: {safe_line(made.failed[0])}")
    return "\n\n".join(part for part in parts if part)


def reader(model: str, histories: int = 0) -> str:
    """Who read, and what its intervals are over; `histories`: 0 where none is asked about."""
    if not catalog.is_offline(model):
        over = {0: "", 1: ", over the questions of one history: it says nothing of others"}
        return "a language model; 95 % intervals" + over.get(histories, ", clustered by history")
    return BLURRY if model.endswith("blurry") else EXACT


def _head(made: Recall) -> str:
    asked = sum(len(history.questions) for history in made.histories)
    names = ", ".join(history.name for history in made.histories)
    windows = [f"{window:,}" for (model, _), window in made.windows.items() if model == made.models[0]]
    return (
        f"{asked} questions about {counted(made)} ({names}), the same for every variant. Rungs worked "
        f"with a window of {' / '.join(windows)} tokens, `off` with one that holds the history."
    )


def counted(made: Recall) -> str:
    return "1 history" if len(made.histories) == 1 else f"{len(made.histories)} histories"


def _variants(made: Recall, asked: Sequence[Asked]) -> str:
    header = [
        "variant",
        "right",
        "wrong",
        "of these near",
        "abstained",
        "recall",
        "95 %",
        "tokens in",
        "dollars each",
        "rung ran",
        "recalled",
    ]
    body = []
    for variant in made.variants:
        mine = [each for each in asked if each.variant == variant.name]
        if not mine:
            continue
        found = share(mine)
        tokens, cost = usual(mine)
        ran = sum(variant.rung in each.took for each in mine) if variant.rung else 0
        body.append(
            [
                variant.name,
                found.right,
                found.wrong,
                found.near,
                found.abstained,
                f"{found.recall:.0%}",
                between(found),
                f"{tokens:,.0f}",
                amount(cost),
                f"{ran} of {len(mine)}" if variant.rung else "-",
                sum(each.rounds > 1 for each in mine) if variant.recall else "-",
            ]
        )
    return "\n".join(rows(header, body, right=range(1, 9)))


def amount(dollars: float | None) -> str:
    """Under a header that says dollars: a sign of them would begin a formula in Markdown."""
    return "unknown" if dollars is None else f"{dollars:.4f}" if dollars else "free"


def _split(made: Recall, asked: Sequence[Asked], by: str) -> str:
    """Recall by kind of fact, or by depth, a column each."""
    columns = DEPTHS if by == "depth" else tuple(dict.fromkeys(each.question.kind for each in asked))
    columns = tuple(column for column in columns if any(_column(each, by) == column for each in asked))
    if len(columns) < 2:
        return ""
    body = []
    for variant in made.variants:
        mine = [each for each in asked if each.variant == variant.name]
        if mine:
            shares = [share([each for each in mine if _column(each, by) == column]) for column in columns]
            body.append([variant.name, *(f"{found.right}/{found.wrong}/{found.abstained}" for found in shares)])
    titles = [f"{column}" for column in columns]
    return f"Right/wrong/abstained by {by}:\n\n" + "\n".join(rows(["variant", *titles], body, right=range(1, 9)))


def _column(each: Asked, by: str) -> str:
    return each.depth if by == "depth" else each.question.kind


def between(found: Share) -> str:
    """The interval, or why there is none."""
    if found.low is None or found.high is None:
        return NO_INTERVAL
    return f"{found.low:.0%} to {found.high:.0%}"


def page_report(made: Legibility) -> str:
    """The table of profiles, densest first, and what is offered."""
    header = ["profile", "right", "wrong", "of these near", "abstained", "exact", "95 %"]
    header += ["characters a token", "dollars per 100,000 characters"]
    kinds = tuple(dict.fromkeys(each.token.kind for each in made.tokens))
    body, apart = [], []
    for profile in made.by_density:
        found = made.share(profile.name)
        price = made.price(profile)
        body.append(
            [
                profile.name,
                found.right,
                found.wrong,
                found.near,
                found.abstained,
                f"{found.recall:.1%}",
                between(found),
                f"{profile.capacity / page_tokens(profile, made.model):.1f}",
                amount(price),
            ]
        )
        shares = [made.share(profile.name, kind) for kind in kinds]
        apart.append([profile.name, *(f"{each.right}/{each.wrong}/{each.abstained}" for each in shares)])
    offered = made.offer
    line = (
        f"Offered: **{offered}**, the densest that is read well enough; `use(session)` takes it up for new snapshots."
        if offered
        else "No profile is offered: none was read exactly enough (95 %, at the lower bound, of at least 100 tokens)."
    )
    parts = [
        f"**{made.model}** ({reader(made.model)}), random tokens on dense pages",
        "\n".join(rows(header, body, right=range(1, 9))),
        "Right/wrong/abstained by kind:\n\n" + "\n".join(rows(["profile", *kinds], apart, right=range(1, 9))),
        line,
    ]
    if made.failed:
        parts.append(f"{len(made.failed)} questions were not answered, the first: {safe_line(made.failed[0])}")
    return "\n\n".join(parts)
