"""Hand the text of a `%%chat` cell on as it was typed.

IPython cleans up a cell before it sees the magic: a body that begins with `>>>` loses those, an empty body never
reaches the magic, and `%chat what is this?` is taken for a request for help. One step before all others prevents that.
"""

from __future__ import annotations

import re

_HELP = re.compile(r"%{1,2}chat\?{1,2}\s*$")
_ASKING = re.compile(r"%chat\s+(?P<line>\S.*\?)\s*$")
_CELL = re.compile(r"%%chat(?:[ \t]+(?P<line>.*?))?[ \t\r]*$")


def verbatim(lines: list[str]) -> list[str]:
    """The cell's lines, with the call that a `%%chat` cell means in their place; other cells unchanged."""
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    if start is None or not lines[start].startswith("%") or _HELP.match(lines[start]):
        return lines
    first = lines[start].rstrip("\n")
    if match := _CELL.match(first):
        body = "".join(lines[start + 1 :]) or "\n"
        return [f"get_ipython().run_cell_magic('chat', {match['line'] or ''!r}, {body!r})\n"]
    if (match := _ASKING.match(first)) and not any(line.strip() for line in lines[start + 1 :]):
        return [f"get_ipython().run_line_magic('chat', {match['line']!r})\n"]
    return lines


# The step must not run where IPython only asks whether a cell is complete: in a terminal, a blank line ends a prompt.
verbatim.has_side_effects = True  # type: ignore[attr-defined]
