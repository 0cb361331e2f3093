"""How the offline reader counts tokens: a rule of its own, so that an estimate made elsewhere can be wrong for real.

Text: a word costs one token for every four letters begun, a number one for every three digits begun, any other
character (punctuation, CJK, emoji) one each, a run of line breaks one, a run of two or more blanks one; single blanks
are free. A message costs 4 more, a tool 16 more, a call or a result 8 more, an image what `images.cost` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ...transcript import THINKING, Block
from .. import catalog
from . import images

_MESSAGE, _TOOL, _CALL = 4, 16, 8
_PIECES = re.compile(r"([A-Za-z]+)|([0-9]+)|(\n+)|([^\S\n]{2,})|(\S)")


@lru_cache(maxsize=4096)
def text(value: str) -> int:
    """Tokens of a text."""
    total = 0
    for letters, digits, _breaks, _blanks, _other in _PIECES.findall(value):
        total += -(-len(letters) // 4) if letters else -(-len(digits) // 3) if digits else 1
    return total


def block(value: Block, tier: catalog.Tier) -> int:
    """Tokens of one content block. Thinking is not counted: the reader does not read it."""
    kind = value["type"]
    if kind == "text":
        return text(value["text"])
    if kind == "image":
        return images.cost(images.size(value), tier)
    if kind == "tool_use":
        return _CALL + text(value["name"]) + text(json.dumps(value["input"], ensure_ascii=False))
    if kind == "tool_result":
        content = value.get("content", "")
        return _CALL + (text(content) if isinstance(content, str) else sum(block(part, tier) for part in content))
    return 0 if kind in THINKING else text(json.dumps(value, ensure_ascii=False))


def pieces(body: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    """What is read, in the order it is read (tools, system, messages): each piece with its tokens."""
    tier = catalog.profile(str(body["model"])).tier
    for tool in body.get("tools") or ():
        yield tool, _TOOL + text(json.dumps(bare(tool), ensure_ascii=False))
    for part in blocks(body.get("system") or ""):
        yield part, block(part, tier)
    for message in body["messages"]:
        extra = _MESSAGE
        for part in blocks(message["content"]):
            yield part, extra + block(part, tier)
            extra = 0


def request(body: Mapping[str, Any]) -> int:
    """Tokens of a whole request."""
    return sum(tokens for _, tokens in pieces(body))


def blocks(content: Any) -> list[Block]:
    """Content as a list of blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def bare(value: Block) -> Block:
    """A piece without its cache mark, which is no part of what is read."""
    return {key: item for key, item in value.items() if key != "cache_control"}
