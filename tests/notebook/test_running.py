"""Running chat cells in a real kernel (DESIGN section 4), answered by the offline reader."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Start = Callable[..., Any]
THREE = ("c1", "c2", "c3")


@pytest.fixture
def notebook(kernel: Start) -> Any:
    return kernel("a.ipynb", THREE)


def test_a_cell_shows_its_answer_in_one_display_and_nothing_else(notebook: Any) -> None:
    done = notebook.ask("What is a mixture?")
    assert done.answer["outcome"] == "complete"
    assert not done.answer["streaming"]
    assert (done.out, done.err) == ("", "")
    assert set(done.displays[0]) == {"text/markdown", "text/plain", "application/vnd.jupyter-history.turn.v1+json"}


def test_an_unchanged_cell_shows_its_stored_answer(notebook: Any) -> None:
    first = notebook.ask("What is a mixture?").answer
    again = notebook.ask("What is a mixture?\n\n").answer
    assert (again["id"], again["stored"], first["stored"]) == (first["id"], True, False)


def test_an_edited_cell_answers_beside_and_undoing_the_edit_returns(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    second = notebook.ask("two", "c2").answer
    assert second["parent"] == first
    edited = notebook.ask("one, edited", "c1").answer
    assert (edited["parent"], edited["siblings"]) == (None, [first, edited["id"]])
    assert any(second["id"] in note for note in edited["notes"])
    back = notebook.ask("one", "c1").answer
    assert (back["id"], back["stored"]) == (first, True)
    assert notebook.path() == [first, second["id"]]


def test_a_restart_changes_nothing(notebook: Any) -> None:
    before = [notebook.ask(text, cell).answer["id"] for cell, text in zip(THREE, "abc", strict=True)]
    notebook.restart(process=True)
    after = [notebook.ask(text, cell).answer for cell, text in zip(THREE, "abc", strict=True)]
    assert [answer["id"] for answer in after] == before
    assert all(answer["stored"] for answer in after)


def test_a_loop_in_one_cell_asks_each_of_its_questions_once(notebook: Any) -> None:
    code = 'for text in ("a", "b", "a"):\n    get_ipython().run_cell_magic("chat", "", text)'
    first, again = notebook.run(code, "c1"), notebook.run(code, "c1")
    assert len({answer["id"] for answer in first.answers}) == 3
    assert [answer["id"] for answer in again.answers] == [answer["id"] for answer in first.answers]
    assert all(answer["stored"] for answer in again.answers)


def test_a_prompt_is_literal(notebook: Any) -> None:
    prompt = "  {x} ${HOME} $5 and $6 %s \\n 😀 {{y}}\n>>> f'{z}'\n!ls\n'"
    notebook.ask(prompt, "c1", "-o t")
    assert notebook.run("print(repr(t.prompt))").out == f"{prompt!r}\n"


def test_an_answer_is_bound_stored_or_not(notebook: Any) -> None:
    new = notebook.ask("What?", "c1", "-o t").answer["id"]
    assert notebook.run("print(t.id, type(t).__name__)").out == f"{new} Turn\n"
    notebook.restart()
    notebook.ask("What?", "c1", "-o t")
    assert notebook.run("print(t.id)").out == f"{new}\n"


def test_a_label_names_a_turn_to_continue_from(notebook: Any) -> None:
    first = notebook.ask("one", "c1", "--label start").answer
    notebook.ask("two", "c2")
    third = notebook.ask("three", "c3", "--at start").answer
    assert (first["label"], third["parent"]) == ("start", first["id"])
    assert notebook.ask("three", "c3", "--at start").answer["stored"]


def test_edit_answers_beside_a_turn_of_another_cell(notebook: Any) -> None:
    first = notebook.ask("one", "c1", "--label start").answer
    notebook.ask("two", "c2")
    assert notebook.ask("three", "c3", "--edit start").answer["siblings"][0] == first["id"]


def test_follow_up_from_the_same_cell(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    assert notebook.ask("and then?", "c1", "--at tip").answer["parent"] == first


def test_take_makes_an_answer_once(notebook: Any) -> None:
    one = notebook.ask("one", "c1").answer
    two = notebook.ask("one", "c1", "--take 2").answers[-1]
    assert two["siblings"] == [one["id"], two["id"]]
    again = notebook.ask("one", "c1", "--take 2").answer
    assert (again["id"], again["stored"]) == (two["id"], True)


def test_an_option_is_part_of_the_question(notebook: Any) -> None:
    first = notebook.ask("one", "c1").answer
    other = notebook.ask("one", "c1", "-m offline-4k").answer
    assert (other["model"], other["siblings"]) == ("offline-4k", [first["id"], other["id"]])


def test_a_fork_in_a_cell_is_made_once_and_a_run_all_makes_no_call(notebook: Any) -> None:
    cells = [("one", "c1", ""), ("two", "c2", "--fork other"), ("three", "c3", "")]
    first = [notebook.ask(*cell).answer for cell in cells]
    assert first[1]["conversation"] == first[2]["conversation"] != first[0]["conversation"]
    again = [notebook.ask(*cell).answer for cell in cells]
    assert all(answer["stored"] for answer in again)
    assert [answer["id"] for answer in again[1:]] == [answer["id"] for answer in first[1:]]
    notebook.restart()
    assert all(notebook.ask(*cell).answer["stored"] for cell in cells)


def test_a_fresh_conversation_in_a_cell_is_made_once_and_a_run_all_makes_no_call(notebook: Any) -> None:
    cells = [("one", "c1", ""), ("two", "c2", "--fresh"), ("three", "c3", "")]
    first = [notebook.ask(*cell).answer for cell in cells]
    assert first[1]["parent"] is None
    assert first[2]["parent"] == first[1]["id"]
    again = [notebook.ask(*cell).answer for cell in cells]
    assert [answer["id"] for answer in again] == [answer["id"] for answer in first]
    assert all(answer["stored"] for answer in again)
    assert any("Back in conversation" in note for note in again[0]["notes"])


def test_a_fork_option_edited_forks_from_the_same_turn(notebook: Any) -> None:
    notebook.ask("one", "c1")
    notebook.ask("two", "c2", "--fork other")
    renamed = notebook.ask("two", "c2", "--fork another").answer
    assert renamed["siblings"] == [renamed["id"]]
    assert len(notebook.path()) == 2


def test_a_fork_from_a_turn_copies_the_path_to_it(notebook: Any) -> None:
    notebook.ask("one", "c1", "--label start")
    notebook.ask("two", "c2")
    notebook.ask("three", "c3", "--fork other --at start")
    assert len(notebook.path()) == 2
    assert notebook.ask("three", "c3", "--fork other --at start").answer["stored"]


def test_settings_of_the_conversation_are_part_of_the_question(notebook: Any) -> None:
    notebook.ask("one", "c1")
    assert "model: offline-4k" in notebook.say("config model offline-4k")
    assert notebook.ask("one", "c1").answer["model"] == "offline-4k"
    notebook.say("config model default")
    assert notebook.ask("one", "c1").answer["stored"]


def test_two_notebooks_at_once_keep_apart(kernel: Start) -> None:
    one, two = kernel("one.ipynb", THREE), kernel("two.ipynb", ("d1", "d2"))
    first, second = one.ask("hello", "c1").answer, two.ask("hello", "d1").answer
    assert first["conversation"] != second["conversation"]
    assert one.ask("and?", "c2").answer["parent"] == first["id"]
    assert two.ask("and?", "d2").answer["parent"] == second["id"]


def test_two_notebooks_in_one_conversation_keep_their_own_places(kernel: Start) -> None:
    one, two = kernel("one.ipynb", THREE), kernel("two.ipynb", ("d1", "d2"))
    one.say("new shared")
    first = one.ask("hello", "c1").answer["id"]
    two.say("open shared")
    assert two.ask("and?", "d1").answer["parent"] == first
    other = one.ask("or?", "c2").answer
    assert other["parent"] == first
    assert len(other["siblings"]) == 2


def test_nobody_is_taken_for_another_writer_who_is_none(kernel: Start, tmp_path: Path) -> None:
    """Its own answers beside each other, a kernel before the restart, a copy: none of them was faster."""
    one = kernel("one.ipynb", THREE)
    cells = [
        ("one", "c1", ""), ("two", "c2", ""), ("uno", "c1", ""), ("dos", "c2", ""), ("one", "c1", ""),
        ("two", "c2", "--take 3"), ("three", "c3", "--each repeat=2"), ("deux", "c2", "--edit tip"),
    ]  # fmt: skip
    shown = [one.ask(*cell) for cell in cells]
    shown.append(one.run("for n in range(2): get_ipython().run_cell_magic('chat', '--at root', f'again {n}')", "c4"))
    shown.append(one.run("%chat again", "x"))
    for process in (False, True):
        one.restart(process=process)
        shown += [one.ask(*cell) for cell in [("un", "c1", ""), *cells]]
    shutil.copy(one.notebook, tmp_path / "copy.ipynb")
    copy = kernel("copy.ipynb", THREE)
    shown += [each.ask(text, cell) for text in ("once", "twice") for cell in ("c1", "c2") for each in (one, copy)]
    told = [note for cell in shown for answer in cell.answers for note in answer["notes"]]
    assert not [note for note in told if "nother writer" in note]
    assert "nother writer" not in "".join(cell.out for cell in shown)


def test_another_writer_in_the_same_place_is_named_rule_5(kernel: Start) -> None:
    one, two = kernel("one.ipynb", THREE), kernel("two.ipynb", ("d1", "d2"))
    one.say("new shared")
    one.ask("hello", "c1")
    two.say("open shared")
    one.script("reply('word ' * 40, chunks=40, delay=0.1)")
    sent = one.send("%%chat\nand?", "c2")
    faster = two.ask("or?", "d1").answer["id"]
    slower = one.result(sent).answer
    assert any(f"Another writer was faster: `{faster}`" in note for note in slower["notes"]), slower["notes"]


def test_without_cell_ids_every_run_asks(kernel: Start) -> None:
    batch = kernel()
    first = batch.ask("one", None).answer
    second = batch.ask("one", None).answer
    assert (second["parent"], second["stored"]) == (first["id"], False)
    third = batch.ask("one", None, "--edit " + second["id"] + " --take 2").answers[-1]
    assert len(third["siblings"]) == 3
    fresh = batch.ask("one", None, "--fresh").answer
    assert fresh["parent"] is None


def test_each_kernel_without_a_path_has_a_new_conversation(kernel: Start) -> None:
    assert kernel().ask("one", None).answer["conversation"] != kernel().ask("one", None).answer["conversation"]


def test_the_first_cell_says_at_once_that_it_starts_in_the_display_of_its_answer(kernel: Start) -> None:
    notebook = kernel("a.ipynb", ["c1"])
    told: list[str] = []

    def look(cell: Any) -> None:
        told.extend(bundle["text/plain"] for bundle in cell.displays)

    done = notebook.result(notebook.send("%%chat\nHello.", "c1"), look)
    assert (done.status, len(done.displays)) == ("ok", 1)
    assert told[0] == "[starts …]"
    told.clear()
    notebook.result(notebook.send("%%chat\nHello again.", "c2"), look)
    assert "[starts …]" not in told, "only the first cell has anything to start"


def test_a_first_cell_that_fails_leaves_no_start_behind(kernel: Start) -> None:
    done = kernel("a.ipynb", ["c1"]).run("%%chat --at nowhere\nHello.", "c1")
    assert (done.status, len(done.lines)) == ("error", 1)
    assert [bundle["text/plain"] for bundle in done.displays] == [""]
