"""Each explorer is one display in four forms, and what it keeps of a model's words is what its HTML keeps."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import jupyter_history
from jupyter_history.errors import BadInput
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.explorers import MIME, View
from jupyter_history.notebook.explorers.tree import LISTED
from jupyter_history.session.marks import marked, put_mark
from jupyter_history.session.session import Session

SECRET = "zanzibar"
"""What only an answer says."""


@pytest.fixture
def told(session: Session, server: Scripted) -> Session:
    server.reply(f"The answer is {SECRET}.").reply(f"No, {SECRET} it is.")
    session.send("Why?")
    session.again()
    return session


def views(session: Session) -> list[View]:
    return [session.explore(), session.compare(), session.ladder(), session.pages()]


def test_each_view_shows_itself_in_three_forms_without_a_kernel_rule_22(told: Session) -> None:
    for view in views(told):
        bundle = view._repr_mimebundle_()
        assert set(bundle) == {MIME, "text/html", "text/plain"}
        assert bundle[MIME]["view"] == view.kind
        assert bundle["text/html"] == view.static()._repr_html_()
        assert str(view) == bundle["text/plain"]


def test_the_state_of_a_view_holds_no_word_of_an_answer(told: Session) -> None:
    for view in views(told):
        assert SECRET not in json.dumps(view.state())


def test_what_an_output_keeps_of_answers_its_html_keeps_too(told: Session) -> None:
    for view in views(told):
        bundle = view._repr_mimebundle_()
        if SECRET in json.dumps(bundle[MIME]):
            assert SECRET in bundle["text/html"]
    assert SECRET in json.dumps(told.compare()._repr_mimebundle_()[MIME])


def test_static_html_has_no_script_and_asks_nobody(told: Session) -> None:
    for view in views(told):
        html = view.html().lower()
        for danger in ("<script", "<link", "<iframe", "http:", "https:", " onerror", " onclick", "javascript:"):
            assert danger not in html


def test_the_tree_of_a_conversation(told: Session) -> None:
    first, second = told.tree.heads
    told.label(first, "start")
    put_mark(told, "favourites", second)
    put_mark(told, "hidden", "start")
    fork = told.fork(second, "aside")
    data = told.explore().data()
    assert [(row[0], row[1]) for row in data["turns"]] == [(first, None), (second, None)]
    assert (data["tip"], data["labels"], data["favourites"], data["hidden"]) == (
        second, {"start": first}, [second], [first]
    )  # fmt: skip
    assert data["forks"] == {second: ["aside"]}
    assert told.explore().news(data["last"])["turns"] == []
    assert fork.explore().data()["favourites"] == [fork.tip]  # under its new id


def test_a_failed_turn_is_in_the_tree_and_off_the_path(session: Session, server: Scripted) -> None:
    server.reply("Yes.").error(400, "invalid_request_error", "no")
    kept = session.send("one")
    with pytest.raises(jupyter_history.ModelError):
        session.send("two")
    *_, failed = session.explore().data()["turns"]
    assert (failed[1], failed[2], failed[4]) == (kept.id, "two", 2)


def test_a_failed_turn_is_in_the_text_and_in_the_html_too(session: Session, server: Scripted) -> None:
    server.reply("Yes.").error(400, "invalid_request_error", "no")
    session.send("one")
    with pytest.raises(jupyter_history.ModelError):
        session.send("<b>two</b>")
    view = session.explore()
    assert "<b>two</b>   failed" in view.text()
    assert "&lt;b&gt;two&lt;/b&gt;" in view.html()


def test_a_prompt_that_is_on_its_way_has_not_failed(session: Session, server: Scripted) -> None:
    server.reply("Yes.")
    kept = session.send("one")
    asked = replace(kept.record, id=session.store.new_id(), messages=(), outcome="failed", error=None)
    session.store.attempt(asked)
    assert [row[0] for row in session.explore().data()["turns"]] == [kept.id]


def test_a_large_tree_lists_its_newest_turns_and_says_how_many_are_left_out(session: Session) -> None:
    for n in range(LISTED + 20):
        session.send(f"q{n}")
    view = session.explore()
    assert "20 turns before these" in view.text()
    assert f"q{LISTED + 19}" in view.html()
    assert ">q0<" not in view.html()
    assert len(view.data()["turns"]) == LISTED + 20


def test_marks_come_and_go_and_change_nothing_that_is_sent(told: Session) -> None:
    turn = told.tip
    assert turn is not None
    before = told.request("and?")
    put_mark(told, "favourites", turn)
    put_mark(told, "hidden", turn)
    assert (marked(told, "favourites"), marked(told, "hidden")) == ([turn], [turn])
    assert told.request("and?") == before
    put_mark(told, "hidden", turn, on=False)
    assert marked(told, "hidden") == []
    with pytest.raises(jupyter_history.NotFound):
        put_mark(told, "hidden", "nobody")


def test_a_comparison_pastes_well_headings_below_ids_a_prompt_once_and_no_price_a_formula(
    session: Session, server: Scripted
) -> None:
    said = "# The lake\n\nIt costs $5 or $6.\n\n```\n# no heading\n```\n##### Deep"
    server.reply(said).reply(said)
    first = session.send("Why?", label="start")
    session.again()
    text = session.compare().markdown()
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        f"## `{first.id}` start", "### The lake", "# no heading", "###### Deep",
        f"## `{session.tip}`", "### The lake", "# no heading", "###### Deep",
    ]  # fmt: skip
    assert text.count("> Why?") == 1
    assert "$" not in text  # a dollar stands as an entity in an element of its own


def test_a_comparison_of_all_answers_to_one_parent_says_so(told: Session, server: Scripted) -> None:
    first, second = told.tree.heads
    assert told.compare(first, second).data()["beside"]
    server.reply("A third.")
    told.again(second)
    assert told.compare().data()["beside"]
    assert not told.compare(first, second).data()["beside"]


def test_compare_takes_the_siblings_of_one_turn_or_of_the_tip(told: Session) -> None:
    first, second = told.tree.heads
    assert told.compare(first).args == told.compare().args == {"turns": [first, second]}
    alone = told.send("Only once.")
    with pytest.raises(BadInput, match=f"No other answer stands beside `{alone.id}`"):
        told.compare(alone.id)
    with pytest.raises(BadInput, match=f"are one turn, `{first}`"):
        told.compare(first, first)


def test_a_comparison_is_copied_as_markdown_and_framed(told: Session) -> None:
    view = told.compare()
    text = view.markdown()
    assert text.count(SECRET) == 2
    assert "| model | claude-sonnet-5-5 | claude-sonnet-5-5 |" in text
    pandas = pytest.importorskip("pandas", reason="pandas is optional")
    frame = view.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.index) == view.args["turns"]


def test_without_pandas_a_frame_is_one_line_of_advice(told: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BadInput, match="pip install pandas"):
        told.compare().to_frame()


def test_a_what_if_is_marked_calls_nobody_and_keeps_nothing(long: Session, server: Scripted) -> None:
    asked, kept = len(server.requests), long.store.overlays(long.id)
    view = long.ladder(window=8000)
    assert view.data()["what_if"]
    assert "What if" in view.text()
    assert "What if" in view.html()
    assert [rung["rung"] for rung in view.data()["rungs"] if rung["applied"]] == ["snapshot"]
    off = long.ladder(window=8000, rungs="off").data()
    assert not any(rung["applied"] for rung in off["rungs"])
    assert (len(server.requests), long.store.overlays(long.id)) == (asked, kept)
    assert not long.ladder().data()["what_if"]


def test_the_ladder_adds_up(long: Session) -> None:
    data = long.ladder(window=8000).data()
    assert data["raw"] == data["rungs"][0]["before"]
    for before, after in zip(data["rungs"], data["rungs"][1:], strict=False):
        assert before["after"] == after["before"]
    assert len(data["rows"]) == 20
    assert all(not row[7] for row in data["rows"] if row[2] == "assistant")


def test_an_undone_compaction_is_the_last_that_holds_on_the_path(long: Session) -> None:
    assert long.ladder().data()["undo"] is None
    tip = long.tip
    long.configure(window=8000)
    long.compact("snapshot")
    undo = long.ladder().data()["undo"]
    assert (undo["turn"], undo["before"]) == (tip, long.tree.parent(str(tip)))
    assert long.explore().data()["compactions"] == {tip: ["snapshot"]}
    long.branch(undo["before"])
    assert long.ladder().data()["undo"] is None


def test_pages_that_were_decided_are_shown_else_the_path_as_a_what_if(long: Session) -> None:
    what_if = long.pages()
    assert what_if.drawn.what_if
    assert "nothing was sent like this" in what_if.text()
    long.configure(window=8000)
    long.compact("snapshot")
    sent = long.pages()
    assert not sent.drawn.what_if
    assert [page.png for page in sent.drawn.pages] == [page.png for page in long.plan("...").pages]
    assert sent.html().count("<img") == len(sent.drawn.pages)
    dense = long.pages(profile="dense")
    assert (dense.drawn.what_if, dense.drawn.profile) == (True, "dense")
    with pytest.raises(BadInput, match="No page profile"):
        long.pages(profile="nothing")


def test_tags_on_pages_name_turns(long: Session) -> None:
    tags = long.pages().data()["tags"]
    assert list(tags.values()) == list(long.tree.heads)


def test_an_empty_conversation_has_a_tree_and_a_ladder(session: Session) -> None:
    assert "empty" in session.explore().text()
    assert session.ladder().data()["rows"] == []
    with pytest.raises(BadInput, match="nothing to draw"):
        session.pages()
    with pytest.raises(BadInput, match="no answer stands there"):
        session.compare()


def test_the_widget_is_small() -> None:
    script = Path(jupyter_history.__file__).parent / "static" / "widget.js"
    if not script.exists():
        pytest.skip("the front end is not built here; `./dev test` builds it first")
    assert len(gzip.compress(script.read_bytes(), 9)) <= 60_000


def test_explorers_import_no_widget_library_before_one_is_shown() -> None:
    code = "import sys, jupyter_history.notebook.explorers; print({'anywidget', 'ipywidgets', 'PIL'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "set()"


def test_an_exported_notebook_shows_every_view_and_no_script_of_ours(long: Session) -> None:
    import nbformat
    from nbconvert import HTMLExporter

    cells = []
    for view in views_of(long):
        data = {**view._repr_mimebundle_(), "application/vnd.jupyter.widget-view+json": {"model_id": "gone"}}
        cells.append(nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("display_data", data)]))
    html, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    assert html.count("What did run 3 show?") == 2
    assert "data:image/png;base64," in html
    assert "as stored" in html
    assert "widget.js" not in html


def views_of(session: Session) -> list[View]:
    session.again()
    return views(session)
