"""`%%chat --each` in a shell and in a kernel: one table, one stop, nothing asked twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import batch_server
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from jupyter_history.experiments import Experiment
from jupyter_history.model.client import Client


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "history.db"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "JUPYTER_HISTORY_MODEL"):
        monkeypatch.delenv(name, raising=False)
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(colors="nocolor")
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "jupyter_history")
    yield made
    made.run_line_magic("unload_ext", "jupyter_history")
    InteractiveShell.clear_instance()


def cell(shell: InteractiveShell, text: str) -> Any:
    with capture_output() as captured:
        shell.run_cell(text)
    return captured


def shown(captured: Any) -> list[str]:
    return [output.data.get("text/markdown") or output.data["text/plain"] for output in captured.outputs]


def test_each_shows_the_answers_side_by_side(shell: InteractiveShell) -> None:
    cell(shell, "%%chat\nThe launch code is 4711.")
    (table,) = shown(cell(shell, "%%chat --each ladder=off,snapshot -o grid\nWhat is the launch code?"))
    assert "2 of 2" in table
    assert "| ladder=snapshot |" in table
    assert "\nanswer" in table
    assert "4711" in table.split("\nanswer")[1]
    made = shell.user_ns["grid"]
    assert isinstance(made, Experiment)
    assert {turn.parent for turn in made.turns if turn} == {made.under}


def test_it_runs_again_without_a_call(shell: InteractiveShell) -> None:
    text = "%%chat --each repeat=2 -o grid\nWhat is the launch code?"
    cell(shell, text)
    first = [run.turn for run in shell.user_ns["grid"].runs]
    table = shown(cell(shell, text))[0]
    assert "all stored: no call was made" in table
    assert [run.turn for run in shell.user_ns["grid"].runs] == first


def test_over_the_limit_one_line_says_which_option_raises_it(shell: InteractiveShell) -> None:
    captured = cell(shell, "%%chat -m claude-opus-5-5 --each repeat=50 --budget 0.01\nWhy?")
    line = (captured.stdout + captured.stderr).strip()
    assert line.count("\n") == 0
    assert "Nothing was sent: 50 calls" in line
    assert "`--budget" in line


def test_a_system_prompt_comes_from_a_file(shell: InteractiveShell, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Be brief.")
    (tmp_path / "b.md").write_text("Be long, and say all.")
    table = shown(cell(shell, "%%chat --each system=@a.md,@b.md -o grid\nHello?"))[0]
    assert "system=@a.md" in table
    assert [point.settings["system"] for point in shell.user_ns["grid"].points] == [
        "Be brief.", "Be long, and say all."
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--each ladder=off,shrink", "No rung is called 'shrink'"),
        ("--each repeat=2 --take 2", "exclude each other"),
        ("--each repeat=2 --budget none", "not an amount of dollars"),
        ("--batch", "offline reader takes no batches"),
    ],
)
def test_a_wrong_line_is_one_line(shell: InteractiveShell, line: str, part: str) -> None:
    captured = cell(shell, f"%%chat {line}\nHello?")
    told = (captured.stdout + captured.stderr).strip()
    assert part in told
    assert "Traceback" not in told


def test_batches_are_listed_and_filed(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.magics["cell"]["chat"].__self__
    transport = batch_server.BatchServer()
    magics.current._client = Client(transport=transport)
    assert "No batch is on its way" in cell(shell, "%%chat\nHello?\n").stdout + cell(shell, "%chat batches").stdout
    text = "%%chat -m claude-sonnet-5-5 --each repeat=2 --batch -o grid\nHello?"
    assert "on their way" in shown(cell(shell, text))[0]
    assert "msgbatch_1" in cell(shell, "%chat batches").stdout
    transport.end("msgbatch_1")
    assert "Filed:" in cell(shell, "%chat batches").stdout
    assert "all stored" in shown(cell(shell, text))[0]
    assert len(transport.batches) == 1


def test_a_batch_that_may_be_lost_is_one_line_and_can_be_dropped(shell: InteractiveShell) -> None:
    magics = shell.magics_manager.magics["cell"]["chat"].__self__
    transport = batch_server.BatchServer()
    transport.lose = "before"
    magics.current._client = Client(transport=transport)
    text = "%%chat -m claude-sonnet-5-5 --each repeat=2 --batch\nHello?"
    told = cell(shell, text)
    assert "Traceback" not in told.stdout + told.stderr
    (line, *_) = cell(shell, "%chat batches").stdout.splitlines()
    id = line.split("`")[1]
    assert f"`%chat batches drop {id}` lets the cell send it anew" in line
    assert "takes nothing, or `drop ID`" in cell(shell, f"%chat batches forget {id}").stderr
    assert "Forgotten" in cell(shell, f"%chat batches drop {id}").stdout
    assert "on their way" in shown(cell(shell, text))[0]
    assert len(transport.batches) == 1
