"""What Tab offers."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell


def offered(shell: InteractiveShell, text: str, at: int | None = None) -> dict[str, str]:
    """Text to be inserted -> what it is."""
    with provisionalcompleter():
        return {item.text: item.type for item in shell.Completer.completions(text, len(text) if at is None else at)}


def test_options_with_what_they_mean(shell: InteractiveShell) -> None:
    found = offered(shell, "%%chat --")
    assert {"--model", "--system", "--at", "--edit", "--take", "--label", "--fork", "--fresh", "--max-tokens"} <= set(
        found
    )
    assert "Ask this model" in found["--model"]
    assert "--model" not in offered(shell, "%%chat -m offline --")
    assert set(offered(shell, "%%chat --f")) == {"--fork", "--fresh"}


def test_options_are_offered_above_a_prompt_too(shell: InteractiveShell) -> None:
    assert "--fresh" in offered(shell, "%%chat --fr\nWhy?", at=len("%%chat --fr"))


def test_models_after_m(shell: InteractiveShell) -> None:
    assert set(offered(shell, "%%chat -m offline-")) == {
        "offline-4k",
        "offline-text",
        "offline-blurry",
        "offline-long",
        "offline-long-blurry",
    }


def test_files_after_s(shell: InteractiveShell, tmp_path: Path) -> None:
    (tmp_path / "brief.txt").touch()
    (tmp_path / "briefs").mkdir()
    (tmp_path / "briefs" / "long.txt").touch()
    assert set(offered(shell, "%%chat -s @br")) == {"@brief.txt", "@briefs/"}
    assert set(offered(shell, "%%chat -s @briefs/l")) == {"@briefs/long.txt"}
    assert offered(shell, "%%chat -s @nowhere/") == {}


def test_prose_is_not_completed_as_python(shell: InteractiveShell) -> None:
    assert offered(shell, "%%chat\nimp") == {}
    assert offered(shell, "%%chat -m offline\n\nprint(len") == {}
    assert "import" in offered(shell, "imp")
    assert "%%chat" in offered(shell, "%%cha")


def test_commands_and_their_arguments(shell: InteractiveShell) -> None:
    assert {"tree", "path", "branch", "why", "doctor", "help"} <= set(offered(shell, "%chat "))
    assert set(offered(shell, "%chat br")) == {"branch"}
    assert offered(shell, "%chat nonsense ") == {}
    assert set(offered(shell, "%chat config mo")) == {"model"}


@pytest.mark.parametrize("line", ["%%chat --at ", "%%chat --edit ", "%chat branch ", "%chat again ", "%chat label "])
def test_turns_with_their_prompts_and_labels(shell: InteractiveShell, line: str) -> None:
    shell.run_cell("%%chat -o first --label begin\nWhat is a mixture?")
    turn = shell.user_ns["first"]
    found = offered(shell, line)
    assert found[turn.id] == "What is a mixture?"
    assert found["begin"] == "What is a mixture?"


def test_conversations_by_name(shell: InteractiveShell) -> None:
    shell.run_cell("%chat new mixtures")
    assert "mixtures" in offered(shell, "%chat open mix")


def test_a_store_that_cannot_be_read_fails_no_completion(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", "/dev/null/nowhere.db")
    assert offered(shell, "%chat open ") == {}
    assert capsys.readouterr().err == ""
