"""A shell with the extension loaded, for what needs no kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A new shell in an empty folder, with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "history.db"))
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "JUPYTER_HISTORY_MODEL"):
        monkeypatch.delenv(name, raising=False)
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    shell.history_manager.enabled = False
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def shell(bare: InteractiveShell) -> Iterator[InteractiveShell]:
    """The same with `%load_ext jupyter_history`."""
    bare.run_line_magic("load_ext", "jupyter_history")
    yield bare
    bare.run_line_magic("unload_ext", "jupyter_history")
