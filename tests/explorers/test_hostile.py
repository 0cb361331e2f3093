"""Hostile words wherever a view may show them: in prompts and answers, labels, names and checkpoints."""

from __future__ import annotations

import json
import re
from typing import Any

import nbformat
import pytest
from nbconvert import HTMLExporter, MarkdownExporter
from render.reading import HOSTILE, dangers, text_of

from jupyter_history.errors import ModelError
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.explorers import MIME, View
from jupyter_history.session.session import Session

MARKUP = "<b>bold</b><img/src=x/onerror=alert(1)>"
"""One word, as labels are."""
PROMPT = (
    f"# {MARKUP} [x](javascript:alert(1)) ![y](http://127.0.0.1:9/y.png) It is $5 and $6. \u202eback\u202c\n```\nopen"
)
DIRECTION = ("\u202e", "\u202c")
ANSWER = "\n\n".join(HOSTILE) + "\n\n" + "wide " * 20_000 + "\n\n```\nopen"


@pytest.fixture
def evil(session: Session, server: Scripted) -> Session:
    session.store.rename(session.id, MARKUP)
    session.refresh()
    server.reply(ANSWER).reply(ANSWER).error(400, "invalid_request_error", PROMPT)
    first = session.send(PROMPT, label=MARKUP)
    session.again()
    session.store.mark(session.id, MARKUP, first.id)
    session.fork(first.id, PROMPT.split("\n")[0])
    with pytest.raises(ModelError):
        session.send(PROMPT)
    return session


def views(session: Session) -> list[View]:
    return [session.explore(), session.compare(), session.ladder(), session.pages()]


OURS = (
    "<img>",
    "<img src=data:image/png;base64,",
    "<img alt=",
    "<img width=",
    "<caption>",
    "<th scope=col>",
    "<details open=None>",
)
"""What a view has besides what answers may have; the images are pages."""


def harmful(html: str) -> list[str]:
    return [danger for danger in dangers(html) if not danger.startswith(OURS)]


def test_the_html_of_no_view_runs_loads_or_turns_anything_around(evil: Session) -> None:
    for view in views(evil):
        html = view.html()
        assert harmful(html) == [], view.kind
        assert not any(sign in html for sign in DIRECTION), view.kind
    assert MARKUP in text_of(evil.explore().html())
    assert "⚑ " + MARKUP in text_of(evil.explore().html())


def test_the_text_and_the_json_of_no_view_turn_anything_around(evil: Session) -> None:
    for view in views(evil):
        bundle = view._repr_mimebundle_()
        for kept in (bundle["text/plain"], json.dumps(bundle[MIME], ensure_ascii=False)):
            assert not any(sign in kept for sign in DIRECTION), view.kind


def test_exports_of_the_views_run_nothing_and_ask_nobody(evil: Session) -> None:
    outputs: list[Any] = []
    for view in views(evil):
        outputs.append(nbformat.v4.new_output("display_data", dict(view._repr_mimebundle_())))
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("", outputs=outputs)])
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(book)
    markdown, _ = MarkdownExporter().from_notebook_node(book)
    for export in (html, markdown):
        assert "<script" not in export
        assert "<img/src" not in export
        assert not re.search(r"""<[^>]*(?:src|href)=["']?(?!data:image/png|#)\w*:?//""", export)
        assert "It is" in export
