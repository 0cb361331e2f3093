"""Run a notebook in a real kernel and tell what happened: python examples/play.py NOTEBOOK FOLDER.

The executed notebook and its HTML go to FOLDER.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbconvert import HTMLExporter

TURN = "application/vnd.jupyter-history.turn.v1+json"


def first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def result_lines(output: Any) -> list[str]:
    """An output in a few words: of an answer its first line and its footer, of anything else its first line."""
    if output.output_type == "stream":
        return [first_line(output.text)]
    if output.output_type == "error":
        return [f"{output.ename}: {output.evalue}"]
    answer = output.data.get(TURN)
    if answer is None:
        return [first_line(output.data.get("text/plain", ""))]
    body = output.data["text/markdown"].encode("utf-16-le")[: 2 * answer["body"]].decode("utf-16-le")
    return [first_line(body), f"({answer['footer']})"]


def tell(cell: Any) -> None:
    if cell.cell_type == "markdown":
        print(f"\n{first_line(cell.source).lstrip('# ')}")
        return
    for line in cell.source.splitlines():
        print(f"  > {line}")
    for output in cell.outputs:
        for line in filter(None, result_lines(output)):
            print(f"    {line}")


def main(notebook: Path, folder: Path) -> int:
    book = nbformat.read(notebook, as_version=4)
    failed = 0
    # the state of widgets is not stored: a viewer without a kernel would show it in place of what can be read
    client = NotebookClient(book, timeout=120, store_widget_state=False, resources={"metadata": {"path": str(folder)}})
    try:
        client.execute()
    except CellExecutionError:
        failed = 1
    for cell in book.cells:
        tell(cell)
    saved = folder / notebook.name
    page = saved.with_suffix(".html")
    nbformat.write(book, saved)
    page.write_text(HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    print(f"\nThe notebook with its answers:  {saved}\nThe same as a page:             {page}")
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
