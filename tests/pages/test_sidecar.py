"""The exact strings beside a page: all of them, or those whose misreading costs most."""

from __future__ import annotations

from jupyter_history.pages import draw


def words(text: str) -> int:
    return len(text.split())


def test_exact_strings_stand_under_their_turns_tag_once_and_in_order() -> None:
    page = draw(
        [
            ("T001", "user", "See src/app.py and 0a1b2c3d4e."),
            ("T002", "assistant", "src/app.py fails at line 4217: max_iter"),
        ]
    )[0]
    assert page.sidecar(words) == "[page 1, exact strings] T001: src/app.py 0a1b2c3d4e; T002: 4217 max_iter"


def test_a_number_keeps_its_sign_and_its_commas_and_loses_the_full_stop() -> None:
    line = draw("It fell by -0.25, from 12,345,678 to 9,999.")[0].sidecar(words)
    assert line == "[page 1, exact strings] -0.25 12,345,678 9,999"


def test_plain_prose_needs_none() -> None:
    assert draw("It was the best of times.")[0].sidecar(words) == ""


def test_a_full_list_keeps_what_a_misreading_costs_most_and_counts_the_rest() -> None:
    text = " ".join(f"id{n}" for n in range(300)) + " deadbeef1234 /etc/passwd"
    line = draw(text)[0].sidecar(words, 20)
    assert words(line) <= 20
    assert "deadbeef1234" in line
    assert "/etc/passwd" in line
    assert "more on the page" in line
