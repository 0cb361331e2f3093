"""HTML that stands by itself: no script, and nothing in it that a front end would make more of than text."""

from __future__ import annotations

import re
from html import escape

from .markdown import visible

_OPENS_FORMULA = re.compile(r"\$|\\(?=[(\[]|begin\{)")


def escaped(text: str) -> str:
    """`text` for HTML. What could open a formula stands in an element of its own: front ends typeset HTML too."""
    return _OPENS_FORMULA.sub(r"<span>\g<0></span>", escape(visible(text)))


class Static:
    """A view as HTML only, for front ends that choose badly among several forms."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html
