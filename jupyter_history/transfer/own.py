"""Our own JSONL: one line a thing, exact. Reading what was written gives the same conversation, under its old ids.

The first line is a header; then turns in the order of commit, each with its messages; then failed prompts, labels,
checkpoints, the ladder's decisions, the visits of the tip, and whole texts of shortened results.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..errors import BadInput
from ..store.records import Bundle, Checkpoint, Conversation
from ..transcript import Maker, Message, Overlay, TurnRecord, Usage
from .report import Read, Report

VERSION = 1
_HEADER = "jupyter_history"
_TOLD = ("name", "title", "created", "tip", "settings")
"""What is exported of a conversation's row; the rest follows from its turns, or is about the database it was in."""


def write(bundle: Bundle) -> str:
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in _lines(bundle))


def _lines(bundle: Bundle) -> Iterator[dict[str, Any]]:
    conversation = bundle.conversation._asdict()
    yield {_HEADER: VERSION, **{key: conversation[key] for key in _TOLD}}
    for turn in bundle.turns:
        yield {"turn": _told(turn)}
    for turn in bundle.failed:
        yield {"failed": _told(turn)}
    for name, target in bundle.labels.items():
        yield {"label": name, "at": target}
    for mark in bundle.checkpoints:
        yield {"checkpoint": {key: value for key, value in asdict(mark).items() if key != "n"}}
    for overlay in bundle.overlays:
        yield {"overlay": asdict(overlay) | {"payload": dict(overlay.payload)}}
    for place, visited in bundle.visits:
        yield {"visit": visited, "place": place}
    for name, text in bundle.kept.items():
        yield {"kept": name, "text": text}


def _told(turn: TurnRecord) -> dict[str, Any]:
    """A turn, without what every one has by default. (No key is a path into a database.)"""
    told = asdict(turn) | {"messages": [message.wire() for message in turn.messages]}
    del told["conversation"]
    bare = {"settings": {}, "inherited": {}, "usage": asdict(Usage()), "outcome": "complete"}
    return {key: value for key, value in told.items() if value is not None and value != bare.get(key)}


def recognise(entries: Sequence[Mapping[str, Any]]) -> bool:
    return bool(entries) and _HEADER in entries[0]


def read(entries: Sequence[dict[str, Any]], report: Report) -> Read:
    header = entries[0]
    if header[_HEADER] != VERSION:
        raise BadInput(
            f"The file was written by another jupyter_history (format {header[_HEADER]}, here {VERSION}). Update the "
            f"package: pip install -U jupyter-history"
        )
    turns: list[TurnRecord] = []
    failed: list[TurnRecord] = []
    labels: dict[str, str] = {}
    checkpoints: list[Checkpoint] = []
    overlays: list[Overlay] = []
    visits: list[tuple[str, str | None]] = []
    kept: dict[str, str] = {}
    for entry in entries[1:]:
        match entry:
            case {"turn": dict(turn)}:
                turns.append(_turn(turn))
            case {"failed": dict(turn)}:
                failed.append(_turn(turn))
            case {"label": str(name), "at": str(target)}:
                labels[name] = target
            case {"checkpoint": dict(mark)}:
                checkpoints.append(Checkpoint(**mark))
            case {"overlay": dict(overlay)}:
                overlays.append(Overlay(**overlay))
            case {"visit": visited, "place": str(place)}:
                visits.append((place, visited))
            case {"kept": str(name), "text": str(text)}:
                kept[name] = text
            case _:
                report.left_out(f"a line of an unknown kind ({', '.join(sorted(entry)[:3])})")
    created, tip = header["created"], header["tip"]
    conversation = Conversation(
        "", header["name"], header["title"], created, created, tip, 0, settings=header["settings"]
    )
    bundle = Bundle(
        conversation, tuple(turns), tuple(failed), labels, tuple(checkpoints), tuple(overlays), tuple(visits), kept
    )
    return Read("jupyter_history", bundle, report.lines())


def _turn(told: dict[str, Any]) -> TurnRecord:
    messages = tuple(
        Message(message["role"], tuple(message["content"]), told["id"], n) for n, message in enumerate(told["messages"])
    )
    return TurnRecord(
        **{"parent": None, **told}
        | {
            "conversation": "",
            "messages": messages,
            "usage": Usage(**told.get("usage", {})),
            "maker": Maker(**told["maker"]) if told.get("maker") else None,
        }
    )
