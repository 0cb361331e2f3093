"""Unloaded and loaded again, the extension goes on where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell


def test_reloading_the_extension_goes_on_in_the_same_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "history.db"))
    monkeypatch.setenv("JUPYTER_HISTORY_MODEL", "offline")
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "jupyter_history")
    try:
        shell.run_cell_magic("chat", "-o one", "The word is plover.")
        shell.run_line_magic("reload_ext", "jupyter_history")
        shell.run_cell_magic("chat", "-o two", "Which word is it?")
    finally:
        shell.run_line_magic("unload_ext", "jupyter_history")
    assert shell.user_ns["two"].parent == shell.user_ns["one"].id
    assert "plover" in shell.user_ns["two"].text
