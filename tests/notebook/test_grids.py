"""`%%chat --each` in a kernel: one display that fills, one interrupt for all, a rerun that asks for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

SLOW = "0.03"


@pytest.fixture
def notebook(kernel: Callable[..., Any]) -> Any:
    made = kernel("a.ipynb", ["c1", "c2"], JUPYTER_HISTORY_OFFLINE_DELAY=SLOW)
    made.run("%load_ext jupyter_history")
    made.run("%%chat\nThe launch code is 4711 and the door is green.", "c1")
    return made


VIEW = "application/vnd.jupyter-history.view.v1+json"
WIDGET = "application/vnd.jupyter.widget-view+json"
SCRIPT = """
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
server = Scripted()
first, second, third = REPLIES
server.reply(first, chunks=8, delay=0.05).reply(second, chunks=16, delay=0.15).reply(third, chunks=16, delay=0.15)
get_ipython().magics_manager.registry["ChatMagics"].current._client = Client(transport=server)
"""
REPLIES = tuple(
    f"The lake is {colour} in the morning.\n\nAt noon the boats of the {colour} harbour go out and come back late."
    for colour in ("blue", "green", "grey")
)


def table(cell: Any) -> str:
    return str(cell.displays[0]["text/plain"])


@pytest.fixture
def scripted(kernel: Callable[..., Any]) -> Any:
    """A notebook whose model gives `REPLIES`: the first one fast, the others slowly."""
    made = kernel("a.ipynb", ["c2"])
    assert made.run(SCRIPT.replace("REPLIES", repr(REPLIES))).status == "ok"
    return made


def columns(cell: Any) -> list[dict[str, Any]]:
    return list(cell.displays[0][VIEW]["data"]["columns"])


def told(cell: Any) -> list[str]:
    return [each["text"] for each in cell.displays[0][VIEW]["data"]["texts"]]


LINE = "%%chat -m claude-sonnet-5-5 --each repeat=3\nWhat colour is the lake?"


def test_one_display_holds_the_comparison_from_the_first_call_on(scripted: Any) -> None:
    scripted.open_comm()  # as JupyterLab does with our extension
    looks: list[tuple[list[dict[str, Any]], list[str], dict[str, Any]]] = []

    def look(cell: Any) -> None:
        if cell.displays and cell.updates >= len(looks):
            looks.append((columns(cell), told(cell), cell.displays[0]))

    done = scripted.result(scripted.send(LINE, "c2"), look)
    assert done.error is None
    assert len(done.displays) == 1
    assert done.updates >= 4
    partly = [(shown, texts, bundle) for shown, texts, bundle in looks if any(one.get("open") for one in shown)]
    assert any("".join(texts) and set(texts) != set(REPLIES) for _, texts, _ in partly)
    assert any("writes …" in one.get("state", "") for shown, _, _ in partly for one in shown)
    assert any(sum("id" in one for one in shown) == 1 for shown, _, _ in partly)  # one is there, the others write
    assert not [bundle for _, _, bundle in partly if WIDGET in bundle]
    for _, texts, bundle in partly:
        assert all(any(reply.startswith(text) for reply in REPLIES) for text in texts)
        assert "answer" in bundle["text/html"]
    assert sorted(told(done)) == sorted(REPLIES)
    assert [one["variant"] for one in columns(done)] == ["repeat=1", "repeat=2", "repeat=3"]
    assert not any("key" in one for one in columns(done))
    assert "3 of 3" in table(done)
    assert "background-color:rgba" in done.displays[0]["text/html"]


def test_where_there_are_only_widgets_one_display_and_its_widget_fill(scripted: Any) -> None:
    bundles: list[dict[str, Any]] = []

    def look(cell: Any) -> None:
        if cell.displays and cell.displays[0] not in bundles:
            bundles.append(cell.displays[0])

    done = scripted.result(scripted.send(LINE, "c2"), look)
    assert done.updates == 1
    first, last = bundles
    assert first[WIDGET] == last[WIDGET]
    messages = [data for _, data in done.pushed if data.get("method") in ("custom", "update")]
    sent = [data["content"]["view"] for data in messages if data["method"] == "custom" and "view" in data["content"]]
    texts = ["".join(each["text"] for each in view["data"]["texts"]) for view in sent]
    assert len(set(texts)) >= 4
    assert [len(text) for text in texts] == sorted(map(len, texts))
    synced = [data for data in messages if data["method"] == "update"]
    assert [len(data["state"]["state"]["data"]["columns"]) for data in synced if "state" in data["state"]] == [3]
    assert not any(word in str(synced) for word in ("morning", "harbour"))
    assert sorted(told(done)) == sorted(REPLIES)


def test_an_interrupt_keeps_what_finished_in_its_column(scripted: Any) -> None:
    scripted.open_comm()
    sent: list[bool] = []

    def interrupt(cell: Any) -> None:
        if not sent and cell.displays and any("id" in one for one in columns(cell)):
            scripted.manager.interrupt_kernel()
            sent.append(True)

    stopped = scripted.result(scripted.send(LINE, "c2"), interrupt)
    assert stopped.error is not None
    assert len(stopped.displays) == 1
    assert told(stopped)[0] == REPLIES[0]
    assert columns(stopped)[0]["outcome"] == "complete"
    assert not any(one.get("open") for one in columns(stopped))


def test_what_is_stored_is_shown_again_without_a_call(notebook: Any) -> None:
    done = notebook.run("%%chat --each repeat=3\nWhat is the launch code?", "c2")
    assert table(done).split("\n\nA  ")[0].count("4711") == 3
    again = notebook.run("%%chat --each repeat=3\nWhat is the launch code?", "c2")
    assert "all stored: no call was made" in table(again)
    assert {one["id"] for one in columns(again)} == {one["id"] for one in columns(done)}


def test_one_interrupt_stops_all_and_a_rerun_asks_for_the_rest(notebook: Any) -> None:
    text = "%%chat --each repeat=12\nWhat is the launch code?"
    sent: list[bool] = []

    def interrupt(cell: Any) -> None:
        if not sent and cell.displays and "| done |" in table(cell):
            notebook.manager.interrupt_kernel()
            sent.append(True)

    stopped = notebook.result(notebook.send(text, "c2"), interrupt)
    assert sent
    assert stopped.error is not None
    assert "of 12 answers are kept" in "\n".join(stopped.lines)
    assert "| left out |" in table(stopped)
    kept = table(stopped).count("| done |")
    assert 1 <= kept < 12
    rest = notebook.run(text, "c2")
    assert rest.error is None
    assert table(rest).count("| stored |") == kept
    assert table(rest).count("| done |") == 12 - kept
