"""Figures of an experiment, with matplotlib (the extra `plot`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import BadInput


def figure(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Tokens and cost of each variant: against its mean score where rows have one, else as bars."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("plot() needs matplotlib: pip install 'jupyter-history[plot]'") from None
    variants = means(rows)
    if not variants:
        raise BadInput("There is no answer to plot yet.")
    drawn = Figure(figsize=(9, 3.6), layout="constrained")
    for axis, (name, label) in zip(
        drawn.subplots(1, 2), (("tokens", "tokens (in and out)"), ("cost", "dollars")), strict=True
    ):
        found = {variant: each for variant, each in variants.items() if each.get(name) is not None}
        if any("score" in each for each in found.values()):
            for variant, each in found.items():
                axis.scatter(each[name], each.get("score"))
                axis.annotate(variant, (each[name], each.get("score")), textcoords="offset points", xytext=(5, 4))
            axis.set(xlabel=label, ylabel="score", ylim=(-0.05, 1.1))
        else:
            axis.barh(list(found), [each[name] for each in found.values()])
            axis.invert_yaxis()
            axis.set(xlabel=label)
    return drawn


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Variant -> the mean of its tokens, cost and score over its answers; `repeat` is no variant."""
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        if row.get("turn"):
            name = row["variant"].removesuffix(f"repeat={row['repeat']}").strip(", ") if "repeat" in row else None
            grouped[name or row["variant"] if name != "" else "all"].append(row)
    result: dict[str, dict[str, float]] = {}
    for variant, found in grouped.items():
        values = {key: [row[key] for row in found if row.get(key) is not None] for key in ("tokens", "cost", "score")}
        result[variant] = {key: sum(each) / len(each) for key, each in values.items() if each}
    return result
