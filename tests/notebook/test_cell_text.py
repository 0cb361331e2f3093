"""A prompt reaches the magic as it was typed."""

from __future__ import annotations

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from jupyter_history.notebook.cell_text import verbatim


def seen(cell: str) -> tuple[str, str, str]:
    """What a cell comes down to: kind of magic, its line, its body."""
    manager = TransformerManager()
    manager.cleanup_transforms.insert(0, verbatim)
    calls: list[tuple[str, str, str]] = []

    class Shell:
        def run_cell_magic(self, name: str, line: str, body: str) -> None:
            calls.append((f"%%{name}", line, body))

        def run_line_magic(self, name: str, line: str) -> None:
            calls.append((f"%{name}", line, ""))

        def __getattr__(self, name: str) -> object:
            return lambda *arguments: calls.append((name, *map(str, arguments)))

    exec(manager.transform_cell(cell), {"get_ipython": Shell})
    return calls[0]


@pytest.mark.parametrize(
    "body",
    [
        ">>> 1 + 1\n... 2\n",
        "In [1]: x\n",
        "    indented\nless\n",
        '{a} ${b} $c %d !ls ?x x? \'quotes\' """ \\n 😀\n',
        "\n\nafter blank lines\n",
        "%%chat\n",
        "%time 1\n",
    ],
)
def test_a_body_is_handed_on_as_typed(body: str) -> None:
    assert seen(f"%%chat -m offline\n{body}") == ("%%chat", "-m offline", body)


def test_blank_lines_before_the_magic_do_not_matter() -> None:
    assert seen("\n\n%%chat\nhello") == ("%%chat", "", "hello\n")


def test_an_empty_cell_reaches_the_magic() -> None:
    assert seen("%%chat") == ("%%chat", "", "\n")


def test_asking_for_help_still_does() -> None:
    assert seen("%%chat?")[0] == "%pinfo"
    assert seen("%chat?")[0] == "%pinfo"


def test_a_question_to_the_line_magic_is_no_request_for_help() -> None:
    assert seen("%chat what is this?") == ("%chat", "what is this?", "")


@pytest.mark.parametrize("cell", ["x = 1\n", "%%chatter\nhi\n", "%chat tree\n", "'%%chat'\n", "", "%%time\n%%chat\n"])
def test_other_cells_are_left_alone(cell: str) -> None:
    lines = cell.splitlines(keepends=True)
    assert verbatim(lines) == lines


def test_a_terminal_still_waits_for_the_blank_line_that_ends_a_prompt() -> None:
    manager = TransformerManager()
    manager.cleanup_transforms.insert(0, verbatim)
    assert manager.check_complete("%%chat\nhello")[0] == "incomplete"
    assert manager.check_complete("%%chat\nhello\n\n")[0] == "complete"
