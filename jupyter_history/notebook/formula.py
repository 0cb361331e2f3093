r"""Where a formula starts and ends in what a model wrote, and which dollars are only money.

A formula is `$x$` where the inside touches both dollars, does not end in an operator, and no digit follows the closing
dollar; an inside that begins with a number must also hold TeX (one of `\ ^ _ = { } +`) or be short (`$5$`, `$3n$`).
`$$...$$`, `\(...\)`, `\[...\]` and `\begin{x}...\end{x}` are formulas where they close in the same paragraph.
So `$5 and $6`, `US$5-$6`, `$HOME/$USER` are text, and `$x^2$`, `the $n$th`, `$10^{-3}$` are formulas.
"""

from __future__ import annotations

import re

_REACHES_OUT = re.compile(
    r"`|\n[ \t]*\n|\\(?:href|url|require|html\w*|class|cssId|style|includegraphics|[gex]?def|let|(?:re)?new\w+|csname|"
    r"input|include|unicode|mmlToken|verb|DeclareMathOperator)(?![A-Za-z])"
)
"""Commands that load, link, define or change more than the formula they stand in; code; the end of a paragraph."""

_ENVIRONMENT = re.compile(r"\\(begin|end)\{([^{}]*)\}")
_DISPLAY = re.compile(r"\\\\([\[\]()])")
_TEX = re.compile(r"[\\^_=+{}]")
_NUMBER = re.compile(r"[\d.,]+\s*(?:[a-zA-Z]{0,3}$|.*[\\^_={}+])", re.S)
_TAG = re.compile(r"<(?=[^ \t\n\d=])")
_JOINT = re.compile(r"\](?=[(\[:])")
_CLOSERS = {"\\(": "\\)", "\\[": "\\]"}


def formula_end(src: str, start: int, limit: int) -> int:
    """Where the formula that opens at `start` ends, at most `limit`; 0 where none opens."""
    two = src[start : start + 2]
    if src[start] == "$":
        return _dollars(src, start, limit)
    if two in _CLOSERS:
        close = src.find(_CLOSERS[two], start + 2, limit)
        inside = src[start + 2 : close].strip() if close > 0 else ""
        if not inside or "$" in inside or not _contained(inside):
            return 0
        return close + 2 if _TEX.search(inside) or (two == "\\(" and len(inside) < 4) else 0
    if src.startswith("\\begin{", start):
        name = src[start + 7 : src.find("}", start + 7) + 1]
        close = src.find("\\end{" + name, start, limit) if name and "\n" not in name else -1
        end = close + 5 + len(name)
        return end if close > 0 and "$" not in src[start:end] and _contained(src[start:end]) else 0
    return 0


def _dollars(src: str, start: int, limit: int) -> int:
    mark = "$$" if src.startswith("$$", start) else "$"
    if start and src[start - 1] == "$":
        return 0
    first = start + len(mark)
    close = src.find("$", first, limit)
    while close > 0 and src[close - 1] == "\\":
        close = src.find("$", close + 1, limit)
    end = close + len(mark)
    if close < 0 or end > limit or not src.startswith(mark, close) or src[end : end + 1] == "$":
        return 0
    inside = src[first:close]
    if not inside.strip() or not _contained(inside):
        return 0
    if mark == "$$":
        return end
    if inside != inside.strip() or inside[-1] in "/-,:;=+(&|" or src[end : end + 1].isdigit():
        return 0
    return 0 if inside[0].isdigit() and not _NUMBER.match(inside) else end


def _contained(tex: str) -> bool:
    """Whether a formula keeps to itself: no command that reaches out, environments and brackets closed in order."""
    if _REACHES_OUT.search(tex):
        return False
    open_: list[str] = []
    for match in _ENVIRONMENT.finditer(tex):
        if match[1] == "begin":
            open_.append(match[2])
        elif not open_ or open_.pop() != match[2]:
            return False
    return not open_


def written(formula: str) -> str:
    r"""A formula as it is written out: between dollars, and with nothing in it that Markdown could take for more.

    `<` before a letter becomes `\lt`, and a space goes between `]` and a bracket: TeX sets both the same. A row's
    spacing (`\\[2pt]`), which viewers take for the start of another formula, gets a space too.
    """
    if formula[:2] in _CLOSERS:
        mark = "$" if formula[1] == "(" else "$$"
        formula = mark + formula[2:-2].strip() + mark
    formula = _JOINT.sub("] ", _TAG.sub(r"\\lt ", formula))
    return _DISPLAY.sub(r"\\\\ \1", formula)
