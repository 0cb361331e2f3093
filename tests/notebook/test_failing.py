"""What fails is one line that says what happened, what was kept and what to do (rule 25)."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", ("c1", "c2"))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--at nowhere", "nowhere"),
        ("--edit nowhere", "nowhere"),
        ("--modle x", "--model"),
        ("--take 0", "--take"),
        ("--take 21", "--take"),
        ("--budget 1", "--each"),
        ("--each system=@nowhere.md,x", "--each system"),
        ("--window 99999999999999999999", "window"),
        ("--max-tokens 99999999999999999999", "max_tokens"),
        ("--image ''", "--image"),
        ("--label next", "next"),
        ("--fork other --at nowhere", "nowhere"),
        ("--label tip", "tip"),
    ],
)
def test_a_wrong_option_is_one_line(notebook: Any, line: str, part: str) -> None:
    notebook.ask("one", "c1")
    done = notebook.run(f"%%chat {line}\nhi", "c2")
    assert done.status == "error"
    assert len(done.lines) == 1
    assert part in done.lines[0]


def test_hundreds_of_takes_are_refused_before_any_call_where_cells_have_no_ids_too(kernel: Start) -> None:
    batch = kernel()
    first = batch.ask("one", None).answer
    for cell in (None, "c1"):
        done = batch.run("%%chat --take 300\nhi", cell)
        assert len(done.lines) == 1
        assert "from 1 to 20" in done.lines[0]
    assert batch.path() == [first["id"]]


@pytest.mark.parametrize(
    "line",
    [
        "branch nowhere",
        "new new",
        "open",
        "compare a b",
        "label nowhere x",
        "again nowhere",
        "ladder --window 0",
        "ladder --wind 50",
        "config model ''",
        "config window 99999999999999999999",
        "pages --profile nope",
    ],
)
def test_a_wrong_command_is_one_line(notebook: Any, line: str) -> None:
    notebook.ask("one", "c1")
    notebook.say("new new")
    done = notebook.run(f"%chat {line}", "c2")
    assert (done.status, len(done.lines)) == ("error", 1)


def test_retry_tells_its_states_apart_rule_9(notebook: Any) -> None:
    assert "No conversation is open" in notebook.run("%chat again", "x").lines[0]
    notebook.say("new")
    assert "is empty" in notebook.run("%chat again", "x").lines[0]
    failed = notebook.run("%%chat -m claude-haiku-4-5\nhi", "c1")
    assert len(failed.lines) == 1
    assert "The first prompt failed" in notebook.run("%chat again", "x").lines[0]
    first = notebook.ask("hello", "c1").answer["id"]
    assert notebook.run("%chat again", "x").answer["siblings"][0] == first


def test_a_server_that_is_not_there_is_one_line_and_nothing_moves(kernel: Start) -> None:
    notebook = kernel(
        "a.ipynb", ("c1",), ANTHROPIC_BASE_URL="http://127.0.0.1:9", ANTHROPIC_API_KEY="sk-ant-hush-hush-hush-hush"
    )
    first = notebook.ask("one", "c1", "-m offline").answer["id"]
    done = notebook.run("%%chat\nhi", "c2")
    assert (done.status, len(done.lines)) == ("error", 1)
    assert notebook.path() == [first]
    trace = notebook.say("why")
    assert "Traceback" in trace
    assert "hush" not in trace + notebook.say("doctor") + done.lines[0]


def test_a_store_that_cannot_be_had_costs_no_answer_rule_7(kernel: Start) -> None:
    notebook = kernel("a.ipynb", ("c1",), JUPYTER_HISTORY_STORE="/dev/null/nowhere/history.db")
    first = notebook.ask("one", "c1").answer
    assert any("/dev/null/nowhere" in note and "in memory" in note for note in first["notes"])
    second = notebook.ask("two", "c2").answer
    assert second["parent"] == first["id"]
    assert "! " in notebook.say("doctor")


def test_what_was_kept_in_memory_is_saved_when_the_store_can_be_had_rule_7(kernel: Start, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the folder should be")
    notebook = kernel("a.ipynb", ("c1", "c2"), JUPYTER_HISTORY_STORE=str(home / "history.db"))
    first = notebook.ask("one", "c1").answer
    assert any("in memory" in note for note in first["notes"])
    home.unlink()
    second = notebook.ask("two", "c2").answer
    assert any("Saved now" in note for note in second["notes"]), second["notes"]
    assert "sound" in notebook.say("doctor")
    notebook.restart(process=True)
    assert notebook.ask("one", "c1").answer["stored"]
    assert notebook.path() == [first["id"], second["id"]]


SLOW = """
import time
from jupyter_history.model.client import Client
from jupyter_history.model.scripted import Scripted
scripted = Scripted()
current = get_ipython().magics_manager.registry['ChatMagics'].current
current._client = Client(transport=scripted)
current.session = None
"""


def slow(notebook: Any, *replies: str) -> None:
    """From now on a script answers in this kernel."""
    prepared = notebook.run(SLOW + "\n".join(f"scripted.{reply}" for reply in replies))
    assert prepared.status == "ok", prepared


def interrupted(notebook: Any, code: str, cell: str, when: Callable[[Any], bool]) -> Any:
    """Run a cell and send the kernel a SIGINT as soon as `when` holds of what it shows."""
    sent: list[float] = []

    def watch(shown: Any) -> None:
        if not sent and when(shown):
            notebook.manager.interrupt_kernel()
            sent.append(time.monotonic())

    done = notebook.result(notebook.send(code, cell), watch)
    assert sent, "never interrupted"
    assert time.monotonic() - sent[0] < 20
    return done


def shows(words: str) -> Callable[[Any], bool]:
    return lambda cell: any(words in str(bundle.get("text/markdown")) for bundle in cell.displays)


def test_a_fault_of_ours_is_one_line_too_and_its_trace_is_kept_rule_25(notebook: Any) -> None:
    slow(notebook)
    notebook.run("current._client = 7")
    done = notebook.run("%%chat\nhi", "c1")
    assert (done.status, len(done.lines)) == ("error", 1)
    assert "jupyter_history failed (AttributeError" in done.lines[0]
    assert "what was stored before is untouched" in done.lines[0]
    assert "Traceback" in notebook.say("why")


def test_a_trace_hides_the_key_that_a_server_repeats_rule_20(notebook: Any) -> None:
    slow(notebook, "error(401, 'authentication_error', 'invalid x-api-key: sk-ant-api03-hush-hush-hush-hush')")
    done = notebook.run("%%chat\nhi", "c1")
    trace = notebook.say("why")
    assert "AuthenticationError" in trace
    assert "hush" not in trace + done.lines[0]


def test_a_stop_keeps_what_was_read_and_stops_run_all_rule_24(notebook: Any) -> None:
    slow(notebook, "reply('word ' * 400, chunks=400, delay=0.05)", "reply('whole')", "reply('next')")
    first = notebook.send("%%chat\nTell me a long story.", "c1")
    later = notebook.send("print('ran on')", "c2")
    seen: list[bool] = []

    def watch(shown: Any) -> None:
        if not seen and shows("word word")(shown):
            notebook.manager.interrupt_kernel()
            seen.append(True)

    done = notebook.result(first, watch)
    assert seen
    assert done.status == "error"
    assert len(done.lines) == 1
    assert "Stopped" in done.lines[0]
    assert done.answer["outcome"] == "stopped"
    assert "word" in done.text
    assert not done.answer["streaming"]
    assert notebook.result(later).status == "aborted"
    assert notebook.path() == [done.answer["id"]]
    again = notebook.ask("Tell me a long story.", "c1").answer
    assert (again["stored"], again["siblings"]) == (False, [done.answer["id"], again["id"]])


def test_a_stop_before_anything_came_keeps_nothing_rule_24(notebook: Any) -> None:
    slow(notebook, "reply('late', delay=30)")
    done = interrupted(notebook, "%%chat\nHello?", "c1", shows("waits for the model"))
    assert (done.status, len(done.lines)) == ("error", 1)
    assert "Stopped" in done.lines[0]
    assert notebook.path() == []


def test_a_stop_while_the_first_cell_starts_is_one_line_and_the_next_cell_works(notebook: Any) -> None:
    done = interrupted(notebook, "%%chat\nHello?", "c1", lambda cell: bool(cell.displays))
    assert (done.status, len(done.lines)) == ("error", 1)
    assert "Stopped" in done.lines[0]
    assert notebook.ask("Hello again.", "c2").answer["outcome"] == "complete"


def test_a_kernel_that_dies_in_an_answer_comes_back_to_the_turn_before_and_can_retry_rules_2_and_9(
    notebook: Any,
) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    slow(notebook, "reply('word ' * 400, chunks=400, delay=0.05)")
    notebook.send("%%chat\ntwo", "c2")
    time.sleep(1)
    notebook.manager.signal_kernel(signal.SIGKILL)
    notebook.restart(process=True)
    assert notebook.ask("one", "c1").answer["stored"]
    assert notebook.path() == [first]
    assert "The prompt 'two' has no answer; the kernel that asked it ended meanwhile" in notebook.say("status")
    assert notebook.run("%chat retry", "c3").answer["parent"] == first
    assert "Nothing to retry" in notebook.say("retry")
    assert "sound" in notebook.say("doctor")
