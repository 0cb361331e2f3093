"""The options of a `%%chat` line: what they are, how they are read, what a wrong one is answered with.

Everything that can be written on the line is safe to run again; what is done once is a `%chat` command.
"""

from __future__ import annotations

import argparse
import difflib
import inspect
import keyword
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from IPython.core.error import UsageError
from IPython.core.magic_arguments import argument, kwds, magic_arguments

from .keys import looks_like_a_key
from .spelling import new_name, split

LONGEST = 4_000_000
"""Characters of a prompt. The largest window of any model holds fewer."""

HELP = frozenset({"--help", "-h"})

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Options:
    """One `%%chat` line, as it was written. `None` means not written."""

    model: str | None = None
    system: str | None = None
    output: str | None = None
    at: str | None = None
    edit: str | None = None
    take: int | None = None
    label: str | None = None
    fork: str | None = None
    fresh: bool = False
    max_tokens: int | None = None
    ladder: str | None = None
    window: int | None = None
    tools: str | None = None
    no_checkpoints: bool = False
    image: list[str] | None = None
    file: list[str] | None = None
    each: list[str] | None = None
    budget: float | None = None
    batch: bool = False

    def settings(self, folder: Path) -> dict[str, Any]:
        """What belongs to the question: two runs with equal settings and text ask the same.

        `folder` is where `@file` is looked for; a file's text counts, not its name.
        """
        names = ("model", "system", "max_tokens", "ladder", "window")
        written = {name: getattr(self, name) for name in names}
        settings = {name: value for name, value in written.items() if value is not None}
        if self.tools is not None:
            settings["tools"] = [name.strip() for name in self.tools.split(",") if name.strip() not in ("", "none")]
        if self.no_checkpoints:
            settings["checkpoints"] = False
        if self.system is not None and self.system.startswith("@"):
            settings["system"] = system_file(self.system[1:], folder)
        return settings


def system_file(name: str, folder: Path, option: str = "-s") -> str:
    """The text of a system prompt kept in a file; a usage error of the option that names it where it cannot be read."""
    path = folder / Path(name).expanduser()
    try:
        return path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        near = difflib.get_close_matches(path.name, _names(path.parent), n=1)
        hint = f"did you mean @{near[0]}?" if near else f"files are looked for in {folder}"
        raise UsageError(f"{option}: there is no file {name!r}; {hint}") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise UsageError(f"{option}: cannot read {name!r}: {reason}") from None


def _names(folder: Path) -> list[str]:
    try:
        return [item.name for item in folder.iterdir()]
    except OSError:
        return []


def count(text: str) -> int:
    """A number from 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return number


def amount(text: str) -> float:
    """Dollars over 0."""
    try:
        number = float(text.lstrip("$"))
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of dollars")
    return number


def variable(text: str) -> str:
    """The name of a Python variable."""
    if not text.isidentifier() or keyword.iskeyword(text):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be the name of a variable")
    return text


def word(text: str) -> str:
    """A name that is not blank."""
    if not text.strip():
        raise argparse.ArgumentTypeError("a name is missing")
    return text.strip()


def name(text: str) -> str:
    """A name to give: not blank, and no word that means something else."""
    try:
        return new_name(word(text))
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


OPTIONS = (
    argument("-m", "--model", type=word, help="Ask this model, in this cell only. `%%chat models` lists them."),
    argument("-s", "--system", help='System prompt of this question: "in quotes", or @FILE to read it from a file.'),
    argument("-o", "--output", metavar="NAME", type=variable, help="Bind the answer (a Turn) to this variable."),
    argument("--at", metavar="ID", type=word, help="Continue from this turn or label; `--at tip` follows up here."),
    argument("--edit", metavar="ID", type=word, help="Ask beside this turn: the same place, another prompt."),
    argument("--take", metavar="N", type=count, help="See to it that an Nth answer exists beside the first; show it."),
    argument("--label", metavar="NAME", type=name, help="Name this turn, for --at, %%chat branch and compare."),
    argument("--fork", metavar="NAME", type=name, help="Work in a copy of this conversation, made once by this cell."),
    argument("--fresh", action="store_true", help="Work in an empty conversation, made once by this cell."),
    argument("--max-tokens", metavar="N", type=count, help="Longest answer, in tokens."),
    argument("--ladder", metavar="LADDER", type=word, help="How to take context back: auto, off, or some rungs."),
    argument("--image", metavar="PATH|NAME", action="append", type=word, help="Send this image (file or variable)."),
    argument("--file", metavar="PATH|NAME", action="append", type=word, help="Send this text file, or image, by name."),
    argument("--tools", metavar="A,B", type=word, help="Only these registered tools in this cell; `none` for none."),
    argument("--no-checkpoints", action="store_true", help="Without the tools `checkpoint` and `rewind`."),
    argument("--window", metavar="N", type=count, help="Work as if the model's window had so many tokens."),
    argument(
        "--each",
        metavar="NAME=A,B",
        action="append",
        help="Ask once for each value: ladder=off,snapshot, model=A,B, system=@a.md, repeat=5. Several make a grid.",
    ),
    argument(
        "--budget", metavar="DOLLARS", type=amount, help="What the answers of --each may cost together; 1 if left out."
    ),
    argument("--batch", action="store_true", help="Ask through Message Batches: half the price, answers within a day."),
)


def chat_options(function: _F) -> _F:
    """Give a cell magic these options, and their description to its docstring."""
    for option in reversed(OPTIONS):
        function = option(function)
    usage = "%%chat [options]\n  PROMPT ..."
    function = magic_arguments("chat")(kwds(usage=usage)(function))
    function.parser.allow_abbrev = False  # type: ignore[attr-defined]
    return function


def described(function: Callable[..., Any]) -> str:
    """The help of a cell magic with these options, as text to print."""
    return (inspect.getdoc(function) or "").removeprefix("::").strip("\n")


def option_names(parser: argparse.ArgumentParser) -> list[str]:
    """All spellings of all options."""
    return [name for action in parser._actions for name in action.option_strings]


def refuse_keys(line: str) -> None:
    """A key on the line would be saved with the notebook (rule 20). The message does not repeat it."""
    if looks_like_a_key(line):
        raise UsageError(
            "a key never goes into a cell, where the notebook would save it: "
            "delete it here and set ANTHROPIC_API_KEY before Jupyter starts"
        )


def read(parser: argparse.ArgumentParser, line: str) -> Options:
    """The options of a line; a usage error of one line for whatever does not fit."""
    refuse_keys(line)
    known, rest = parser.parse_known_args(split(line))
    if rest:
        raise UsageError(_stray(rest[0], option_names(parser)))
    options = Options(**vars(known))
    if options.batch and not options.each:
        options = replace(options, each=["repeat=1"])
    if options.budget is not None and not options.each:
        raise UsageError("--budget limits what --each asks, and there is none; `%chat config max_cost N` limits a turn")
    for one, other in (("at", "edit"), ("fork", "fresh"), ("at", "fresh"), ("edit", "fresh")):
        if getattr(options, one) and getattr(options, other):
            raise UsageError(f"--{one} and --{other} exclude each other: leave one out")
    return options


def _stray(argument: str, names: list[str]) -> str:
    if not argument.startswith("-"):
        return f"what is {argument!r}? The prompt goes on the lines below %%chat; text with spaces needs quotes"
    name = argument.partition("=")[0]
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else "%%chat? lists the options"
    return f"unknown option {name}; {hint}"


def prompt(cell: str) -> str:
    """The prompt in a cell's body: verbatim, without the blank lines around it. A usage error where there is none."""
    lines = cell.splitlines(keepends=True)
    while lines and not lines[0].strip():
        lines.pop(0)
    text = "".join(lines).rstrip()
    if not text:
        raise UsageError("the cell has no prompt: type your question on the line below %%chat")
    if len(text) > LONGEST:
        raise UsageError(
            f"the prompt has {len(text):,} characters and no model reads more than {LONGEST:,} at once: "
            "send a part of it, or let Python cut it"
        )
    return text
