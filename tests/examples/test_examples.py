"""Every notebook of `examples/` runs offline in a real kernel, and reads without one as it is stored."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import pytest

from jupyter_history.transfer import write

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
VIEW = "application/vnd.jupyter-history.view.v1+json"
sys.path.append(str(EXAMPLES))
examples, make_samples = importlib.import_module("store_outputs"), importlib.import_module("make_samples")
VALVE, CLEANERS = "Which error did valve V-17 report?", "When do the cleaners come?"
SAID = {
    "1-first-conversation": [
        "Mina brings the olives",
        "The dough rests 90 minutes",
        "3 turns, at",
        "25 minutes at 210",
    ],
    "2-edit-rerun-compare": ["answer 4 of 4", "[caffeine]", "tea-winter", "38 euros"],
    "3-window-and-ladder": [
        "as stored ",
        "1 result of read_logger",
        f"{VALVE:44} yes       -         yes       yes       yes",
        "on page 1",
    ],
    "4-snapshots": ["if x != y:", "2.4 times less", "E-7731", "E-773l", "a simulation of no particular model"],
    "5-tools-checkpoint-rewind": ["drawer 2", "last request: False", "would have to wait until May", "after-search"],
    "6-experiment": ["32 answers", "off       8 of 8", "summary   3 of 8"],
    "7-transcripts": ["(Claude Code) is the conversation `pantry-bug`", "1 result of Bash", '{"jupyter_history":1'],
    "class": ["ladder off; 4 images", f"{CLEANERS:44} yes       yes       yes       -", "E-773l", "896 x"],
    "quickstart": ["Tris at pH 7.8", "plate 3", "answered", "4.21 micromoles"],
}
"""What must be read in the outputs of each."""


class Played:
    """A notebook that was run: its cells with their new outputs, and how long it took."""

    def __init__(self, name: str, folder: Path) -> None:
        folder.mkdir()
        examples.bring_samples(folder)
        self.book = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
        for cell in self.book.cells:
            cell.outputs = []
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        began = time.monotonic()
        self.done = examples.play(self.book, folder, {**examples.offline(folder), "PYTHONPATH": path})
        self.seconds = time.monotonic() - began


@pytest.fixture(scope="module")
def played(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Played]]]:
    """The notebooks that the chosen tests ask for, running two at a time."""
    specs = (getattr(item, "callspec", None) for item in request.session.items if item.module is request.module)
    names = dict.fromkeys(spec.params["name"] for spec in specs if spec is not None and "name" in spec.params)
    folder = tmp_path_factory.mktemp("examples")
    with ThreadPoolExecutor(2) as pool:
        yield {name: pool.submit(Played, name, folder / name) for name in names}


def said(book: Any) -> str:
    """All that the outputs say, in their text forms."""
    parts = []
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            parts += [output.get("text", ""), data.get("text/markdown", ""), data.get("text/plain", "")]
    return "\n".join(parts)


def test_all_notebooks_are_known_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.ipynb")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_a_notebook_runs_offline_and_says_what_it_teaches(name: str, played: dict[str, Future[Played]]) -> None:
    ran = played[name].result()
    text = said(ran.book)
    assert ran.done, text
    assert [words for words in SAID[name] if words not in text] == []
    if name == "class":
        assert ran.seconds < 60


@pytest.mark.parametrize("stored", SAID)
def test_a_stored_notebook_reads_without_a_kernel(stored: str) -> None:
    raw = (EXAMPLES / f"{stored}.ipynb").read_text(encoding="utf-8")
    book = nbformat.reads(raw, as_version=4)
    text = said(book)
    assert [words for words in SAID[stored] if words not in text] == []
    assert "widgets" not in book.metadata
    kinds = {kind for cell in book.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())}
    assert not [kind for kind in kinds if "widget" in kind]
    assert not [output for cell in book.cells for output in cell.get("outputs", ()) if output.output_type == "error"]
    paths = re.findall(r"(?:/home|/root|/tmp|/Users|/private|/work|/var)/[^\s\"\\]*", raw)
    assert paths == []


def test_the_class_fits_the_lesson() -> None:
    book = nbformat.read(EXAMPLES / "class.ipynb", as_version=4)
    assert len(book.cells) <= 12
    text = "\n".join(cell.source for cell in book.cells)
    assert text.count("*Predict") + text.count("Predict (") >= 3
    assert "https://github.com/teamchong/pxpipe/blob/" in text
    four = "--each ladder=elision,images,snapshot,summary"
    (cell,) = [cell for cell in book.cells if four in cell.source]
    (view,) = [output.data for output in cell.outputs if VIEW in output.get("data", {})]
    assert [column["variant"] for column in view[VIEW]["data"]["columns"]] == [
        "ladder=elision", "ladder=images", "ladder=snapshot", "ladder=summary"
    ]  # fmt: skip


def test_in_the_class_every_prediction_comes_right_before_what_reveals_it() -> None:
    cells = nbformat.read(EXAMPLES / "class.ipynb", as_version=4).cells
    asked = [n for n, cell in enumerate(cells) if cell.cell_type == "markdown" and "Predict" in cell.source]
    assert len(asked) == 4
    assert all(cells[n + 1].cell_type == "code" and cells[n + 1].outputs for n in asked)


def test_the_class_tells_of_a_real_model_that_misread_with_its_source() -> None:
    cells = nbformat.read(EXAMPLES / "class.ipynb", as_version=4).cells
    (told,) = [cell.source for cell in cells if "A real model, a real page" in cell.source]
    for part in (
        "`claude-fable-5`",
        "2026-06-11",
        "`5a7373d4187f` | `5a7973d4107f`",
        "5 x 8 pixels",
        "their measurement",
    ):
        assert part in told
    assert re.search(r"https://github.com/teamchong/pxpipe/blob/[0-9a-f]{40}/FINDINGS.md", told)


def test_the_samples_are_those_of_the_script(tmp_path: Path) -> None:
    write(make_samples.greenhouse(), tmp_path / "made.jsonl")
    kept = EXAMPLES / "samples"
    assert without_images(lines(tmp_path / "made.jsonl")) == without_images(lines(kept / "greenhouse.jsonl"))
    assert make_samples.pantry() == lines(kept / "pantry-bug.jsonl")


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_images(value: Any) -> Any:
    """Their bytes are zlib's, which differs from machine to machine."""
    if isinstance(value, dict):
        return {key: without_images(item) for key, item in value.items() if key != "data"}
    return [without_images(item) for item in value] if isinstance(value, list) else value
