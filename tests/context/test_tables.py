"""A plan can be read: as text and as HTML without scripts, whatever the messages hold (rule 21)."""

from collections.abc import Callable
from html.parser import HTMLParser

from transcripts import plain_turn, tool_turn

from jupyter_history.context import Policy, plan, table
from jupyter_history.model.catalog import Profile

Make = Callable[..., Profile]


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def test_the_text_lists_every_rung_and_every_message(model: Make) -> None:
    path = [message for k in range(14) for message in tool_turn(k)]
    made = plan(path, "next", model())
    shown = table.text(made)
    assert [line.split()[0] for line in shown.splitlines()[3:7]] == ["elision", "images", "snapshot", "summary"]
    assert sum("elided" in line and "old and uneventful" in line for line in shown.splitlines()) == 13
    assert f"{made.rungs[0].before:,}" in shown
    assert len(shown.splitlines()) > len(path)


def test_the_html_has_no_script_and_shows_text_as_text(model: Make) -> None:
    path = plain_turn(0, "<script>alert(1)</script>", '<img src=x onerror="alert(2)">')
    shown = table.html(plan(path, "next", model()))
    parser = Tags()
    parser.feed(shown)
    assert parser.tags <= {"div", "p", "table", "caption", "thead", "tbody", "tr", "th", "td"}
    assert "<script>alert(1)</script>" in parser.cells


def test_only_the_newest_messages_are_listed_where_asked(model: Make) -> None:
    path = [message for k in range(20) for message in plain_turn(k)]
    for shown in (table.text(plan(path, "next", model()), most=4), table.html(plan(path, "next", model()), most=4)):
        assert "36 older messages are not listed" in shown
        assert "T018" not in shown
        assert "T020" in shown


def test_a_message_that_stays_because_nothing_may_take_it_back_is_not_said_to_have_room(model: Make) -> None:
    path = [message for k in range(30) for message in plain_turn(k, f"prompt {k} " * 100, "yes " * 300)]
    over = plan(path, "next", model(window=8_000), policy=Policy.named("off"))
    assert {row.reason for row in over.rows} == {"there is no room, but the ladder is off"}
    assert {row.reason for row in plan(path, "next", model(window=200_000)).rows} == {"there is room"}


def test_what_a_summary_would_cost_stands_in_the_tables(model: Make) -> None:
    path = [message for k in range(12) for message in plain_turn(k, f"prompt {k} " * 300, "yes " * 300)]
    made = plan(path, "next", model(vision=False))
    assert "Before this is sent, a summary has to be written" in table.text(made)
    assert made.need is not None
    assert f"${made.need.cost:.4f}" in table.html(made)
