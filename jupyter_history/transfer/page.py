"""A conversation as one HTML file: no script, nothing fetched, tool calls folded, the other branches below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from markdown_it import MarkdownIt

from ..notebook.markdown import safe, visible
from ..store.records import Bundle
from ..transcript import Block, TurnRecord
from . import outline

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --edge: #8886; --quiet: #777; --soft: #8881; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { margin: 2rem 0; } header, footer, summary { color: var(--quiet); font-size: .85rem; }
.prompt { border-left: 3px solid var(--edge); padding: .1rem 1rem; background: var(--soft); white-space: pre-wrap;
  overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .7rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--edge); padding: .2rem .6rem; }
img { max-width: 100%; } details { margin: .5rem 0; } .branch { border-top: 1px solid var(--edge); }
"""


def write(bundle: Bundle) -> str:
    title = escape(visible(outline.heading(bundle)))
    labels, path, others = dict(bundle.labels), outline.path(bundle), outline.branches(bundle)
    shown = f"{len(path)} of {len(bundle.turns)} turns are on this path"
    parts = [
        f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n<body>\n'
        f"<h1>{title}</h1>\n<header>{shown}.</header>\n",
        *(_turn(turn, labels) for turn in path),
    ]
    if others:
        parts.append(f"<h2>Other branches ({len(others)})</h2>\n")
        parts += [_branch(branch, labels) for branch in others]
    return "".join((*parts, "</body>\n</html>\n"))


def _branch(branch: outline.Branch, labels: dict[str, str]) -> str:
    start = f"after {branch.after}" if branch.after else "from the beginning"
    first = escape(visible(" ".join(branch.turns[0].prompt.split())[:100]))
    turns = "".join(_turn(turn, labels) for turn in branch.turns)
    number = f"{len(branch.turns)} turn{'s' * (len(branch.turns) > 1)}"
    return f'<details class="branch"><summary>{start}, {number}: {first}</summary>\n{turns}</details>\n'


def _turn(turn: TurnRecord, labels: dict[str, str]) -> str:
    return (
        f'<article id="{escape(turn.id)}">\n<div class="prompt">{escape(visible(turn.prompt))}</div>\n'
        f"{''.join(_images(outline.images(turn)))}{''.join(_steps(turn))}"
        f"<footer>{escape(visible(outline.facts(turn, labels)))}</footer>\n</article>\n"
    )


def _steps(turn: TurnRecord) -> Iterator[str]:
    for kind, text, pictures in outline.steps(turn):
        shown = "".join(_images(pictures))
        if kind == "answer":
            yield f"<div>{_rendered(text)}</div>\n"
        else:
            line = escape(visible(" ".join(text[:200].split())[:80]))
            body = f"<pre>{escape(visible(text))}</pre>" if text else ""
            yield f"<details><summary>{kind}: {line}</summary>{body}{shown}</details>\n"


def _rendered(markdown: str) -> str:
    """HTML of what a model wrote, made harmless before it is parsed (rule 21): the only tags left in it are ours."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(safe(markdown)))


def _images(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        source = block["source"]
        if source.get("type") == "base64":
            yield f'<img alt="" src="data:{escape(source["media_type"])};base64,{escape(source["data"])}">\n'
