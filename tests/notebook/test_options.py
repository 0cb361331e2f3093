"""The line of a `%%chat` cell: what it takes, and one line for what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from jupyter_history.notebook.magics import ChatMagics
from jupyter_history.notebook.options import LONGEST, Options, prompt, read

PARSER = ChatMagics.ask.parser


def refusal(line: str) -> str:
    with pytest.raises(UsageError) as error:
        read(PARSER, line)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_every_option_is_read() -> None:
    line = '-m offline -s "be brief" -o answer --at kab123 --take 2 --label first --fork other --max-tokens 50'
    assert read(PARSER, line) == Options(
        model="offline",
        system="be brief",
        output="answer",
        at="kab123",
        take=2,
        label="first",
        fork="other",
        max_tokens=50,
    )
    assert read(PARSER, "--edit kab123") == Options(edit="kab123")
    assert read(PARSER, "--fresh") == Options(fresh=True)


def test_only_what_belongs_to_the_question_is_a_setting(tmp_path: Path) -> None:
    options = read(PARSER, '-m offline -s "be brief" --max-tokens 9 -o x --label l --take 2 --fork f')
    assert options.settings(tmp_path) == {"model": "offline", "system": "be brief", "max_tokens": 9}
    assert read(PARSER, "").settings(tmp_path) == {}


def test_quotes_group_and_a_backslash_is_a_backslash() -> None:
    assert read(PARSER, r"-s @C:\texts\new.txt").system == r"@C:\texts\new.txt"
    assert read(PARSER, """-s "don't" """).system == "don't"
    assert "a quote is not closed" in refusal("-s don't")


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("--modle x", "did you mean --model"),
        ("--mod x", "unknown option --mod"),
        ("-m", "expected one argument"),
        ("what is this", "goes on the lines below"),
        ("--take 0", "--take: '0' is not a number from 1"),
        ("--take -1", "--take"),
        ("--take two", "'two' is not a number from 1"),
        ("--max-tokens 0", "is not a number from 1"),
        ("-o 1x", "cannot be the name of a variable"),
        ("-o class", "cannot be the name of a variable"),
        ("--at a --edit b", "--at and --edit exclude each other"),
        ("--fork a --fresh", "--fork and --fresh exclude each other"),
        ("--fresh --at a", "exclude each other"),
        ("--label ''", "a name is missing"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(line: str, part: str) -> None:
    assert part in refusal(line)


@pytest.mark.parametrize(
    "line", ["--api-key abc", "--key=abc", "-m sk-ant-api03-abcdefghijklmnop", "-s sk-proj-abcdefghijklmnopqrstuv"]
)
def test_a_key_on_the_line_is_refused_and_not_repeated_rule_20(line: str) -> None:
    text = refusal(line)
    assert "a key never goes into a cell" in text
    assert "abc" not in text


def test_the_key_of_this_process_is_recognised_whatever_it_looks_like_rule_20(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hush-hush-hush")
    assert "hush" not in refusal("-s hush-hush-hush")


def test_a_system_prompt_comes_from_a_file_and_its_text_counts(tmp_path: Path) -> None:
    (tmp_path / "brief.txt").write_text("Be brief 😀.\n", encoding="utf-8")
    options = read(PARSER, "-s @brief.txt")
    assert options.settings(tmp_path) == {"system": "Be brief 😀."}
    (tmp_path / "brief.txt").write_text("Be long.", encoding="utf-8")
    assert options.settings(tmp_path) == {"system": "Be long."}


def test_a_system_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "brief.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder").mkdir()
    for name, part in (("bref.txt", "did you mean @brief.txt"), ("brief.txt", "not UTF-8"), ("folder", "cannot read")):
        with pytest.raises(UsageError, match=part) as error:
            Options(system=f"@{name}").settings(tmp_path)
        assert "\n" not in str(error.value)


def test_a_prompt_is_verbatim_without_the_blank_lines_around_it() -> None:
    text = "  {x} ${y} $5 and $6 \\alpha 😀\n\n>>> print('%s' % 1)\n!ls %timeit ?"
    assert prompt(f"\n \n{text}\n\n") == text


def test_an_empty_or_endless_prompt_is_said_in_one_line() -> None:
    for cell, part in (
        ("", "type your question"),
        (" \n\t\n", "type your question"),
        ("a" * (LONGEST + 1), "4,000,001"),
    ):
        with pytest.raises(UsageError, match=part) as error:
            prompt(cell)
        assert "\n" not in str(error.value)


def test_the_help_of_a_cell_reads_well(shell: InteractiveShell) -> None:
    text = shell.object_inspect_text("%%chat")
    assert "  %%chat [options]" in text
    for option in ("--model", "--system", "--output", "--at", "--edit", "--take", "--label", "--fork", "--fresh"):
        assert option in text
    assert "%%%" not in text


def run(shell: InteractiveShell, cell: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    shell.run_cell(cell)
    said = capsys.readouterr()
    return said.out, said.err


def test_an_empty_cell_is_told_what_to_type(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    for cell in ("%%chat", "%%chat\n", "%%chat -m offline\n\n  \n"):
        _, error = run(shell, cell, capsys)
        assert error == "UsageError: the cell has no prompt: type your question on the line below %%chat\n"


def test_a_question_after_the_line_magic_is_told_where_to_go(
    shell: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    out, error = run(shell, "%chat what is the meaning of this?", capsys)
    assert not out
    assert error.count("\n") == 1
    assert "begin a cell with %%chat" in error


def test_an_unknown_command_names_near_ones(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    _, error = run(shell, "%chat brnch abc", capsys)
    assert "did you mean branch" in error
    _, error = run(shell, "%chat branch", capsys)
    assert "%chat branch ID|LABEL" in error
    assert error.count("\n") == 1
