"""Run a notebook in a real kernel and tell what happens: python examples/play.py NOTEBOOK FOLDER.

The executed notebook and its HTML go to FOLDER. The kernel is restarted before a cell tagged "after-restart".
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

TURN = "application/vnd.jupyter-history.turn.v1+json"
RESTART = "after-restart"
QUIET = ["--IPKernelApp.log_level=40"]  # no word about TCP on the loopback device


def first_line(text: str) -> str:
    """With the line after it where it only announces that one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])


def result(output: Any) -> list[str]:
    """An output in a few words: of an answer its first line and its footer, of text its lines."""
    if output.output_type == "stream":
        return output.text.splitlines()
    if output.output_type == "error":
        return [f"{output.ename}: {output.evalue}"]
    answer = output.data.get(TURN)
    if answer is None:
        return output.data.get("text/plain", "").splitlines()
    body = output.data["text/markdown"].encode("utf-16-le")[: 2 * answer["body"]].decode("utf-16-le")
    return [first_line(body), f"({answer['footer']})"]


def play(book: Any, folder: Path, env: Mapping[str, str] | None = None) -> bool:
    """Run it cell by cell, in place, its kernel in `folder` with this environment (None: ours). False where a cell
    failed; the cells after it did not run."""

    async def before(cell: Any, cell_index: int) -> None:
        if cell.cell_type == "markdown":
            print(f"\n{first_line(cell.source).lstrip('# ')}", flush=True)
        if RESTART in cell.metadata.get("tags", ()):
            await client.km.restart_kernel()
            await client.kc.wait_for_ready()
            print("  (the kernel was restarted)", flush=True)

    def after(cell: Any, cell_index: int, execute_reply: Any) -> None:
        said = [f"  > {line}" for line in cell.source.splitlines()]
        said += [f"    {line}" for output in cell.outputs for line in result(output)]
        print("\n".join(said), flush=True)

    client = NotebookClient(
        book,
        timeout=120,
        extra_arguments=QUIET,
        store_widget_state=False,  # a viewer without a kernel would show it in place of what can be read
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=before,
        on_cell_executed=after,
    )
    try:
        client.execute(env=dict(env or os.environ))
    except CellExecutionError:
        return False
    return True


def bring_samples(folder: Path) -> None:
    """The files that the examples read, to where they run."""
    shutil.copytree(Path(__file__).parent / "samples", folder / "samples", dirs_exist_ok=True)


def main(notebook: Path, folder: Path) -> int:
    from nbconvert import HTMLExporter  # takes as long as some notebooks

    book = nbformat.read(notebook, as_version=4)
    bring_samples(folder)
    done = play(book, folder)
    saved = folder / notebook.name
    page = saved.with_suffix(".html")
    nbformat.write(book, saved)
    page.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    print(f"\nThe notebook with its answers: {saved}\nThe same as a page:            {page}")
    return 0 if done else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
