"""How our Markdown is read by others, and what in their HTML would do something to the reader."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt
from nbconvert.filters.markdown_mistune import markdown2html_mistune

HOSTILE = Path(__file__).with_name("hostile.md").read_text(encoding="utf-8").split("\n%%%\n")

_BLOCKS = {"p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "hr", "div", *(f"h{n}" for n in range(1, 7))}
_TABLES = {"table", "thead", "tbody", "tr", "td", "th"}
_INLINE = {"em", "strong", "del", "s", "code", "span", "a", "br", "sub", "input", "details", "summary"}
_TAGS = _BLOCKS | _TABLES | _INLINE
_ATTRIBUTES = {"href", "colspan", "class", "style", "start", "type", "disabled", "checked", "id"}


def _commonmark() -> Callable[[str], str]:
    """A plain viewer at its most trusting: raw HTML goes through, every link is taken."""
    md = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    md.validateLink = lambda url: True  # type: ignore[method-assign]
    return lambda markdown: str(md.render(markdown))


VIEWERS: dict[str, Callable[[str], str]] = {"nbconvert": markdown2html_mistune, "commonmark": _commonmark()}


class _Judge(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.dangers: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.dangers.append(f"<{tag}>")
        for name, value in attrs:
            if name not in _ATTRIBUTES:
                self.dangers.append(f"<{tag} {name}={value}>")
            if name == "href" and not (value or "").lower().startswith(("http:", "https:", "mailto:", "#")):
                self.dangers.append(f"<{tag} href={value}>")
            if name == "style" and "url" in (value or ""):
                self.dangers.append(f"<{tag} style={value}>")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.dangers.append(f"<!--{data}-->")

    def handle_pi(self, data: str) -> None:
        self.dangers.append(f"<?{data}>")

    def handle_decl(self, decl: str) -> None:
        self.dangers.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        self.dangers.append(f"<![{data}]>")


def judged(html: str) -> _Judge:
    judge = _Judge()
    judge.feed(html)
    judge.close()
    return judge


def dangers(html: str) -> list[str]:
    """What in this HTML runs, loads, or links where we do not allow it."""
    return judged(html).dangers


def text_of(html: str) -> str:
    """What a reader of this HTML sees, without its layout."""
    return judged(html).text
