"""Run the examples offline and store them with their outputs: python examples/store_outputs.py [NAME ...]

Each runs in a folder and a store of its own, which are deleted; one that fails stays as it was. In the saved notebook
no widget is left, since a viewer without a kernel would show it in place of what can be read.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from play import bring_samples, play

HERE = Path(__file__).resolve().parent
WIDGETS = "application/vnd.jupyter.widget"


def offline(folder: Path) -> dict[str, str]:
    """The environment of a kernel that talks to nobody and leaves nothing."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "JUPYTER_HISTORY_"))
    }
    return kept | {"JUPYTER_HISTORY_STORE": str(folder / "history.db"), "JUPYTER_HISTORY_MODEL": "offline"}


def without_widgets(book: Any) -> None:
    """Leave the other forms of each output."""
    book.metadata.pop("widgets", None)
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            for form in [form for form in output.get("data", ()) if form.startswith(WIDGETS)]:
                del output["data"][form]


def store(notebook: Path) -> bool:
    """Whether it ran to its end, and is stored."""
    book = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bring_samples(folder)
        done = play(book, folder, offline(folder))
    if done:
        without_widgets(book)
        book.metadata["language_info"] = {"name": "python"}  # no version, so that storing again changes less
        nbformat.write(book, notebook)
    return done


def main(names: list[str]) -> int:
    books = [HERE / f"{name}.ipynb" for name in names] or sorted(HERE.glob("*.ipynb"))
    failed = [book.name for book in books if not store(book)]
    print(
        "\n" + (f"Failed: {', '.join(failed)}" if failed else f"{len(books)} notebooks are stored with their outputs.")
    )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
