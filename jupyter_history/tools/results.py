"""Any Python value as content blocks: what a tool returned, what a prompt inserts."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from ..errors import BadInput
from ..transcript import Block, clean_text
from . import imaging

ROWS = 30
COLUMNS = 20
CELL = 200
"""Characters of one cell of a table."""
LEAST = 200
"""Characters that are left of a shortened text, at least."""

Keep = Callable[[str], str | None]
"""Keeps a whole text; the name that `recall` shows it by, or None where it is not kept."""


def blocks(value: Any) -> list[Block]:
    """The value as text and image blocks, never empty. Nothing is shortened but tables, which say so."""
    items = list(value) if isinstance(value, (list, tuple)) and any(map(_is_picture, value)) else [value]
    made = [_picture(item) if _is_picture(item) else _text(text(item)) for item in items]
    return [each for each in made if each["type"] != "text" or each["text"].strip()] or [_text("(empty)")]


def text(value: Any) -> str:
    """The value in words: text as it is, tables bounded, JSON where it can be, else what Python shows of it."""
    if isinstance(value, str):
        return clean_text(value)
    if value is None:
        return "(nothing was returned)"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"({len(value):,} bytes that are not an image)"
    if _pandas(value):
        return clean_text(_table(value))
    try:
        return clean_text(json.dumps(_jsonable(value), ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        return clean_text(repr(value))


def shortened(whole: str, most: int, keep: Keep = lambda _text: None) -> str:
    """The text with its middle left out where it is longer than `most` characters, and how to get that back."""
    if len(whole) <= most:
        return whole
    name = keep(whole)
    left = max(LEAST, most)
    head, tail = whole[: left * 3 // 4], whole[len(whole) - left // 4 :]
    back = f'recall(result="{name}") shows all' if name else "the rest is not kept"
    return f"{head}\n[{len(whole) - len(head) - len(tail):,} of {len(whole):,} characters left out; {back}]\n{tail}"


def _jsonable(value: Any) -> Any:
    """What JSON can hold of it; TypeError for anything else, so that Python's own form is shown instead."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    if isinstance(value, Mapping):
        return {str(key): item for key, item in value.items()}
    return value


def _pandas(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series))


def _table(value: Any) -> str:
    """A DataFrame or a Series: its first and last rows, its first columns, and a note of what was cut."""
    frame = value.to_frame() if value.ndim == 1 else value
    rows, columns = frame.shape
    shown = frame.iloc[:, :COLUMNS]
    cut = []
    if rows > ROWS:
        first, last = ROWS * 2 // 3, ROWS - ROWS * 2 // 3
        shown = sys.modules["pandas"].concat([shown.iloc[:first], shown.iloc[rows - last :]])
        cut.append(f"the first {first} and the last {last} of {rows:,} rows")
    if columns > COLUMNS:
        cut.append(f"the first {COLUMNS} of {columns:,} columns: {', '.join(map(str, frame.columns[COLUMNS:]))[:500]}")
    body = shown.map(_cell).to_string(max_colwidth=CELL, index=True)
    note = f"[{rows:,} rows x {columns:,} columns{'; shown: ' + ' and '.join(cut) if cut else ''}]"
    return f"{note}\n{body}"


def _cell(item: Any) -> Any:
    return item[: CELL - 1] + "…" if isinstance(item, str) and len(item) > CELL else item


def _is_picture(value: Any) -> bool:
    if isinstance(value, (bytes, bytearray)):
        return imaging.media_type(bytes(value[:16])) is not None
    return _is_pil(value) or _is_figure(value)


def _is_pil(value: Any) -> bool:
    pil = sys.modules.get("PIL.Image")
    return pil is not None and isinstance(value, pil.Image)


def _is_figure(value: Any) -> bool:
    """A matplotlib figure, or axes that belong to one."""
    return any(kind.__module__.startswith("matplotlib.") for kind in type(value).__mro__) and (
        hasattr(value, "savefig") or hasattr(getattr(value, "figure", None), "savefig")
    )


def _picture(value: Any) -> Block:
    if isinstance(value, (bytes, bytearray)):
        return imaging.block(bytes(value))
    if _is_pil(value):
        if not all(value.size):
            raise BadInput("The image has no pixels.")
        return imaging.drawn(value)
    out = BytesIO()
    (value if hasattr(value, "savefig") else value.figure).savefig(out, format="png", dpi=100, bbox_inches="tight")
    return imaging.block(out.getvalue(), "the figure")


def _text(told: str) -> Block:
    return {"type": "text", "text": told}
