"""How our Markdown is read by others, and what in their HTML would do something to the reader."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

from markdown_it import MarkdownIt
from nbconvert.filters.markdown_mistune import markdown2html_mistune

HOSTILE = Path(__file__).with_name("hostile.md").read_text(encoding="utf-8").split("\n%%%\n")

_TAGS = set(
    "p h1 h2 h3 h4 h5 h6 em strong del s code pre span ul ol li blockquote table thead tbody tr td th a hr br div sub "
    "dl dt dd input details summary".split()
)
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
        self.classes: list[str] = []

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
            if name == "class":
                self.classes.append(value or "")

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
    if "mermaid" in "".join(judge.classes):
        judge.dangers.append("a diagram that nbconvert writes out as HTML")
    return judge


def dangers(html: str) -> list[str]:
    """What in this HTML runs, loads, or links where we do not allow it."""
    return judged(html).dangers


def text_of(html: str) -> str:
    """What a reader of this HTML sees, without its layout."""
    return judged(html).text
