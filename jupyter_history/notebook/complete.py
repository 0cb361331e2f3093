"""What Tab offers in `%%chat` and `%chat`: options, models, ids with their prompts, labels, conversations, files.

In the body of a `%%chat` cell Python's own completion is silenced: prose is no code. Completing never fails, never
calls a model, and opens no store that was not open or warm already.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

if TYPE_CHECKING:
    from .current import Current
    from .magics import ChatMagics

Matcher = Callable[[CompletionContext], SimpleMatcherResult]
Offer = tuple[str, str]
"""A text to insert, and what it is."""

_CELL = re.compile(r"\s*%%chat(?=\s|$)")
_LINE = re.compile(r"\s*%chat\s+(.*)$")


class _Nothing:
    """No completions, and yet enough of them to silence the other matchers: IPython only lets a matcher that has some
    suppress others."""

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[SimpleCompletion]:
        return iter(())


class Completer:
    """Completion for one shell."""

    def __init__(self, current: Current, magics: ChatMagics) -> None:
        self.current = current
        self.magics = magics

    def matcher(self) -> Matcher:
        """The function to put among IPython's custom matchers."""

        @context_matcher(identifier="jupyter_history", priority=10_000)  # type: ignore[untyped-decorator]
        def match(context: CompletionContext) -> SimpleMatcherResult:
            return self.complete(context.full_text, context.cursor_line, context.cursor_position)

        return cast("Matcher", match)

    def complete(self, text: str, line: int, column: int) -> SimpleMatcherResult:
        """What fits at a place in a cell. `column` counts in that line."""
        lines = text.split("\n")
        before = lines[line][:column] if line < len(lines) else ""
        start = next((n for n, content in enumerate(lines) if content.strip()), 0)
        if _CELL.match(lines[start]):
            if line > start:
                return {"completions": _Nothing(), "suppress": True}  # type: ignore[typeddict-item]
            return self._result(before, self._option)
        if match := _LINE.match(before):
            return self._result(match[1], self._command)
        return {"completions": [], "suppress": False}

    def _result(self, before: str, offers: Callable[[list[str], str], Iterable[Offer]]) -> SimpleMatcherResult:
        """What `offers` has that fits: it gets the words before the one that is typed, and what there is of that."""
        words = before.split()
        fragment = "" if before[-1:].isspace() or not words else words.pop()
        try:
            found = offers(words, fragment)
            fitting = [SimpleCompletion(text, type=kind) for text, kind in found if text.startswith(fragment)]
        except Exception:  # a store that cannot be read is told by the cell, not by the Tab key
            fitting = []
        completions: Any = fitting or _Nothing()
        return {"completions": completions, "suppress": True, "matched_fragment": fragment, "ordered": True}

    # -- %%chat ---------------------------------------------------------------------------------------------------

    def _option(self, words: list[str], fragment: str) -> Iterable[Offer]:
        match words[-1] if words else "":
            case "":  # the magic itself is being typed
                return ()
            case "-m" | "--model":
                return self._models()
            case "--at":
                return [*self._turns(), ("tip", "the turn the next prompt continues from")]
            case "--edit":
                return self._turns()
            case "-s" | "--system":
                return _files(fragment[1:]) if fragment.startswith("@") else ()
            case "-o" | "--output" | "--take" | "--label" | "--fork" | "--max-tokens":
                return ()
        written = set(words)
        return [
            (name, action.help.replace("%%", "%") if action.help else "")
            for action in self.magics.parser._actions
            if not written.intersection(action.option_strings)
            for name in (action.option_strings if fragment.startswith("-") else action.option_strings[-1:])
        ]

    # -- %chat ----------------------------------------------------------------------------------------------------

    def _command(self, words: list[str], _fragment: str) -> Iterable[Offer]:
        from .commands import COMMANDS

        if not words:
            return [(command.name, command.summary) for command in COMMANDS.values()]
        command = COMMANDS.get(words[0])
        if command is None:
            return ()
        match command.takes:
            case "turn":
                return self._turns()
            case "conversation":
                return self._conversations()
            case "setting" if len(words) == 1:
                from .moving import SETTINGS

                return SETTINGS.items()
            case "setting" if words[1:] == ["model"]:
                return self._models()
        return ()

    # -- what there is -----------------------------------------------------------------------------------------------

    def _models(self) -> Iterable[Offer]:
        from ..model import catalog

        return [(profile.id, profile.note or f"window {profile.window:,}") for profile in catalog.models()]

    def _conversations(self) -> Iterable[Offer]:
        if "sqlalchemy" not in sys.modules:
            return ()
        return [(item.name or item.id, item.title) for item in self.current.store.conversations(limit=100)]

    def _turns(self) -> Iterable[Offer]:
        """Labels, then turns, the newest first, each with its prompt."""
        session = self.current.session
        if session is None and "sqlalchemy" in sys.modules:
            session = self.current.find(settle=False)
        if session is None:
            return []
        heads = session.tree.heads
        labels = [(name, heads[turn].title) for name, turn in session.tree.labels.items() if turn in heads]
        return [*labels, *((head.id, head.title) for head in sorted(heads.values(), key=lambda head: -head.n)[:200])]


def _files(fragment: str) -> Iterable[Offer]:
    """Files and folders that `@fragment` may become."""
    folder, _, start = fragment.replace("\\", "/").rpartition("/")
    base = Path(folder or ("/" if fragment.startswith("/") else ".")).expanduser()
    prefix = fragment[: len(fragment) - len(start)]
    found = sorted(item for item in base.iterdir() if item.name.startswith(start) and (start or item.name[0] != "."))
    return [(f"@{prefix}{item.name}{'/' if item.is_dir() else ''}", "file") for item in found[:200]]
