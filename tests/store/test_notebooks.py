"""Notebooks are recognised by the cells that made turns; the path is a hint."""

from __future__ import annotations

from builders import Writer

from jupyter_history.store import Notebook, Store
from jupyter_history.transcript import Maker


def test_a_notebook_is_remembered_and_changed(store: Store) -> None:
    home = store.create().id
    assert store.notebook("nb") is None
    store.save_notebook(Notebook("nb", "/a.ipynb", home))
    store.save_notebook(Notebook("nb", "/b.ipynb", None))
    assert store.notebook("nb") == Notebook("nb", "/b.ipynb", None)
    assert store.notebooks_at("/a.ipynb") == []
    assert store.notebooks_at("/b.ipynb") == [Notebook("nb", "/b.ipynb", None)]


def test_of_the_notebooks_at_a_path_the_one_that_talked_last_comes_first(writer: Writer) -> None:
    homes = [writer.conversation, writer.store.create().id, writer.store.create().id]
    first, second, third = (Notebook(name, "/a.ipynb", home) for name, home in zip("abc", homes, strict=True))
    for each in (first, second, third, never := Notebook("0", "/a.ipynb", None)):
        writer.store.save_notebook(each)
    assert writer.store.notebooks_at("/a.ipynb") == [third, second, first, never]
    writer.ask()
    assert writer.store.notebooks_at("/a.ipynb") == [first, third, second, never]


def test_the_notebook_that_made_most_of_these_cells_comes_first(writer: Writer) -> None:
    for place, cells in (("nb-1", ["a", "a", "b"]), ("nb-2", ["a", "b", "c"]), ("unsaved", ["a"])):
        for cell in cells:
            writer.ask(maker=Maker(place, cell))
    one, two = Notebook("nb-1", None, writer.conversation), Notebook("nb-2", "/2.ipynb", None)
    writer.store.save_notebook(one)
    writer.store.save_notebook(two)
    assert writer.store.notebooks_with(["a", "b", "c", "z"]) == [(two, 3), (one, 2)]
    assert writer.store.notebooks_with(["z"]) == writer.store.notebooks_with([]) == []
    assert writer.store.notebooks_with(f"x{n}" for n in range(2000)) == []
