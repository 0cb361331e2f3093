"""The commands that show explorers, in a real kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

VIEW = "application/vnd.jupyter-history.view.v1+json"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def notebook(kernel: Callable[..., Any]) -> Any:
    made = kernel("a.ipynb", ("c1", "c2", "c3"))
    made.ask("one", "c1")
    made.ask("two", "c2")
    return made


def view(notebook: Any, line: str, cell: str | None = "c3") -> dict[str, Any]:
    shown = notebook.run(line, cell)
    assert shown.status == "ok", shown
    (bundle,) = [bundle for bundle in shown.displays if VIEW in bundle]
    return bundle


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("%chat tree", "tree"),
        ("%chat ladder", "ladder"),
        ("%chat pages", "pages"),
        ("%chat pages --profile dense", "pages"),
    ],
)
def test_a_command_shows_one_display_in_four_forms(notebook: Any, line: str, kind: str) -> None:
    bundle = view(notebook, line)
    assert set(bundle) == {VIEW, WIDGET, "text/html", "text/plain"}
    assert bundle[VIEW]["view"] == kind


def test_compare_shows_what_stands_beside_the_tip(notebook: Any) -> None:
    notebook.ask("two, edited", "c2")
    bundle = view(notebook, "%chat compare")
    assert [column["question"] for column in bundle[VIEW]["data"]["columns"]] == ["two", "two, edited"]


def test_a_batch_runner_gets_no_widget_whose_state_would_hide_the_html(notebook: Any) -> None:
    assert WIDGET not in view(notebook, "%chat tree", cell=None)


def test_a_what_if_is_written_on_the_line(notebook: Any) -> None:
    bundle = view(notebook, "%chat ladder --window 2000 --rungs elision,snapshot")
    assert bundle[VIEW]["data"]["what_if"]
    assert bundle[VIEW]["data"]["ladder"] == ["elision", "snapshot"]
    assert bundle["text/plain"].startswith("What if")


def test_what_does_not_fit_is_one_line(notebook: Any) -> None:
    for line in ("%chat ladder --window x", "%chat pages --profile nothing", "%chat ladder --rungs nothing"):
        shown = notebook.run(line, "c3")
        assert len(shown.lines) == 1, shown.lines


def test_the_front_end_asks_views_over_the_comm(notebook: Any) -> None:
    bundle = view(notebook, "%chat tree")
    conversation = bundle[VIEW]["conversation"]
    first = bundle[VIEW]["data"]["turns"][0][0]
    comm = notebook.open_comm()
    asked = {"conversation": conversation, "ask": "body", "args": {"turn": first}}
    assert notebook.call(comm, "explore", **asked)["result"]["prompt"] == "one"
    moved = notebook.call(comm, "explore", conversation=conversation, ask="continue", args={"turn": first})
    assert moved["result"]["tip"] == first
    assert (comm, {"event": "changed", "conversation": conversation}) in notebook.heard
    assert notebook.path() == [first]
    unknown = notebook.call(comm, "explore", conversation="nowhere", ask="news", args={"after": 0})
    assert set(unknown) == {"id", "error"}
