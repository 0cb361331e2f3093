"""What Tab offers."""

from __future__ import annotations

import re
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
    assert set(offered(shell, "%%chat --f")) == {"--file", "--fork", "--fresh"}


def test_options_are_offered_above_a_prompt_too(shell: InteractiveShell) -> None:
    assert "--fresh" in offered(shell, "%%chat --fr\nWhy?", at=len("%%chat --fr"))


def test_models_after_m(shell: InteractiveShell) -> None:
    assert set(offered(shell, "%%chat -m offline-")) == {
        "offline-4k",
        "offline-text",
        "offline-thinking",
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


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%chat compact ", {"elision", "images", "snapshot", "summary"}),
        ("%chat compact s", {"snapshot", "summary"}),
        ("%chat fork --", {"--as"}),
        ("%chat fork kabcde --", {"--as"}),
        ("%chat label kabcde -", {"--remove"}),
        ("%chat export out.md --", {"--overwrite"}),
        ("%chat ladder --", {"--window", "--rungs"}),
        ("%chat ladder --rungs el", {"elision"}),
        ("%chat ladder --window ", set()),
        ("%chat pages --profile le", {"legible"}),
        ("%chat help bat", {"batches"}),
        ("%chat ladder n", {"next"}),
        ("%chat config checkpoints ", {"on", "off", "default"}),
        ("%chat config ladder a", {"auto"}),
        ("%chat config window ", {"default"}),
        ("%chat config model offline-4", {"offline-4k"}),
        ("%chat config model offline ", set()),
        ("%chat branch r", {"root"}),
        ("%%chat --ladder s", {"snapshot", "summary"}),
        ("%%chat --ladder elision,s", {"elision,snapshot", "elision,summary"}),
        ("%%chat --each la", {"ladder="}),
        ("%%chat --each ladder=off,el", {"ladder=off,elision"}),
        ("%%chat --each model=offline-4", {"model=offline-4k"}),
        ("%%chat --window ", set()),
        ("%%chat --budget ", set()),
        ("%%chat --image a.png --im", {"--image"}),
    ],
)
def test_where_the_words_are_known_they_are_offered(shell: InteractiveShell, line: str, words: set[str]) -> None:
    assert set(offered(shell, line)) == words


def test_registered_tools_are_offered(shell: InteractiveShell) -> None:
    shell.run_cell("from jupyter_history import tool\n@tool\ndef zebra_count() -> int:\n    'Count.'\n    return 1")
    assert set(offered(shell, "%%chat --tools ze")) == {"zebra_count"}
    assert set(offered(shell, "%chat config tools ze")) == {"zebra_count"}


def test_files_where_a_file_is_taken(shell: InteractiveShell, tmp_path: Path) -> None:
    (tmp_path / "my letters.jsonl").touch()
    assert set(offered(shell, "%chat import my")) == {'"my letters.jsonl"'}
    assert set(offered(shell, "%%chat --image my")) == {'"my letters.jsonl"'}
    assert set(offered(shell, "%%chat --file my")) == {'"my letters.jsonl"'}


def test_checkpoints_where_one_is_gone_back_to(shell: InteractiveShell) -> None:
    shell.run_cell("%%chat\nWhat is a mixture?")
    shell.run_cell("%chat checkpoint before")
    assert set(offered(shell, "%chat rewind ")) == {"before"}


def test_every_command_that_takes_a_turn_is_offered_turns() -> None:
    from jupyter_history.notebook.commands import COMMANDS

    taking = {name for name, each in COMMANDS.items() if re.search(r"\bID|TURN|\[A\]", each.usage)}
    taking.remove("batches")  # the id of a batch
    assert taking == {name for name, each in COMMANDS.items() if each.takes in ("turn", "place", "sent")}


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


@pytest.mark.parametrize("written", ["let", '"let', '"letters a', "'letters "])
def test_names_with_spaces_are_offered_in_quotes(shell: InteractiveShell, written: str) -> None:
    shell.run_cell('%chat new "letters again"')
    line = f"%chat open {written}"
    with provisionalcompleter():
        (found,) = shell.Completer.completions(line, len(line))
    assert line[: found.start] + found.text == '%chat open "letters again"'


def test_a_store_that_cannot_be_read_fails_no_completion(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", "/dev/null/nowhere.db")
    assert offered(shell, "%chat open ") == {}
    assert capsys.readouterr().err == ""
