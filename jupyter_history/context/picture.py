"""An image block as the ladder sees it: its size in pixels, read from the first bytes, never decoded."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from ..transcript import Block


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels (0 where they are not told), media type and bytes of the image itself."""

    width: int
    height: int
    media: str
    bytes: int

    def __str__(self) -> str:
        size = f"{self.width}x{self.height} " if self.width else ""
        return f"{size}{self.media.removeprefix('image/').upper()}".strip()


def picture(block: Block) -> Picture:
    """What an image block says of itself."""
    source = block.get("source") or {}
    media = str(source.get("media_type") or "image")
    if source.get("type") != "base64":
        return Picture(0, 0, media, 0)
    data = str(source.get("data", ""))
    width, height = _size(data)
    return Picture(width, height, media, len(data) * 3 // 4 - data[-2:].count("="))


def _size(data: str) -> tuple[int, int]:
    """Width and height of a base64 PNG, GIF, WebP or JPEG; (0, 0) where the header tells none."""
    head = _decode(data[:64])
    if head.startswith(b"\x89PNG\r\n\x1a\n") and len(head) >= 24:
        return int.from_bytes(head[16:20]), int.from_bytes(head[20:24])
    if head[:3] == b"GIF" and len(head) >= 10:
        return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp(head)
    if head[:2] == b"\xff\xd8":
        return _jpeg(data)
    return 0, 0


def _decode(data: str) -> bytes:
    try:
        return base64.b64decode(data[: len(data) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _webp(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF


def _jpeg(data: str) -> tuple[int, int]:
    """The frame header stands behind a few segments; metadata before it may be long."""
    raw = _decode(data[:400_000])
    at = 2
    while at + 9 < len(raw) and raw[at] == 0xFF:
        marker, length = raw[at + 1], int.from_bytes(raw[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(raw[at + 7 : at + 9]), int.from_bytes(raw[at + 5 : at + 7])
        at += 2 + length
    return 0, 0
