"""A conversation as Markdown, to paste into an issue: the path, tool calls folded, the other branches listed."""

from __future__ import annotations

from ..notebook.markdown import encoded, safe, safe_line, visible
from ..store.records import Bundle
from ..transcript import TurnRecord
from . import outline


def write(bundle: Bundle) -> str:
    labels, others = dict(bundle.labels), outline.branches(bundle)
    parts = [f"# {safe_line(outline.heading(bundle))}", *(_turn(turn, labels) for turn in outline.path(bundle))]
    if others:
        parts.append(f"## Other branches ({len(others)})")
        parts.append("\n".join(_listed(branch) for branch in others))
    return "\n\n".join(parts) + "\n"


def _turn(turn: TurnRecord, labels: dict[str, str]) -> str:
    parts = ["\n".join(f"> {line}".rstrip() for line in safe(turn.prompt).split("\n"))]
    parts += [
        f"*({len(pictures)} image{'s' * (len(pictures) > 1)})*" for pictures in [outline.images(turn)] if pictures
    ]
    for kind, text, pictures in outline.steps(turn):
        if kind == "answer":
            parts.append(safe(text))
        else:
            line = encoded(visible(" ".join(text[:200].split())[:80]))
            seen = f"{len(pictures)} image{'s' * (len(pictures) > 1)}" if pictures else ""
            parts.append(f"<details><summary>{kind}: {line or seen}</summary>\n\n{_fenced(text)}\n\n</details>")
    parts.append(f"<sub>{encoded(visible(outline.facts(turn, labels)))}</sub>")
    return "\n\n".join(parts)


def _listed(branch: outline.Branch) -> str:
    start = f"after `{branch.after}`" if branch.after else "from the beginning"
    first = safe_line(" ".join(branch.turns[0].prompt.split())[:100])
    return f"- {start}, to `{branch.turns[-1].id}` ({len(branch.turns)}): {first}"


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{visible(text)}\n{fence}"
