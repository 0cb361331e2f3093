"""Images as a server measures them: type and size from their first bytes, tokens after the tier's resize."""

from __future__ import annotations

import base64
import binascii
import struct
from math import ceil

from ...transcript import Block
from ..catalog import IMAGE_LIMITS, Tier

Size = tuple[int, int]
_PATCH = 28
"""Pixels: an image costs a token for each square of this side that it touches."""


class Unreadable(ValueError):
    """Bytes that are no image, or not the image they claim to be; the text is the provider's."""


def data(block: Block) -> bytes:
    """The bytes of an image block with a base64 source."""
    source = block.get("source") or {}
    if source.get("type") != "base64":
        raise Unreadable("source.type: only base64 images can be read offline")
    try:
        return base64.b64decode(source.get("data", ""), validate=True)
    except (binascii.Error, ValueError):
        raise Unreadable("source.base64: invalid base64 data") from None


def kind(content: bytes) -> str:
    """The media type that the first bytes show."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content[:6] in (b"GIF87a", b"GIF89a"):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    raise Unreadable("Could not process image")


def size(block: Block) -> Size:
    """(width, height) in pixels. Raises Unreadable."""
    content = data(block)
    form = kind(content)
    try:
        if form == "image/png":
            width, height = struct.unpack(">II", content[16:24])
            return width, height
        if form == "image/gif":
            width, height = struct.unpack("<HH", content[6:10])
            return width, height
        return _by_decoding(content)
    except struct.error:
        raise Unreadable("Could not process image") from None


def _by_decoding(content: bytes) -> Size:
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content)) as image:
            return image.size
    except (UnidentifiedImageError, OSError):
        raise Unreadable("Could not process image") from None


def tokens(size: Size) -> int:
    """ceil(w/28) * ceil(h/28)."""
    return ceil(size[0] / _PATCH) * ceil(size[1] / _PATCH)


def resized(size: Size, tier: Tier) -> Size:
    """What the server makes of an image: the largest size of the same shape within the tier's edge and tokens."""
    edge, most = IMAGE_LIMITS[tier]
    width, height = size
    if max(size) <= edge and tokens(size) <= most:
        return size
    longest = max(size)
    fits, too_large = 1, min(longest, edge) + 1
    while too_large - fits > 1:
        side = (fits + too_large) // 2
        scaled = (max(1, width * side // longest), max(1, height * side // longest))
        fits, too_large = (side, too_large) if tokens(scaled) <= most else (fits, side)
    return max(1, width * fits // longest), max(1, height * fits // longest)


def cost(size: Size, tier: Tier) -> int:
    """Tokens of an image of that size, as the server sees it."""
    return tokens(resized(size, tier))
