"""Values to bytes and back: JSON in UTF-8, free of what a JSON parser or a database refuses.

Lone surrogates become U+FFFD before anything is stored. NUL stays: JSON writes it as an escape, and prompts are bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jiter

from ..transcript import Block, clean_text, same_question
from .records import TITLE

LARGE = 64 * 1024
"""A body of more bytes is kept once, by its hash, and shared."""


def pack(value: object) -> str:
    """`value` as JSON text without lone surrogates (never escaped here, so that one pass over the text finds all)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if text.isascii() else clean_text(text)


def unpack(data: bytes) -> Any:
    """The value that `pack` wrote, given its UTF-8 bytes."""
    try:
        return jiter.from_json(data)
    except ValueError:  # jiter stops at 200 levels of nesting, which a tool's input may pass
        return json.loads(data)


def unpack_contents(data: Sequence[bytes]) -> list[tuple[Block, ...]]:
    """The contents of many messages."""
    try:
        return [tuple(jiter.from_json(each)) for each in data]
    except ValueError:
        return [tuple(unpack(each)) for each in data]


def pack_content(content: Sequence[Block]) -> bytes:
    return pack(list(content)).encode()


def pack_text(text: str) -> bytes:
    return clean_text(text).encode()


def pack_settings(settings: Mapping[str, Any]) -> str | None:
    """Settings are mostly empty; those are NULL."""
    return pack(dict(settings)) if settings else None


def unpack_settings(text: str | None) -> dict[str, Any]:
    return dict(unpack(text.encode())) if text else {}


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def one_line(text: str) -> str:
    """`text` on one line, for columns that are shown in lists: any whitespace is one space, NUL is U+FFFD."""
    return " ".join(clean_text(text).replace("\0", "\ufffd").split())


def title(prompt: str) -> str:
    return one_line(prompt[: 8 * TITLE])[:TITLE]


def question(prompt: str, settings: Mapping[str, Any]) -> str:
    """The first 16 hex digits of the hash of what the user wrote."""
    return hashlib.sha256(same_question(prompt, settings).encode("utf-8", "surrogatepass")).hexdigest()[:16]
