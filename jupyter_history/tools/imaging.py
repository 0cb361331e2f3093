"""An image as the API takes it: its kind read from its bytes, its size checked, made smaller where it is too large."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..transcript import Block

SIDE = 2000
"""Pixels of the longer edge. A request with more than 20 images takes no larger ones, so none is made."""
BYTES = 3_750_000
"""Of the file: 5 MB in base64, the least that any provider takes."""

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def media_type(data: bytes) -> str | None:
    """What the first bytes say it is; None for what the API does not take. A file's name says nothing."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def block(data: bytes, name: str = "the image") -> Block:
    """The image block of a file's bytes, unchanged where they may be sent as they are. BadInput if it is no image."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data)) as image:
            kind = media_type(data)
            if kind is not None and len(data) <= BYTES and max(image.size) <= SIDE:
                image.verify()
                return _block(kind, data)
            return drawn(image)
    except UnidentifiedImageError:
        raise BadInput(f"{name} is not an image that can be read. Nothing was sent.") from None
    except Image.DecompressionBombError:
        raise BadInput(f"{name} has too many pixels to be opened safely. Nothing was sent.") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise BadInput(f"{name} cannot be read as an image ({error}). Nothing was sent.") from None


def drawn(image: Any) -> Block:
    """The image block of a PIL image: PNG, or JPEG where PNG is too large, of at most `SIDE` pixels and `BYTES`."""
    picture = image if image.mode in ("RGB", "RGBA", "L", "LA", "1", "P") else image.convert("RGB")
    side = SIDE
    while True:
        shown = picture
        if max(shown.size) > side:
            if shown.mode in ("1", "P"):
                shown = shown.convert("RGBA" if "transparency" in shown.info else "RGB")
            shown = shown.copy()
            shown.thumbnail((side, side))
        for kind, options in (("PNG", {}), ("JPEG", {"quality": 85})):
            out = BytesIO()
            (shown if kind == "PNG" else shown.convert("RGB")).save(out, kind, **options)
            if out.tell() <= BYTES:
                return _block(f"image/{kind.lower()}", out.getvalue())
        side //= 2


def smaller(name: str, given: Any, sent: Block) -> str | None:
    """One line where an image (a path, a file's bytes, a PIL image) was sent with fewer pixels than it has."""
    from PIL import Image

    if sent["type"] != "image":
        return None
    if isinstance(given, Image.Image):
        before = given.size
    elif isinstance(given, (str, Path, bytes, bytearray)):
        source = Path(given).expanduser() if isinstance(given, (str, Path)) else BytesIO(given)
        with Image.open(source) as image:
            before = image.size
    else:  # a figure, drawn for this
        return None
    with Image.open(BytesIO(base64.b64decode(sent["source"]["data"]))) as image:
        after = image.size
    if before == after:
        return None
    return f"`{name}` was made smaller: {before[0]}x{before[1]} to {after[0]}x{after[1]}"


def _block(kind: str, data: bytes) -> Block:
    source = {"type": "base64", "media_type": kind, "data": base64.b64encode(data).decode()}
    return {"type": "image", "source": source}
