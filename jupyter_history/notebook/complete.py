"""What Tab offers in `%%chat` and `%chat`, and that it offers nothing in prose.

In the body of a `%%chat` cell Python's own completion is silenced. Completing never fails and never calls a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher

from .command import Takes
from .offers import VALUES, Offer, Offers
from .spelling import quoted

if TYPE_CHECKING:
    from .current import Current
    from .magics import ChatMagics

Matcher = Callable[[CompletionContext], SimpleMatcherResult]

_CELL = re.compile(r"\s*%%chat(?=\s|$)")
_LINE = re.compile(r"\s*%chat\s+(.*)$")
_WORD = re.compile(r"""(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s"'])+""")
"""A word of a line, quotes and all; the last one may still be open."""
_AFTER: dict[str, Takes] = {
    "model": "model", "at": "place", "edit": "turn", "system": "system", "image": "file", "file": "file",
    "ladder": "rungs", "tools": "tools", "each": "variants",
}  # fmt: skip
"""What follows an option of `%%chat`; after the others Tab has nothing to offer."""
_REPEATED = ("image", "file", "each")


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
        self.offers = Offers(current)
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
        """What `offers` has that fits: it gets the words before the one that is typed, and what there is of that.

        A name with spaces is offered in quotes, whether or not the first of them was typed.
        """
        found = list(_WORD.finditer(before))
        fragment = found.pop()[0] if found and found[-1].end() == len(before) else ""
        words, part = [_bare(word[0]) for word in found], _bare(fragment)
        try:
            fitting = [
                SimpleCompletion(quoted(text), type=what) for text, what in offers(words, part) if text.startswith(part)
            ]
        except Exception:  # a store that cannot be read is told by the cell, not by the Tab key
            fitting = []
        completions: Any = fitting or _Nothing()
        return {"completions": completions, "suppress": True, "matched_fragment": fragment, "ordered": True}

    def _option(self, words: list[str], part: str) -> Iterable[Offer]:
        """Options of `%%chat`, or what follows the last one."""
        if not words:  # the magic itself is being typed
            return ()
        actions = self.magics.parser._actions
        for action in actions:
            if words[-1] in action.option_strings and action.nargs != 0:
                return self.offers.of(_AFTER.get(action.dest, ""), part)
        written = set(words)
        return [
            (name, action.help.replace("%%", "%") if action.help else "")
            for action in actions
            if action.dest in _REPEATED or not written.intersection(action.option_strings)
            for name in (action.option_strings if part.startswith("-") else action.option_strings[-1:])
        ]

    def _command(self, words: list[str], part: str) -> Iterable[Offer]:
        """Commands of `%chat`, their options, or what they take."""
        from .commands import COMMANDS  # all of them, where `command` has only those that were imported

        if not words:
            return self.offers.of("command", part)
        command = COMMANDS.get(words[0])
        if command is None:
            return ()
        if part.startswith("-"):
            return [(flag, command.summary) for flag in command.flags if flag not in words]
        if words[0] == "config" and len(words) > 1:
            kind: Takes = "switch" if words[1] == "checkpoints" else VALUES.get(words[1], "")
            return [*self.offers.of(kind, part), ("default", "unset it")] if len(words) == 2 else ()
        return self.offers.of(command.flags.get(words[-1], command.takes), part)


def _bare(word: str) -> str:
    return word.replace('"', "").replace("'", "")
