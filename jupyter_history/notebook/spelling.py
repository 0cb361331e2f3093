"""How a line is written and how it is read: `split` gives back the words that `typed` was given."""

from __future__ import annotations

import shlex

from IPython.core.error import UsageError

KEYWORDS = ("tip", "root", "next")
"""Words that stand for a turn, whatever is called so."""


def typed(*words: str, magic: str = "%chat") -> str:
    """A command as a message shows it, ready to be pasted: `%chat open "letters again"`."""
    return f"`{' '.join([magic, *map(quoted, words)])}`"


def quoted(word: str) -> str:
    """A word as it is typed: in quotes where it needs them. No quote can be escaped, so one kind holds the other."""
    if word and not any(character.isspace() or character in "\"'" for character in word):
        return word
    for mark in "\"'":
        if mark not in word:
            return f"{mark}{word}{mark}"
    return "'\"'".join(f'"{part}"' if part else "" for part in word.split('"'))


def split(line: str) -> list[str]:
    """The words of a line. Quotes group words; a backslash is only a backslash (Windows paths)."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer)
    except ValueError:
        raise UsageError('a quote is not closed; write text with an apostrophe in "double quotes"') from None


def new_name(name: str) -> str:
    """A name that a label or a conversation may be given; a usage error where it would be taken for something else."""
    if name in KEYWORDS:
        raise UsageError(
            f"{name!r} means a turn already ({', '.join(KEYWORDS)} do); choose another name, like {name}-1"
        )
    if name.startswith("-"):
        raise UsageError(f"{name!r} reads like an option; choose a name that does not begin with a dash")
    return name
