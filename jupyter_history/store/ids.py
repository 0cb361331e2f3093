"""Ids that are read aloud and typed: Crockford's alphabet in lower case, a letter first.

A turn id has 6 characters (7 x 10^8 of them), a conversation id 8. Only the database knows which are taken.
"""

from __future__ import annotations

import re
import secrets

LETTERS = "abcdefghjkmnpqrstvwxyz"
ALPHABET = "0123456789" + LETTERS
TURN, CONVERSATION = 6, 8
_TURN_ID = re.compile(f"[{LETTERS}][{ALPHABET}]{{{TURN - 1}}}")


def draw(length: int) -> str:
    """A random id of `length` characters. (The alphabet has 32, so five bits of a byte are one of them.)"""
    return secrets.choice(LETTERS) + "".join(ALPHABET[byte & 31] for byte in secrets.token_bytes(length - 1))


def looks_like_turn(text: str) -> bool:
    """Whether `text` could be a turn id, which no label may."""
    return _TURN_ID.fullmatch(text) is not None
