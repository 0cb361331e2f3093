"""HTML and Markdown: to read and to pass on. Nothing in them runs, and nothing is fetched."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from builders import Writer, assistant, call, result, user

from jupyter_history import transfer
from jupyter_history.store import Store

HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> [click](javascript:alert(1)) ![p](https://evil.example/p.png)"
    " </pre></details><style>*{display:none}</style>"
    ' <a href="https://evil.example" onclick="x()">a</a> `<b>` $5 and $6'
)
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}


@pytest.fixture
def store() -> Store:
    return Store.open(":memory:")


@pytest.fixture
def writer(store: Store) -> Writer:
    return Writer(store, store.create("Ratios & <tests>").id)


def exported(writer: Writer, tmp_path: Path, name: str) -> str:
    transfer.write(writer.store.bundle(writer.conversation), tmp_path / name)
    return (tmp_path / name).read_text()


class Tags(HTMLParser):
    """All elements and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(key, value or "") for key, value in attrs}
        if tag not in ("meta", "img", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_runs_nothing_and_fetches_nothing_whatever_is_in_it(writer: Writer, tmp_path: Path) -> None:
    tools = (
        user([{"type": "text", "text": HOSTILE}, IMAGE]),
        assistant([{"type": "thinking", "thinking": HOSTILE, "signature": "s"}, call(name=HOSTILE, x=HOSTILE)]),
        user([{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": HOSTILE}, IMAGE]}]),
        assistant(HOSTILE),
    )
    root = writer.ask(HOSTILE, messages=tools, model=HOSTILE)
    writer.ask(HOSTILE, at=root)
    writer.ask("Other", at=root)
    page = exported(writer, tmp_path, "x.html")
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.tags & {"script", "iframe", "object", "embed", "link", "form", "base", "svg"}
    assert page.count("<style>") == 1
    for key, value in tags.attributes:
        assert not key.startswith("on")
        if key == "src":
            assert value.startswith("data:image/png;base64,")
        if key == "href":
            assert re.match("https?:|mailto:", value)
    assert "default-src 'none'" in page


def test_a_page_shows_the_path_folds_tools_and_lists_the_other_branches(writer: Writer, tmp_path: Path) -> None:
    tools = (
        user("Look"),
        assistant([call(path="a.csv")]),
        user([result(content="3 rows")]),
        assistant("**Three** rows."),
    )
    first = writer.ask("Look", messages=tools, cost=0.25)
    left = writer.ask("On the left", at=first)
    writer.ask("Deeper left")
    right = writer.ask("On the right", at=first)
    writer.store.label(right, "good")
    page = exported(writer, tmp_path, "x.html")
    path, _, others = page.partition("<h2>Other branches (1)</h2>")
    assert "<title>Ratios &amp; &lt;tests&gt;</title>" in page
    assert "<strong>Three</strong> rows." in path
    assert re.search(r"<details><summary>call: look\(.*a\.csv.*</summary>", path)
    assert re.search(r"<details><summary>result: 3 rows</summary>", path)
    assert "$0.2500" in path
    assert "label good" in path
    assert "On the left" not in path
    assert "Deeper left" in others
    assert f"after {first}, 2 turns" in others
    assert f'id="{left}"' in others


def test_markdown_reads_the_same_and_is_harmless(writer: Writer, tmp_path: Path) -> None:
    tools = (user(HOSTILE), assistant([call(x="```")]), user([result(content="```\n" + HOSTILE)]), assistant(HOSTILE))
    first = writer.ask(HOSTILE, messages=tools)
    writer.ask("Beside", at=first)
    writer.ask("On the path", at=first)
    text = exported(writer, tmp_path, "x.md")
    assert "> On the path" in text
    assert re.search(rf"- after `{first}`, to `\w+` \(1\): Beside", text)
    assert "````text\n```\n" in text
    outside = re.sub(r"(?ms)^(`{3,})text\n.*?^\1$", "", text)
    assert not re.search(r"<(?!/?(details|summary|sub|span|code|pre)\b)[a-z/!]", outside, re.IGNORECASE)
    assert "](javascript" not in outside
    assert "![" not in outside


def test_an_empty_conversation_can_be_exported(writer: Writer, tmp_path: Path) -> None:
    assert "0 of 0 turns" in exported(writer, tmp_path, "x.html")
    assert exported(writer, tmp_path, "x.md").startswith("# Ratios")
