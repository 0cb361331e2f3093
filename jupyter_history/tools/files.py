"""A file that goes with a prompt: text under its name, an image as an image, anything else refused."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..transcript import Block
from . import imaging, results
from .limits import Limits

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of UTF-16, so it is looked for first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Named:
    """A value and what the user calls it: a file's name, a variable's."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class File:
    """What is sent for a file, what of it belongs to the question (all of it), and what was cut or made smaller."""

    sent: Block
    whole: Block
    note: str | None = None


def read(given: Any) -> File:
    """The file at a path, or the bytes of one. BadInput, one line, where it is neither text nor an image."""
    name, value = (given.name, given.value) if isinstance(given, Named) else (None, given)
    if isinstance(value, (str, Path)):
        path = Path(value).expanduser()
        name = name or path.name
        try:
            data = path.read_bytes()
        except OSError as error:
            raise BadInput(f"The file {name!r} cannot be read: {error.strerror}. Nothing was sent.") from None
    elif isinstance(value, (bytes, bytearray)):
        name, data = name or "the file", bytes(value)
    else:
        what = type(value).__name__
        raise BadInput(f"{name or 'The file'} is no file but {what}. Nothing was sent; $`expression` puts a value in.")
    if data.startswith(b"%PDF-"):
        raise BadInput(
            f"{name} is a PDF. Nothing was sent; extract its text, or send images of its pages with --image."
        )
    text = None if imaging.media_type(data) else _decoded(data)
    if text is not None:
        return _text(name, text)
    try:
        block = imaging.block(data, name)
    except BadInput:
        if imaging.media_type(data):
            raise
        raise BadInput(f"{name} is neither UTF-8 text nor an image. Nothing was sent; save it as UTF-8 text.") from None
    return File(block, block, imaging.smaller(name, data, block))


def _text(name: str, text: str) -> File:
    """Bounded as a tool's result is."""
    whole = results.text(text) or "(empty)"
    most = Limits().result
    shown = results.shortened(whole, most)
    note = None
    if shown != whole:
        note = (
            f"`{name}` was cut: {most:,} of its {len(whole):,} characters were sent, the middle left out. "
            "A $`variable` with its text in the prompt sends all of it."
        )
    return File(_block(name, shown), _block(name, whole), note)


def _block(name: str, text: str) -> Block:
    return {"type": "text", "text": f"{name}:\n{text}\n\n"}


def _decoded(data: bytes) -> str | None:
    """The text; None where it is not UTF-8 and has no mark of another encoding, or where it has a zero in it."""
    encoding = next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
