"""What goes with a prompt besides its words: images, files, and values put in the place of `` $`expression` ``.

What is kept as the prompt is the text as it was written. What is sent is the text with the values in it. The question
(`transcript.same_question`) is the text as written and, among the settings, a hash of each image's bytes, of each
file's text and of each value: the same cell with the same data shows its stored answer, with other data it asks anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..transcript import Block
from . import imaging, results
from .files import Named
from .files import read as read_file

_INSERT = re.compile(r"(\\?)\$`([^`\n]+)`")
"""A dollar and an expression in backticks; a backslash before it makes it what it looks like."""


@dataclass(frozen=True, slots=True)
class Attached:
    """The content that is sent for a prompt, and what of it belongs to the question."""

    content: tuple[Block, ...]
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    """What was made smaller or cut, a line each."""


def attach(
    prompt: str,
    images: Sequence[Any] = (),
    evaluate: Callable[[str], Any] | None = None,
    files: Sequence[Any] = (),
) -> Attached | None:
    """The prompt with images and files before it and values in it; None where it has none of them.

    An image is a path, the bytes of a file, a PIL image or a figure; a file is a path or bytes, of text or an image;
    either may be `Named`. `evaluate` gives an expression's value; what it raises passes through. A value is put in
    once: what looks like an expression in it stays text. BadInput says which image or file cannot be sent.
    """
    pictures, notes = [], []
    for image in images:
        name, value = (image.name, image.value) if isinstance(image, Named) else ("", image)
        pictures.append(picture(value, name))
        notes.append(imaging.smaller(name or _called(value), value, pictures[-1]))
    read = [read_file(file) for file in files]
    notes += [file.note for file in read]
    values: dict[str, str] = {}
    pieces: list[Block] = []
    text, end = "", 0
    for found in _INSERT.finditer(prompt) if evaluate is not None else ():
        text += prompt[end : found.start()]
        end = found.end()
        if found[1]:
            text += found[0][1:]
            continue
        assert evaluate is not None
        expression = found[2].strip()
        value = evaluate(expression)
        made = results.blocks(value)
        if len(made) == 1:
            notes.append(imaging.smaller(expression, value, made[0]))
        values[expression] = digest(made)
        for block in made:
            if block["type"] == "text":
                text += block["text"]
            else:
                pieces += [_text(text), block]
                text = ""
    if not pictures and not read and not end:
        return None
    pieces.append(_text(text + prompt[end:]))
    settings = {
        "images": [digest([each]) for each in pictures],
        "files": [digest([file.whole]) for file in read],
        "values": values,
    }
    before = (*pictures, *(file.sent for file in read))
    content = (*before, *(each for each in pieces if each["type"] != "text" or each["text"].strip()))
    return Attached(
        content, {key: value for key, value in settings.items() if value}, tuple(note for note in notes if note)
    )


def picture(image: Any, name: str = "") -> Block:
    """The image block of a path, a file's bytes, a PIL image or a figure. BadInput where it is none."""
    if isinstance(image, (str, Path)):
        path = Path(image).expanduser()
        try:
            return imaging.block(path.read_bytes(), name or str(image))
        except OSError as error:
            raise BadInput(f"The image {str(image)!r} cannot be read: {error.strerror}. Nothing was sent.") from None
    if isinstance(image, (bytes, bytearray)):
        return imaging.block(bytes(image), name or "the image")
    made = results.blocks(image)
    if len(made) != 1 or made[0]["type"] != "image":
        what = type(image).__name__
        raise BadInput(f"{name or 'The image'} is no image but {what}. Nothing was sent.")
    return made[0]


def _called(image: Any) -> str:
    return Path(image).name if isinstance(image, (str, Path)) else "the image"


def digest(content: Sequence[Block]) -> str:
    """A short name for content, by its bytes."""
    parts = [block["text"] if block["type"] == "text" else block["source"]["data"] for block in content]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _text(text: str) -> Block:
    return {"type": "text", "text": text}
