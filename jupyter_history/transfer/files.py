"""Which format a file has, by its name when it is written and by its contents when it is read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import BadInput
from ..store.records import Bundle
from . import anthropic_messages, claude_code, own, pi
from .report import Read, Report

FORMATS = (".jsonl", ".html", ".md")
"""What can be written."""
_KNOWN = "jupyter_history's own JSONL, Claude Code JSONL, pi JSONL, Anthropic Messages JSON"


def write(bundle: Bundle, path: Path) -> None:
    """Write a conversation in the format that the file's name says. The file is whole or not there."""
    writer = _writer(path)
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # 0600: conversations are private
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(writer(bundle))
            os.replace(made, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(made)
            raise
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({(error.strerror or 'an error').lower()}); nothing was left there."
        ) from error


def read(path: Path) -> Read:
    """A conversation from a file of any known format. BadInput, one line, where there is none in it."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({(error.strerror or 'an error').lower()}).") from error
    try:
        return _read(path, text)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadInput(f"{path} is not whole, or not what it looks like ({type(error).__name__}: {error}).") from error


def _read(path: Path, text: str) -> Read:
    whole = _json(text)
    if isinstance(whole, dict) and isinstance(whole.get("messages"), list):
        return anthropic_messages.read(whole)
    if isinstance(whole, list) and whole and all(isinstance(item, dict) and "role" in item for item in whole):
        return anthropic_messages.read({"messages": whole})
    report = Report()
    entries: list[dict[str, Any]] = []
    for line in text.split("\n"):
        if line.strip("\0 \t\r"):
            entry = _json(line.strip("\0"))
            if isinstance(entry, dict):
                entries.append(entry)
            else:
                report.left_out("a line that is no JSON object (torn?)")
    for recognise, reader in (
        (own.recognise, own.read),
        (pi.recognise, pi.read),
        (claude_code.recognise, claude_code.read),
    ):
        if recognise(entries):
            return reader(entries, report)
    raise BadInput(f"{path} is no conversation that is known here. What can be read: {_KNOWN}.")


def _writer(path: Path) -> Callable[[Bundle], str]:
    match path.suffix.lower():
        case ".jsonl":
            return own.write
        case ".html" | ".htm":
            from . import page

            return page.write
        case ".md":
            from . import markdown

            return markdown.write
    raise BadInput(
        f"The name {path.name!r} says no format. End it in {', '.join(FORMATS)}: JSONL can be imported again."
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
