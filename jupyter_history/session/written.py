"""What a user may write for a turn: which settings there are, what they may be, how they are kept.

Invariant: what is kept is the question (`transcript.same_question`): two runs that wrote the same share their answer.
Of an attachment its bytes count, kept as their hash; limits (`limits`) are no part of a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context.budget import Policy
from ..errors import BadInput
from ..tools import limits
from ..transcript import clean_text

MOST_TOKENS = 1_000_000_000
"""No window is larger; a slip of the finger is no number that a database cannot hold."""
SETTINGS = ("model", "system", "max_tokens", "ladder", "window", "tools", "checkpoints")
"""In a cell's options, in `send`, or for the conversation in `configure`."""


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as they are kept; BadInput names the first that is none, or that cannot be so."""
    return {key: _checked(key, value) for key, value in settings.items()}


def explicit(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Of a conversation's settings those that are part of every question in it."""
    return {key: value for key, value in settings.items() if key in SETTINGS}


def prompt_text(prompt: str) -> str:
    """The prompt as it is kept and sent; BadInput where it says nothing."""
    if not isinstance(prompt, str):
        raise BadInput(f"A prompt is text; {prompt!r:.60} is not. Try str(...), or `images=` for pictures.")
    prompt = clean_text(prompt).strip("\n")
    if not prompt.strip():
        raise BadInput("The prompt is empty. Write it below the `%%chat` line.")
    return prompt


def _checked(key: str, value: Any) -> Any:
    if key in limits.NAMES:
        return limits.checked(key, value)
    if key not in SETTINGS:
        raise BadInput(f"Unknown setting {key!r}; there are {', '.join((*SETTINGS, *limits.NAMES))}.")
    if value is None:
        return None
    if key in ("max_tokens", "window") and (type(value) is not int or not 1 <= value <= MOST_TOKENS):
        raise BadInput(f"{key} is a number of tokens from 1 to {MOST_TOKENS:,}; {value!r} is not.")
    if key == "ladder":
        return Policy.named(value).name
    if key == "checkpoints":
        if not isinstance(value, bool):
            raise BadInput(f"checkpoints is True or False; {value!r} is neither.")
        return None if value else False
    if key == "tools":
        return _names(value)
    return clean_text(value) if isinstance(value, str) else value


def _names(value: Any) -> list[str]:
    """Names of tools, written as a list or with commas; `none` is none of them."""
    names = value.split(",") if isinstance(value, str) else list(value)
    names = [name.strip() if isinstance(name, str) else getattr(name, "__name__", repr(name)) for name in names]
    return [] if names in (["none"], [""]) else list(dict.fromkeys(names))
