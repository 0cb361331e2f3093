"""What the front end asks and is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import jupyter_history

Start = Callable[..., Any]


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", ("c1", "c2"))


def test_a_front_end_is_greeted(notebook: Any) -> None:
    comm = notebook.open_comm()
    nothing = {"version": jupyter_history.__version__, "conversation": None, "path": [], "tip": None}
    assert notebook.call(comm, "hello")["result"] == nothing
    answer = notebook.ask("one", "c1").answer
    greeted = notebook.call(comm, "hello")["result"]
    assert greeted == nothing | {"conversation": answer["conversation"], "path": [answer["id"]], "tip": answer["id"]}
    notebook.restart()
    assert notebook.call(notebook.open_comm(), "hello")["result"] == greeted


def test_siblings_answers_and_going_on_from_one(notebook: Any) -> None:
    comm = notebook.open_comm()
    first = notebook.ask("one", "c1").answer["id"]
    shown = notebook.ask("two", "c2")
    edited = notebook.ask("one, edited", "c1").answer["id"]
    assert notebook.call(comm, "siblings", turn=first)["result"] == {"ids": [first, edited], "onPath": edited}
    assert notebook.call(comm, "siblings", turn=shown.answer["id"])["result"]["onPath"] is None
    stored = notebook.call(comm, "answer", turn=shown.answer["id"])["result"]["data"]
    assert stored["text/markdown"].startswith(shown.text[:50])
    assert stored["application/vnd.jupyter-history.turn.v1+json"]["stored"]
    moved = notebook.call(comm, "continue", turn=first)["result"]
    assert (moved["path"], moved["tip"]) == ([first, shown.answer["id"]], shown.answer["id"])
    assert edited in moved["note"]
    event = {key: moved[key] for key in ("path", "tip")} | {
        "event": "moved",
        "conversation": shown.answer["conversation"],
    }
    assert (comm, event) in notebook.heard
    assert notebook.path() == moved["path"]


def test_every_move_is_pushed_to_every_open_front_end(notebook: Any) -> None:
    one, two = notebook.open_comm(), notebook.open_comm()
    done = notebook.ask("one", "c1")
    assert {comm for comm, data in done.pushed if data["tip"] == done.answer["id"]} == {one, two}
    notebook.close_comm(one)
    moved = notebook.run("%chat branch root", "x")
    assert [(comm, data["event"], data["path"], data["tip"]) for comm, data in moved.pushed] == [
        (two, "moved", [], None)
    ]


def test_a_comm_that_only_asks_is_told_of_no_move(notebook: Any) -> None:
    asking, listening = notebook.open_comm(quiet=True), notebook.open_comm()
    done = notebook.ask("one", "c1")
    assert {comm for comm, _ in done.pushed} == {listening}
    assert notebook.call(asking, "hello", version="9.9")["result"]["tip"] == done.answer["id"]
    assert "9.9" in notebook.say("doctor")


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("siblings", {"turn": "nowhere"}),
        ("answer", {"turn": "nowhere"}),
        ("continue", {"turn": "nowhere"}),
        ("siblings", {}),
        ("siblings", {"turn": ["x"]}),
        ("answer", {"turn": "x", "other": 1}),
        ("nonsense", {}),
    ],
)
def test_what_cannot_be_answered_is_one_line(notebook: Any, call: str, arguments: dict[str, Any]) -> None:
    notebook.ask("one", "c1")
    reply = notebook.call(notebook.open_comm(), call, **arguments)
    assert set(reply) == {"id", "error"}
    assert "\n" not in reply["error"]


def test_looking_calls_no_model_and_writes_nothing_rule_23(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer
    comm = notebook.open_comm()
    before = notebook.say("list")
    for call, arguments in (("hello", {}), ("siblings", {"turn": first["id"]}), ("answer", {"turn": first["id"]})):
        notebook.call(comm, call, **arguments)
    assert notebook.say("list") == before


def test_a_front_end_may_look_while_an_answer_is_written_but_not_move(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    comm, subshell = notebook.open_comm(quiet=True), notebook.subshell()
    assert notebook.call(comm, "hello", subshell=subshell)["result"]["tip"] == first
    prepared = notebook.run(
        "from jupyter_history.model.client import Client\n"
        "from jupyter_history.model.scripted import Scripted\n"
        "current = get_ipython().magics_manager.registry['ChatMagics'].current\n"
        "current._client = Client(transport=Scripted().reply('word ' * 100, chunks=100, delay=0.05))\n"
        "current.session = None"
    )
    assert prepared.status == "ok"
    request = notebook.send("%%chat\ntwo", "c2")
    replies: list[dict[str, Any]] = []

    def meanwhile(shown: Any) -> None:
        if not replies and shown.displays and "word" in shown.displays[0]["text/markdown"]:
            replies.append(notebook.call(comm, "siblings", subshell=subshell, turn=first))
            replies.append(notebook.call(comm, "continue", subshell=subshell, turn=first))

    done = notebook.result(request, meanwhile)
    looked, refused = replies
    assert looked["result"] == {"ids": [first], "onPath": first}
    assert "being written" in refused["error"]
    assert done.status == "ok"
    assert notebook.path() == [first, done.answer["id"]]
    assert notebook.call(comm, "continue", subshell=subshell, turn=first)["result"]["tip"] == done.answer["id"]
