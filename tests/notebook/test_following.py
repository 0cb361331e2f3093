"""An open comparison is told of the answer that is being written beside those it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SCRIPT = """
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
server = Scripted()
get_ipython().magics_manager.registry["ChatMagics"].current._client = Client(transport=server)
"""
LAKE = "The lake is grey in the morning, and the boats of the harbour go out and come back late."


@pytest.fixture
def notebook(kernel: Callable[..., Any]) -> Any:
    """Two answers to the root, from one cell."""
    made = kernel("a.ipynb", ["c1", "c2"])
    assert made.run(SCRIPT).status == "ok"
    for colour in ("blue", "green"):
        made.run(f"server.reply('It is {colour}.')")
        made.ask(f"What is {colour}?", "c1", "-m claude-sonnet-5-5")
    return made


def news(done: Any, comm: str) -> list[dict[str, Any]]:
    return [data for to, data in done.pushed if to == comm and data.get("event") == "writing"]


def follow(notebook: Any, parent: str = "", asking: str = "") -> str:
    """A front end opens its two lines and follows the answers under a parent; the line on which it is told."""
    asking, listening = asking or notebook.open_comm(quiet=True), notebook.open_comm()
    conversation = notebook.call(asking, "hello")["result"]["conversation"]
    assert notebook.call(asking, "follow", line=asking, at=[[conversation, parent]])["result"] == {}
    return str(listening)


def test_who_follows_a_place_hears_how_far_its_answer_has_come_and_then_all_of_it(notebook: Any) -> None:
    line = follow(notebook)
    notebook.run(f"server.reply({LAKE!r}, chunks=12, delay=0.1)")
    done = notebook.ask("What is grey?", "c1", "-m claude-sonnet-5-5")
    heard = news(done, line)
    texts = [each["texts"][0]["text"] for each in heard]
    assert {each["turn"] for each in heard} == {done.answer["id"]}
    assert len(set(texts)) > 3
    assert all(LAKE.startswith(text) for text in texts)
    assert all(each["column"]["open"] and each["column"]["key"] == each["turn"] for each in heard[:-1])
    assert any("writes …" in each["column"]["state"] for each in heard[:-1])
    assert heard[-1]["column"]["id"] == done.answer["id"]
    assert heard[-1]["column"]["outcome"] == "complete"
    assert heard[-1]["texts"] == [{"id": done.answer["id"], "prompt": "What is grey?", "text": LAKE}]


def test_at_most_eight_times_a_second(notebook: Any) -> None:
    line = follow(notebook)
    notebook.run(f"server.reply({LAKE!r}, chunks=80, delay=0.01)")
    done = notebook.ask("What is grey?", "c1", "-m claude-sonnet-5-5")
    assert 2 <= len(news(done, line)) <= 12  # 0.8 s of writing, its begin and its end


def test_nobody_else_hears(notebook: Any) -> None:
    other = notebook.open_comm()
    first = notebook.call(other, "hello")["result"]["tip"]
    elsewhere = follow(notebook, first)
    notebook.run("server.reply('Grey.')")
    done = notebook.ask("What is grey?", "c1", "-m claude-sonnet-5-5")
    assert news(done, other) == news(done, elsewhere) == []
    notebook.run("server.reply('So.')")
    assert news(notebook.ask("And then?", "c2", "-m claude-sonnet-5-5"), elsewhere) == []
    notebook.say(f"branch {first}")
    notebook.run("server.reply('So it goes.')")
    below = notebook.ask("And then, below the first?", "c9", "-m claude-sonnet-5-5")
    assert [each["parent"] for each in news(below, elsewhere)][-1:] == [first]


def test_who_has_gone_is_told_nothing(notebook: Any) -> None:
    asking = notebook.open_comm(quiet=True)
    line = follow(notebook, asking=asking)
    notebook.close_comm(asking)
    notebook.run("server.reply('Grey.')")
    assert news(notebook.ask("What is grey?", "c1", "-m claude-sonnet-5-5"), line) == []


def test_a_stopped_answer_becomes_a_column_and_one_without_text_goes_rule_24(notebook: Any) -> None:
    line = follow(notebook)
    notebook.run(f"server.reply({LAKE!r}, chunks=40, delay=0.1)")
    stopped = False

    def stop(cell: Any) -> None:
        nonlocal stopped
        if not stopped and any(each["texts"][0]["text"] for each in news(cell, line) if each["texts"]):
            stopped = True
            notebook.manager.interrupt_kernel()

    done = notebook.result(notebook.send("%%chat -m claude-sonnet-5-5\nWhat is grey?", "c1"), stop)
    last = news(done, line)[-1]
    assert last["column"]["outcome"] == "stopped"
    assert LAKE.startswith(last["texts"][0]["text"].split("\n")[0])
    notebook.run("server.error(400, 'invalid_request_error', 'no')")
    failed = notebook.run("%%chat -m claude-sonnet-5-5\nWhat is black?", "c1")
    assert failed.error is not None
    gone = news(failed, line)
    assert (gone[-1]["column"], gone[-1]["turn"]) == (None, gone[0]["turn"])


def test_what_is_beside_a_turn_is_asked_for_by_what_is_known(notebook: Any) -> None:
    comm = notebook.open_comm()
    hello = notebook.call(comm, "hello")["result"]
    siblings = notebook.call(comm, "siblings", turn=hello["tip"])["result"]["ids"]

    def beside(*known: str) -> dict[str, Any]:
        args = {"turn": hello["tip"], "known": list(known)}
        reply = notebook.call(comm, "explore", conversation=hello["conversation"], ask="beside", args=args)
        return dict(reply["result"])

    found = beside(siblings[0])
    assert [column["id"] for column in found["columns"]] == siblings[1:]
    assert [each["text"] for each in found["texts"]] == ["It is green."]
    assert beside(*siblings) == {"columns": [], "texts": []}


def test_what_cannot_be_followed_is_one_line(notebook: Any) -> None:
    comm = notebook.open_comm()
    assert "places" in notebook.call(comm, "follow", line=comm, at=[["only"]])["error"]
    assert "places" in notebook.call(comm, "follow", line=comm, at=7)["error"]
