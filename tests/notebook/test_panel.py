"""What the side panel and JupyterLab's commands ask the kernel, and do through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Start = Callable[..., Any]


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", ("c1", "c2"))


@pytest.fixture
def call(notebook: Any) -> Callable[..., Any]:
    """call(name, argument=...): the result, of a comm that only asks."""
    comm = notebook.open_comm(quiet=True)

    def ask(call: str, /, **arguments: Any) -> Any:
        reply = notebook.call(comm, call, **arguments)
        return reply["result"] if "result" in reply else pytest.fail(reply["error"])

    return ask


def test_a_kernel_without_a_conversation_has_an_empty_panel(call: Any) -> None:
    assert call("panel") == {"conversation": None, "labels": []}
    assert call("gauge") == {}
    assert call("turns") == {"items": []}
    assert call("conversations")["items"] == []


def test_the_panel_shows_the_open_conversation_and_its_labels(notebook: Any, call: Any) -> None:
    first = notebook.ask("one", "c1").answer
    second = notebook.ask("two", "c2").answer
    notebook.say(f"label {first['id']} start")
    shown = call("panel")
    assert shown["conversation"] == first["conversation"]
    assert (shown["turns"], shown["branches"], shown["onPath"]) == (2, 1, 2)
    assert shown["labels"] == [{"name": "start", "turn": first["id"], "title": "one", "onPath": True}]
    assert [(item["turn"], item["label"]) for item in call("turns")["items"]] == [
        (first["id"], "start"),
        (second["id"], None),
    ]


def test_the_gauge_measures_the_next_prompt_without_a_call(notebook: Any, call: Any) -> None:
    notebook.ask("word " * 300, "c1")
    before = notebook.say("list")
    gauge = call("gauge")
    assert 300 < gauge["tokens"] < gauge["room"] <= gauge["window"] == 8000
    assert gauge["fits"]
    assert gauge["rungs"] == []
    assert notebook.say("list") == before


def test_branching_goes_to_exactly_that_turn(notebook: Any, call: Any) -> None:
    first, second = notebook.ask("one", "c1").answer["id"], notebook.ask("two", "c2").answer["id"]
    assert first in call("branch", turn=first)["note"]
    assert notebook.path() == [first]
    call("branch", turn="root")
    assert notebook.path() == []
    call("branch", turn=second)
    assert notebook.path() == [first, second]


def test_a_new_conversation_a_fork_and_the_way_back(notebook: Any, call: Any) -> None:
    first = notebook.ask("one", "c1").answer
    notebook.ask("two", "c2")
    assert "copy" in call("fork", turn=first["id"], name="side")["note"]
    assert call("panel")["name"] == "side"
    assert len(notebook.path()) == 1
    call("new", name="fresh")
    assert notebook.path() == []
    items = call("conversations")["items"]
    assert {item["name"]: item["here"] for item in items} == {None: False, "side": False, "fresh": True}
    assert "2 turns" in call("open", conversation=first["conversation"])["note"]
    assert len(notebook.path()) == 2


def test_conversations_are_found_by_name_title_and_what_was_said(notebook: Any, call: Any) -> None:
    shelf = notebook.ask("Sample B12 is on the second shelf.", "c1").answer
    notebook.say("new buffers")
    notebook.ask("Tris at pH 7.8", "c2")

    def found(text: str) -> list[str]:
        return [item["title"] for item in call("conversations", find=text)["items"]]

    assert found("buff") == ["Tris at pH 7.8"]
    assert found("second SAMPLE") == ["Sample B12 is on the second shelf."]
    assert found("nowhere") == []
    [item] = call("conversations", find="shelf")["items"]
    assert item["found"]["turn"] == shelf["id"]
    assert "shelf" in item["found"]["text"]


def test_renaming_shows_at_once_and_archiving_takes_off_the_list_only(notebook: Any, call: Any) -> None:
    id = notebook.ask("one", "c1").answer["conversation"]
    call("rename", conversation=id, name="first")
    assert call("panel")["name"] == "first"
    call("archive", conversation=id)
    assert call("conversations")["items"] == []
    assert [item["name"] for item in call("conversations", archived=True)["items"]] == ["first"]
    call("archive", conversation=id, on=False)
    assert [item["name"] for item in call("conversations")["items"]] == ["first"]
    call("rename", conversation=id)
    assert call("panel")["name"] == id


def test_while_an_answer_is_written_the_panel_looks_and_refuses_to_move(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    comm, subshell = notebook.open_comm(quiet=True), notebook.subshell()
    notebook.run(
        "from jupyter_history.model.client import Client\n"
        "from jupyter_history.model.scripted import Scripted\n"
        "current = get_ipython().magics_manager.registry['ChatMagics'].current\n"
        "current._client = Client(transport=Scripted().reply('word ' * 100, chunks=100, delay=0.05))\n"
        "current.session = None"
    )
    request = notebook.send("%%chat\ntwo", "c2")
    replies: dict[str, Any] = {}

    def meanwhile(shown: Any) -> None:
        if not replies and shown.displays and "word" in shown.displays[0]["text/markdown"]:
            asked = {"panel": {}, "gauge": {}, "branch": {"turn": first}, "new": {}, "rename": {"conversation": "x"}}
            for name, arguments in asked.items():
                replies[name] = notebook.call(comm, name, subshell=subshell, **arguments)

    done = notebook.result(request, meanwhile)
    assert replies.pop("panel")["result"]["turns"] == 1
    assert {reply["error"] for reply in replies.values()} == {
        "An answer is being written; do this when it is finished, or stop it first."
    }
    assert notebook.path() == [first, done.answer["id"]]
