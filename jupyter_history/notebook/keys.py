"""Keys never appear (rule 20): recognise one, and hide all in a text."""

from __future__ import annotations

import os
import re

_KEY = re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9][\w-]{14,}")
_OPTION = re.compile(r"(?:^|\s)--?(?:api[-_]?key|auth[-_]?token|key|token|secret|password)\b", re.IGNORECASE)
_HEADER = re.compile(r"(x-api-key|authorization)(['\"]?\s*[:=]\s*['\"]?(?:bearer\s+)?)[^\s'\",;)}]+", re.IGNORECASE)
_PASSWORD = re.compile(r"(\w[\w+.-]*://[^\s/:@]*):[^\s/@]+@")

VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""The environment variables that hold a key."""

HIDDEN = "[key hidden]"


def looks_like_a_key(line: str) -> bool:
    """Whether the line of a magic holds a key, or an option that would take one."""
    return bool(_KEY.search(line) or _OPTION.search(line)) or any(key in line for key in _own())


def hide(text: str) -> str:
    """`text` with every key, authorisation header and URL password in it hidden."""
    for key in _own():
        text = text.replace(key, HIDDEN)
    text = _KEY.sub(HIDDEN, text)
    text = _HEADER.sub(lambda match: match[1] + match[2] + HIDDEN, text)
    return _PASSWORD.sub(rf"\1:{HIDDEN}@", text)


def _own() -> list[str]:
    """The keys of this process that are long enough to be no common word."""
    return [value for name in VARIABLES if len(value := os.environ.get(name, "").strip()) >= 8]
