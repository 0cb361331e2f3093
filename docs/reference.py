"""The reference pages, made from the code: python docs/reference.py   (tests/docs compares them with it)"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jupyter_history.transcript import TurnRecord

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "jupyter_history"
PLACE = ROOT / "docs" / "reference"
NOTE = "*Made from the code by `docs/reference.py`.*"
PUBLIC: dict[str, tuple[str, ...]] = {
    "jupyter_history": ("Session", "Turn", "Store", "tool"),
    "jupyter_history.experiments": ("experiment", "Experiment", "recall_test", "Recall", "page_test", "Legibility"),
    "jupyter_history.pages": ("draw", "read", "normalise", "Page", "scan"),
    "jupyter_history.transfer": ("read", "write"),
    "jupyter_history.model.client": ("Client",),
    "jupyter_history.model.scripted": ("Scripted",),
}
"""What the Python page describes."""
ENVIRONMENT = {
    "JUPYTER_HISTORY_STORE": "where conversations are kept: a path, or a database URL",
    "JUPYTER_HISTORY_MODEL": "the model where none is named; `offline` for the offline reader",
    "JUPYTER_HISTORY_NOTEBOOK": "the notebook that a batch runner runs, so that its stored answers are shown",
    "JUPYTER_HISTORY_OFFLINE_DELAY": "seconds before each part of an answer of the offline reader, to watch it stream",
    "ANTHROPIC_API_KEY": "the key of the model's server",
    "ANTHROPIC_AUTH_TOKEN": "a token instead of a key",
    "ANTHROPIC_PROFILE": "a profile of the SDK, where there is no key",
    "ANTHROPIC_BASE_URL": "another server that speaks the Messages API",
    "ANTHROPIC_CUSTOM_HEADERS": "headers that the SDK sends with each request; hidden where they would be shown",
    "JPY_SESSION_NAME": "set by Jupyter: the path of the notebook",
}
"""Every variable that the code reads by name (`variables` checks that), and what it is for."""


# -- small parts -------------------------------------------------------------------------------------------------------


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return [*lines, *(f"| {' | '.join(cell(value) for value in row)} |" for row in rows), ""]


def cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def doc(thing: object) -> str:
    """A docstring, without what it tells only those who read the code beside it."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    return re.sub(r" ?\((?:rules? \d+|DESIGN[^)]*)\)", "", text)


def code(words: object) -> str:
    return f"`{words}`" if str(words) else ""


def field_docs(owner: type) -> dict[str, str]:
    """The strings below the fields of a class, as its source has them."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(owner))).body
    assert isinstance(node, ast.ClassDef)
    found: dict[str, str] = {}
    for one, other in zip(node.body, node.body[1:], strict=False):
        if isinstance(one, ast.AnnAssign) and isinstance(other, ast.Expr) and isinstance(other.value, ast.Constant):
            found[ast.unparse(one.target)] = str(other.value.value)
    return found


def fields(owner: Any) -> list[str]:
    """The fields of a dataclass: name, default, what it says of them."""
    docs = field_docs(owner)
    rows = []
    for each in dataclasses.fields(owner):
        default = "" if each.default is dataclasses.MISSING else each.default
        shown = f"{default:,}" if isinstance(default, int) and not isinstance(default, bool) else default
        rows.append((code(each.name), shown if default != "" else "", docs.get(each.name, "")))
    return table(("name", "default", ""), rows)


# -- magics ------------------------------------------------------------------------------------------------------------


def magics() -> str:
    from jupyter_history.notebook import commands
    from jupyter_history.notebook.magics import ChatMagics
    from jupyter_history.notebook.moving import SETTINGS

    parser = ChatMagics.ask.parser  # type: ignore[attr-defined]
    lines = [
        "# Magics",
        "",
        NOTE,
        "",
        "`%load_ext jupyter_history` makes them. `%%chat?` and `%chat help` say the same.",
        "",
    ]
    lines += ["## `%%chat [options]`", "", "Ask the model; the prompt is the rest of the cell.", ""]
    rows = []
    for option in parser._actions:
        names = ", ".join(f"`{name}`" for name in option.option_strings)
        value = code(option.metavar or option.dest.upper()) if option.nargs != 0 else ""
        if option.option_strings and option.dest != "help":
            rows.append((names, value, str(option.help).replace("%%", "%")))
    lines += table(("option", "value", ""), rows)
    lines += ["## `%chat COMMAND`", "", "Only `again`, `retry` and `compact` (its summary) ask a model.", ""]
    for title, module in commands._GROUPS:
        mine = [each for each in commands.COMMANDS.values() if each.run.__module__ == module.__name__]
        lines += [f"### {title}", "", *table(("command", ""), [(code(each.line), each.summary) for each in mine])]
    lines += ["## `%chat config NAME VALUE`", "", "For every later turn of the conversation.", ""]
    lines += table(("name", ""), [(code(name), what) for name, what in SETTINGS.items()])
    return "\n".join(lines)


# -- Python ------------------------------------------------------------------------------------------------------------


def signature(function: Any) -> str:
    """As it is written, with names of types and not their homes."""
    try:
        given = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    shown = str(
        given.replace(parameters=[each for each in given.parameters.values() if each.name not in ("self", "cls")])
    )
    shown = re.sub(r"<function (?:<lambda>|\w+) at 0x[0-9a-f]+>", "...", shown)
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", shown)


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """What is public of a class: its own, and of those bases that are ours."""
    seen: set[str] = set()
    for base in owner.__mro__:
        if not base.__module__.startswith("jupyter_history"):
            continue
        for name, value in vars(base).items():
            public = isinstance(value, property | classmethod | staticmethod) or inspect.isfunction(value)
            if public and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, value


def described(name: str, thing: Any) -> list[str]:
    if not inspect.isclass(thing):
        return [f"### `{name}{signature(thing)}`", "", doc(thing), ""]
    opened = signature(thing) if not dataclasses.is_dataclass(thing) else ""
    lines = [f"### `{name}{opened.partition(' -> ')[0]}`", "", doc(thing), ""]
    if dataclasses.is_dataclass(thing):
        lines += fields(thing)
    rows = []
    for each, value in members(thing):
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        told = doc(value) if isinstance(value, property) else doc(function)
        called = code(f".{each}" if isinstance(value, property) else f".{each}{signature(function)}")
        rows.append((called, told))
    return [*lines, *(table(("", ""), rows) if rows else [])]


def python() -> str:
    from jupyter_history import errors

    lines = ["# Python", "", NOTE, ""]
    for module, names in PUBLIC.items():
        home = importlib.import_module(module)
        lines += [f"## {module}", ""]
        for name in names:
            if (thing := getattr(home, name, None)) is not None:
                lines += described(name, thing)
    lines += ["## Errors", "", "All are `ChatError`s: one line that says what happened, what was kept, what to do.", ""]
    found = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, BaseException)]
    lines += table(("", ""), [(code(each.__name__), doc(each)) for each in found if each.__module__ == errors.__name__])
    return "\n".join(lines)


# -- configuration -----------------------------------------------------------------------------------------------------


def variables() -> set[str]:
    """The environment variables that the code names."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    return set(re.findall(r"[\"'$]((?:JUPYTER_HISTORY|ANTHROPIC|JPY)_[A-Z_]+)\b", text)) - {"ANTHROPIC_"}


def configuration() -> str:
    from jupyter_history.context.budget import Budget, Policy
    from jupyter_history.model import catalog
    from jupyter_history.notebook.moving import SETTINGS
    from jupyter_history.pages import PROFILES
    from jupyter_history.tools.limits import PREFIX, Limits

    unknown = variables() ^ set(ENVIRONMENT)
    if unknown:
        sys.exit(f"ENVIRONMENT in docs/reference.py and the code differ in: {', '.join(sorted(unknown))}")
    lines = ["# Configuration", "", NOTE, "", "## Environment", ""]
    lines += table(("variable", ""), [(code(name), what) for name, what in ENVIRONMENT.items()])
    lines += ["## Settings of a turn and of a conversation", ""]
    lines += [
        "In a cell's options, in `Session.send(...)`, or for all later turns with `%chat config` and `configure()`.",
        "",
    ]
    lines += table(("name", ""), [(code(name), what) for name, what in SETTINGS.items()])
    lines += ["## Limits of one turn", "", doc(Limits), ""]
    docs = field_docs(Limits)
    rows = [(code(PREFIX + each.name), f"{each.default:,}", docs[each.name]) for each in dataclasses.fields(Limits)]
    lines += table(("name", "default", ""), rows)
    lines += ["## The ladder's budget", "", doc(Budget), "", *fields(Budget)]
    lines += ["## The ladder's rungs", "", doc(Policy), "", *fields(Policy)]
    lines += ["## Models", "", "What is built in. Limits that the server names in `GET /v1/models` win over these.", ""]
    lines += ["Prices in dollars per million tokens.", ""]
    models = []
    for each in map(catalog.profile, catalog._TABLE):
        assert each.price is not None
        price = [f"{amount:g}" for amount in (each.price.input, each.price.output, each.price.cache_read)]
        models.append((code(each.id), f"{each.window:,}", f"{each.max_output:,}", *price, each.tier, each.note))
    lines += table(("model", "window", "output", "in", "out", "cached", "images", ""), models)
    lines += ["## Page profiles", ""]
    lines += ["What they are for, and what each holds: [pages](../pages.md).", ""]
    lines += table(("profile", "pixels"), [(code(name), f"{p.width} x {p.height}") for name, p in PROFILES.items()])
    return "\n".join(lines)


# -- formats -----------------------------------------------------------------------------------------------------------


def formats() -> str:
    from jupyter_history.notebook import answers
    from jupyter_history.notebook.explorers import view
    from jupyter_history.store import schema
    from jupyter_history.transcript import Maker, Message, TurnRecord, Usage
    from jupyter_history.transfer import own

    lines = ["# Stored formats", "", NOTE, "", "## The database", "", *verbatim(doc(schema))]
    lines += [f"Version {schema.VERSION} of the schema; a database of a later version is refused.", ""]
    for each in schema.metadata.tables.values():
        never = " Rows never change once written." if each.name in schema.IMMUTABLE else ""
        lines += [f"### `{each.name}`", "", *([never.strip(), ""] if never else [])]
        rows = []
        for column in each.columns:
            marks = ["primary key"] if column.primary_key else [] if column.nullable else ["not null"]
            marks += [f"-> `{key.target_fullname}`" for key in column.foreign_keys]
            kind = str(column.type.__visit_name__).lower().replace("_", " ")
            rows.append((code(column.name), kind, ", ".join(marks)))
        lines += table(("column", "type", ""), rows)
    lines += ["## A turn", "", doc(TurnRecord), "", *fields(TurnRecord)]
    for owner in (Message, Usage, Maker):
        lines += [f"### {owner.__name__}", "", doc(owner), "", *fields(owner)]
    lines += [f"## JSONL, version {own.VERSION}", "", *verbatim(doc(own))]
    lines += ["`%chat export FILE.jsonl` writes it, `%chat import` reads it.", ""]
    lines += ["A conversation of one turn, line by line:", "", "```json", *sample_export().splitlines(), "```", ""]
    lines += ["## In a saved notebook", ""]
    lines += [
        f"An answer has the forms `text/markdown`, `text/plain` and `{answers.MIME}`. The last one, of that turn:",
        "",
    ]
    shown = answers.bundle(sample(), siblings=["b4k2pq"])[answers.MIME]
    lines += ["```json", json.dumps(shown, indent=1, ensure_ascii=False), "```", ""]
    lines += ["`body` is how many UTF-16 units of the Markdown are the answer; what follows is the line below it.", ""]
    lines += [
        f"An explorer has the forms `text/html` (no script), `text/plain` and `{view.MIME}`, and is a widget besides",
        "",
    ]
    lines[-2] += " while a kernel runs. Nothing in any form is run by a viewer."
    return "\n".join(lines)


def sample() -> TurnRecord:
    """A turn to show the formats with."""
    from jupyter_history.transcript import Maker, Message, TurnRecord, Usage

    told = (
        Message("user", ({"type": "text", "text": "Who brings the olives?"},), "b4k2pq", 0),
        Message("assistant", ({"type": "text", "text": "Mina does."},), "b4k2pq", 1),
    )
    maker = Maker("9f1c6a52b0d84e7f8a3b5c7d9e0f1a2b", "cell-1")
    return TurnRecord(
        "b4k2pq", "rpv1ff1j", None, told[0].text, told, "claude-sonnet-5-5", usage=Usage(412, 5), cost=0.000874,
        seconds=1.2, created=1_790_000_000.0, maker=maker, context=417, window=1_000_000, stop_reason="end_turn",
    )  # fmt: skip


def sample_export() -> str:
    from jupyter_history.store.records import Bundle, Conversation
    from jupyter_history.transfer import own

    turn = dataclasses.replace(sample(), settings={}, inherited={})
    made = Conversation("rpv1ff1j", "bread", turn.prompt, turn.created, turn.created, turn.id, 1, settings={})
    return own.write(Bundle(made, (turn,)))


def verbatim(text: str) -> list[str]:
    """A docstring with its indented parts as code."""
    lines: list[str] = []
    for part in re.split(r"\n\n", text):
        lines += [f"```text\n{textwrap.dedent(part)}\n```" if part.startswith(" ") else part, ""]
    return lines


PAGES = {"magics.md": magics, "python.md": python, "configuration.md": configuration, "formats.md": formats}


def main() -> None:
    PLACE.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (PLACE / name).write_text(page().rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
