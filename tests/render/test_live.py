"""The one display of a running cell: in a kernel it is updated in place, in a terminal the text runs."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from builders import assistant, turn, user
from jupyter_client.manager import start_new_kernel

from jupyter_history.model.events import Call, Done, Retry, Sent, Text, Thinking
from jupyter_history.notebook import live
from jupyter_history.notebook.answers import MIME
from jupyter_history.notebook.live import Display
from jupyter_history.progress import Begin, Note

BEGIN = Begin("k3x9ab", "c", None, ("a00001",), "offline", "Why?")


class Screen:
    """Stands where IPython's display would: keeps each bundle with the time it came."""

    def __init__(self) -> None:
        self.now = 0.0
        self.shown: list[tuple[float, dict[str, Any]]] = []

    def clock(self) -> float:
        return self.now

    def show(self, made: dict[str, Any]) -> None:
        self.shown.append((self.now, made))


def finished(said: str, **fields: Any) -> Any:
    """A turn as `finish` gets it."""
    record = turn("c", "k3x9ab", messages=(user("?"), assistant(said)), **fields)
    return SimpleNamespace(record=record, text=said, siblings=["a00001", "k3x9ab"], label=None)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    made = Screen()
    monkeypatch.setattr(live, "_in_kernel", lambda: True)
    monkeypatch.setattr(live._Cell, "_show", lambda _self, bundle: made.show(bundle))
    return made


def stream(display: Display, screen: Screen, pieces: Iterator[str] | list[str], seconds: float) -> None:
    for piece in pieces:
        screen.now += seconds
        display.watch(Text(piece))


def test_updates_come_at_most_eight_times_a_second_and_the_last_is_whole(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    display.watch(Sent())
    stream(display, screen, ["word "] * 500, 0.01)
    display.watch(Done())
    display.finish(finished("word " * 500))
    assert 10 <= len(screen.shown) <= 5 * 8 + 2
    last = screen.shown[-1][1]
    assert last[MIME]["streaming"] is False
    assert last["text/markdown"].startswith(("word " * 500).rstrip() + "\n\n<sub>k3x9ab · starts")


def test_bytes_stay_under_the_servers_limit_however_long_the_answer(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    stream(display, screen, ["é" * 1000 + "\n\n"] * 300, 0.02)
    sizes = [(at, sum(len(str(part).encode()) for part in made.values())) for at, made in screen.shown]
    for start in range(4):
        assert sum(size for at, size in sizes if start <= at < start + 3) < 3_000_000


def test_what_streams_says_so_and_what_it_waits_for(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    display.watch(Sent())
    display.watch(Retry(3.2, "The server is overloaded", 1))
    display.watch(Retry(2.2, "The server is overloaded", 1))
    screen.now += 9
    display.watch(Thinking("Hm."))
    screen.now += 9
    display.watch(Thinking(" Well."))
    display.watch(Call("1", "look"))
    told = [made[MIME]["footer"] for _, made in screen.shown]
    assert told == [
        "offline · prepares the request …",
        "offline · waits for the model …",
        "offline · The server is overloaded; asks again in 3 s (attempt 2)",
        "offline · The server is overloaded; asks again in 2 s (attempt 2)",
        "offline · thinks …",
        "offline · thinks …",
        "offline · calls look …",
    ]
    assert all(made[MIME]["streaming"] for _, made in screen.shown)
    assert screen.shown[-1][1][MIME]["thinking"] == "Hm. Well."
    assert screen.shown[0][1][MIME]["siblings"] == ["a00001", "k3x9ab"]


def test_before_anything_is_imported_the_cell_says_that_it_starts(screen: Screen) -> None:
    display = Display(screen.clock)
    display.start()
    assert [made["text/plain"] for _, made in screen.shown] == ["[starts …]"]
    display.watch(BEGIN)
    assert screen.shown[-1][1][MIME]["footer"] == "offline · prepares the request …"


def test_a_terminal_tells_of_a_wait_once(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display()
    display.start()
    for seconds in (3.0, 2.0, 1.0):
        display.watch(Retry(seconds, "The server is overloaded", 1))
    display.watch(Retry(3.0, "The server is overloaded", 2))
    assert capsys.readouterr().out.count("asks again in 3 s") == 2


def test_a_half_written_tag_is_harmless_while_it_streams(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    stream(display, screen, ["x <scr", "ipt>alert(1)", "</script>"], 1.0)
    assert all("<script" not in made["text/markdown"] for _, made in screen.shown)


def test_a_stopped_answer_keeps_what_was_shown(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    stream(display, screen, ["Half an"], 1.0)
    display.finish(finished("Half an", outcome="stopped"))
    assert screen.shown[-1][1]["text/markdown"].startswith("Half an\n\n<sub>k3x9ab")
    assert " · stopped · " in screen.shown[-1][1][MIME]["footer"]


def test_an_abandoned_answer_says_that_nothing_was_kept(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    stream(display, screen, ["Half"], 1.0)
    display.abandon(("A note.",))
    data = screen.shown[-1][1][MIME]
    assert (data["outcome"], data["streaming"], data["footer"]) == ("failed", False, "offline · no answer was kept")
    assert data["notes"] == ["A note."]


def test_notes_of_the_run_and_of_the_cell_are_told_once(screen: Screen) -> None:
    display = Display(screen.clock)
    display.watch(BEGIN)
    display.watch(Note("Cut."))
    display.finish(finished("x"), notes=("Moved.", "Cut."))
    assert screen.shown[-1][1][MIME]["notes"] == ["Cut.", "Moved."]


def test_our_share_of_a_streamed_answer_is_a_tenth_of_a_core(screen: Screen) -> None:
    """A 20 kB answer at 100 pieces a second, throttle included, without what the kernel's sockets do."""
    part = "Some **text** with `code`, [a link](https://e.org) and $5.\n\n- one\n- two\n\n```python\nx < y\n```\n\n"
    answer = part * 220
    display = Display(screen.clock)
    display.watch(BEGIN)
    started = time.thread_time()
    stream(display, screen, [answer[at : at + 40] for at in range(0, len(answer), 40)], 0.01)
    assert time.thread_time() - started < 0.1 * screen.now
    assert len(answer) >= 20_000


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_in_kernel", lambda: False)


@pytest.mark.usefixtures("terminal")
def test_a_terminal_shows_text_as_it_comes_and_the_footer_below(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display()
    display.watch(BEGIN)
    display.watch(Retry(1.0, "Busy", 1))
    display.watch(Text("One "))
    assert capsys.readouterr().out.endswith("[Busy; asks again in 1 s (attempt 2)]\n\nOne ")
    display.watch(Text("two.\x1b[2J"))
    display.finish(finished("One two."), notes=("A note.",))
    assert capsys.readouterr().out == (
        "two.\\x1b[2J\n\n[k3x9ab · starts the conversation · offline · 10 tokens in, 5 out · price unknown · "
        "answer 2 of 2]\n[A note.]\n"
    )


@pytest.mark.usefixtures("terminal")
def test_a_terminal_shows_a_stored_answer_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Display().finish(finished("Stored text."), stored=True)
    assert capsys.readouterr().out.startswith("Stored text.\n\n[k3x9ab")


def test_in_a_kernel_one_output_is_updated_and_never_cleared() -> None:
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        client.execute(
            "from types import SimpleNamespace\n"
            "from jupyter_history.notebook.live import Display\n"
            "from jupyter_history.progress import Begin\n"
            "from jupyter_history.model.events import Text\n"
            "from jupyter_history.transcript import Message, TurnRecord\n"
            "display = Display()\n"
            "display.watch(Begin('k3x9ab', 'c', None, (), 'offline', 'Why?'))\n"
            "display.watch(Text('Half'))\n"
            "said = Message('assistant', ({'type': 'text', 'text': 'Half and half.'},))\n"
            "record = TurnRecord('k3x9ab', 'c', None, 'Why?', (said,), 'offline')\n"
            "display.finish(SimpleNamespace(record=record, siblings=['k3x9ab'], label=None))\n"
        )
        messages: list[dict[str, Any]] = []
        while not messages or messages[-1]["content"].get("execution_state") != "idle":
            messages.append(client.get_iopub_msg(timeout=30))
    except queue.Empty:
        pytest.fail(f"the kernel fell silent after {[m['msg_type'] for m in messages]}")
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data", "clear_output", "error")]
    assert shown[0]["msg_type"] == "display_data"
    assert {m["msg_type"] for m in shown[1:]} == {"update_display_data"}
    assert len({m["content"]["transient"]["display_id"] for m in shown}) == 1
    assert shown[-1]["content"]["data"]["text/markdown"].startswith("Half and half.\n\n<sub>k3x9ab")
    assert set(shown[-1]["content"]["data"]) == {"text/markdown", "text/plain", MIME}
