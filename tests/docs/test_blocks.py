"""Every Python and chat block of the README and of `docs/` runs, offline, page by page.

A page's blocks run in order in one shell. A block whose info string says `not run: REASON` is counted here; a block
`text shown` holds lines that must stand in what the block before it showed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from markdown_it import MarkdownIt

from jupyter_history.tools.tools import REGISTERED

ROOT = Path(__file__).parents[2]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs").glob("reference/*.md")),
    ]
]
NOT_RUN = {
    "docs/experiments.md": ["needs a key, and up to a day"],
    "docs/hub.md": ["part of JupyterHub's configuration"],
    "docs/local.md": ["needs a local server"],
}
"""The blocks that no test runs, with the reason that their page gives."""


class Block(NamedTuple):
    language: str
    marks: str
    text: str
    line: int

    @property
    def reason(self) -> str | None:
        """Why it is not run; None where it is."""
        found = re.fullmatch(r"not run: (.+)", self.marks)
        return found[1] if found else None


def blocks(page: str) -> Iterator[Block]:
    for token in MarkdownIt().parse((ROOT / page).read_text(encoding="utf-8")):
        if token.type == "fence":
            language, _, marks = token.info.strip().partition(" ")
            yield Block(language, marks.strip(), token.content, (token.map or [0])[0] + 1)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A new shell in an empty folder, with a store of its own and the offline reader."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_HISTORY_STORE", str(tmp_path / "history.db"))
    monkeypatch.setenv("JUPYTER_HISTORY_MODEL", "offline")
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(colors="nocolor")
    made.history_manager.enabled = False
    made.run_line_magic("load_ext", "jupyter_history")
    yield made
    made.run_line_magic("unload_ext", "jupyter_history")
    InteractiveShell.clear_instance()
    for name in list(REGISTERED):
        REGISTERED.remove(name)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.language in ("python", "chat") for b in blocks(page))]
)
def test_the_blocks_of_a_page_run_and_show_what_it_says(page: str, shell: InteractiveShell) -> None:
    shown = ""
    for block in blocks(page):
        if block.language in ("python", "chat") and block.reason is None:
            with capture_output() as captured:
                done = shell.run_cell(block.text)
            forms = [str(form) for output in captured.outputs for form in output.data.values()]
            shown = "\n".join([captured.stdout, captured.stderr, *forms])
            assert done.success, f"{page}, line {block.line}: {shown[-2000:]}"
        elif block.marks == "shown":
            missing = [line for line in block.text.splitlines() if line not in shown]
            assert not missing, f"{page}, line {block.line}: {missing} not in {shown}"


def test_blocks_that_are_not_run_say_why() -> None:
    found = {page: [b.reason for b in blocks(page) if b.reason] for page in PAGES}
    assert {page: reasons for page, reasons in found.items() if reasons} == NOT_RUN


def test_no_chat_hides_in_a_block_without_a_language() -> None:
    plain = [(page, b.line) for page in PAGES for b in blocks(page) if b.language != "chat" and "%%chat" in b.text]
    assert plain == []


def test_marks_of_blocks_are_known() -> None:
    wrong = [
        (page, b.line, b.marks) for page in PAGES for b in blocks(page) if b.marks not in ("", "shown") and not b.reason
    ]
    assert wrong == []


def test_links_to_files_lead_somewhere() -> None:
    lost = []
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if "://" not in target and not (ROOT / page).parent.joinpath(target).exists():
                lost.append((page, target))
    assert lost == []
