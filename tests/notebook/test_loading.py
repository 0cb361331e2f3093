"""Loading adds a few things and says when it displaces another; unloading leaves the shell as it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

import jupyter_history

ROOT = Path(jupyter_history.__file__).parents[1]

WATCH_IMPORTS = """
import sys, threading
seen = []
class Finder:
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is threading.main_thread():
            seen.append(name.partition(".")[0])
sys.meta_path.insert(0, Finder())
"""
"""The warm-up thread imports what the first cell needs; only what the user waits for counts."""

HEAVY = (
    "sqlalchemy",
    "anthropic",
    "anywidget",
    "ipywidgets",
    "PIL",
    "httpx",
    "httpx2",
    "pydantic",
    "markdown_it",
    "mdurl",
)


def heavy_imports(code: str) -> list[str]:
    code = f"{WATCH_IMPORTS}\n{code}\nprint([name for name in {HEAVY!r} if name in seen])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return list(eval(done.stdout.splitlines()[-1]))


def test_importing_the_package_imports_nothing_heavy() -> None:
    assert heavy_imports("import jupyter_history; jupyter_history.__all__") == []


def test_loading_the_extension_imports_nothing_heavy() -> None:
    shell = "from IPython.core.interactiveshell import InteractiveShell; shell = InteractiveShell.instance()"
    assert heavy_imports(f"{shell}; shell.run_line_magic('load_ext', 'jupyter_history')") == []


def test_the_watch_sees_a_heavy_import() -> None:
    assert heavy_imports("import sqlalchemy") == ["sqlalchemy"]


def test_public_names_come_on_first_use() -> None:
    for name in jupyter_history.__all__:
        assert getattr(jupyter_history, name) is not None
    assert set(jupyter_history.__all__) <= set(dir(jupyter_history))
    with pytest.raises(AttributeError, match="Sesion"):
        jupyter_history.Sesion  # noqa: B018


def state(shell: InteractiveShell) -> dict[str, object]:
    """All that loading could leave behind."""
    manager = shell.magics_manager
    return {
        "cell": dict(manager.magics["cell"]),
        "line": dict(manager.magics["line"]),
        "registry": dict(manager.registry),
        "matchers": list(shell.Completer.custom_matchers),
        "cleanup": list(shell.input_transformer_manager.cleanup_transforms),
        "lines": list(shell.input_transformer_manager.line_transforms),
        "events": {name: list(callbacks) for name, callbacks in shell.events.callbacks.items()},
        "exceptions": shell.custom_exceptions,
        "formatters": {kind: dict(each.type_printers) for kind, each in shell.display_formatter.formatters.items()},
        "names": set(shell.user_ns),
    }


def test_unloading_leaves_the_shell_as_it_was(bare: InteractiveShell) -> None:
    bare.run_line_magic("unload_ext", "jupyter_history")  # IPython loads its own magics on first use
    before = state(bare)
    bare.run_line_magic("load_ext", "jupyter_history")
    assert state(bare) != before
    bare.run_line_magic("unload_ext", "jupyter_history")
    assert state(bare) == before
    bare.run_line_magic("unload_ext", "jupyter_history")
    assert state(bare) == before


def test_loading_again_after_unloading_works(bare: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    bare.run_line_magic("load_ext", "jupyter_history")
    bare.run_line_magic("reload_ext", "jupyter_history")
    bare.run_cell("%chat help")
    said = capsys.readouterr()
    assert "%chat tree" in said.out
    assert not said.err
    assert (
        bare.input_transformer_manager.cleanup_transforms.count(
            next(step for step in bare.input_transformer_manager.cleanup_transforms if step.__name__ == "verbatim")
        )
        == 1
    )
    bare.run_line_magic("unload_ext", "jupyter_history")


def test_another_chat_magic_is_named_on_load_and_comes_back(
    bare: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    def theirs(line: str, cell: str) -> str:
        return "theirs"

    bare.register_magic_function(theirs, "cell", "chat")
    bare.run_line_magic("load_ext", "jupyter_history")
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"%%chat of {__name__}" in said
    assert bare.find_cell_magic("chat") is not theirs
    bare.run_line_magic("unload_ext", "jupyter_history")
    assert bare.run_cell_magic("chat", "", "hi") == "theirs"


def test_a_chat_magic_that_came_after_ours_survives_unloading(bare: InteractiveShell) -> None:
    def later(line: str) -> str:
        return "later"

    bare.run_line_magic("load_ext", "jupyter_history")
    bare.register_magic_function(later, "line", "chat")
    bare.run_line_magic("unload_ext", "jupyter_history")
    assert bare.run_line_magic("chat", "") == "later"
