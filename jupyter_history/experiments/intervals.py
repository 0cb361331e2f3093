"""How far a share that was measured may be from the true one: Wilson intervals, widened for clusters."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

Z = 1.959964
"""95 %, two-sided."""
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
"""Student's t, 97.5 %, for 1, 2, ... degrees of freedom."""


def wilson(right: int, of: float, z: float = Z) -> tuple[float, float]:
    """The Wilson score interval of right/of; `of` may be an effective size. (0, 1) where nothing was measured."""
    return interval(right / of, of, z) if of > 0 else (0.0, 1.0)


def interval(share: float, of: float, z: float = Z) -> tuple[float, float]:
    if of <= 0:
        return 0.0, 1.0
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def clustered(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The interval of a pooled share over clusters of (right, of), as Korn and Graubard (1998) have it.

    The size is divided by the design effect, estimated from the spread between the clusters (at least 1), and t of
    (clusters - 1) degrees of freedom takes the place of z. One cluster: plain Wilson, which knows of no clusters.
    """
    counts = [(right, of) for right, of in counts if of]
    total = sum(of for _, of in counts)
    if not total:
        return 0.0, 1.0
    share = sum(right for right, _ in counts) / total
    k = len(counts)
    if k < 2:
        return interval(share, total)
    simple = share * (1 - share) / total
    between = k / (k - 1) * sum((right - of * share) ** 2 for right, of in counts) / total**2
    effect = max(1.0, between / simple) if simple else 1.0
    t = _T[k - 2] if k - 2 < len(_T) else Z
    return interval(share, total / effect, t)
