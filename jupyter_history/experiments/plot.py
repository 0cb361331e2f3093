"""Figures of an experiment, with matplotlib (the extra `plot`)."""

from __future__ import annotations

import io
import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ..errors import BadInput
from ..model import catalog

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INCHES = 4.6, 3.6
"""Of one panel."""
MARKS = "osD^vP*X"
KEYS = ("tokens", "cost", "score")


class Drawn(Figure):
    """A matplotlib figure that a notebook shows without `%matplotlib inline`."""

    def _repr_png_(self) -> bytes:
        png = io.BytesIO()
        self.savefig(png, format="png", dpi=110)
        return png.getvalue()


def figure(rows: Sequence[Mapping[str, Any]]) -> Drawn:
    """Tokens of each variant, and dollars where something was paid: against the mean score where rows have one, else
    as bars."""
    variants = means(rows)
    if not variants:
        raise BadInput("There is no answer to plot yet.")
    paid = any(each.get("cost") for each in variants.values())
    panels = [("tokens", "tokens (in and out)"), *[("cost", "dollars")] * paid]
    drawn = Drawn(figsize=(INCHES[0] * len(panels), INCHES[1]), layout="constrained")
    for axes, (name, label) in zip(drawn.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        found = {variant: each for variant, each in variants.items() if name in each}
        (_scatter if any("score" in each for each in found.values()) else _bars)(axes, found, name)
        axes.set_xlabel(label)
        axes.locator_params(axis="x", nbins=5)
        if name == "tokens":
            axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = drawn.axes[0].get_legend_handles_labels()
    if handles:
        drawn.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    if not paid:
        drawn.suptitle(free(rows, variants), fontsize="medium")
    return drawn


def free(rows: Sequence[Mapping[str, Any]], variants: Mapping[str, Mapping[str, float]]) -> str:
    """Why there are no dollars."""
    if any("cost" not in each for each in variants.values()):
        return "price unknown"
    offline = all(catalog.is_offline(row["answered_by"]) for row in rows if row.get("turn"))
    return "free: offline" if offline else "free"


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Variant -> the means of `KEYS` over its answers, and how many these are (`of`); `repeat` is no variant."""
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row.get("turn"):
            grouped[_variant(row)].append(row)
    result: dict[str, dict[str, float]] = {}
    for variant, found in grouped.items():
        values = {key: [row[key] for row in found if row.get(key) is not None] for key in KEYS}
        result[variant] = {key: sum(each) / len(each) for key, each in values.items() if each} | {"of": len(found)}
    return result


def _variant(row: Mapping[str, Any]) -> str:
    if "repeat" not in row:
        return str(row["variant"])
    return str(row["variant"]).removesuffix(f"repeat={row['repeat']}").strip(", ") or "all"


def _bars(axes: Axes, found: Mapping[str, Mapping[str, float]], name: str) -> None:
    drawn = axes.barh(list(found), [each[name] for each in found.values()])
    axes.bar_label(drawn, fmt="{:,.0f}" if name == "tokens" else "${:.4f}", padding=3, fontsize="small")
    axes.margins(x=0.18)
    axes.invert_yaxis()


def _scatter(axes: Axes, found: Mapping[str, Mapping[str, float]], name: str) -> None:
    """A dot each, every one with a mark of its own: dots at one place can be told apart."""
    scored = {variant: each for variant, each in found.items() if "score" in each}
    for (variant, each), mark in zip(scored.items(), itertools.cycle(MARKS)):
        label = f"{variant}: {each['score']:.2f} (n = {each['of']:.0f})"
        axes.scatter(each[name], each["score"], marker=mark, s=64, alpha=0.75, label=label)
    axes.set(ylabel="mean score", xlim=(0, 1.1 * max(each[name] for each in scored.values()) or 1))
    if all(0 <= each["score"] <= 1 for each in scored.values()):
        axes.set_ylim(-0.05, 1.05)
