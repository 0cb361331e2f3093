"""Tools, images, checkpoints and retry in a real kernel, against a server on a socket that answers what it is told."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from jupyter_history.model import sse


class Server(ThreadingHTTPServer):
    """`plan` holds the content of each answer; a number in it is a status to fail with."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: list[Any] = []
        self.seen: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "count_tokens" in self.path:
            self.send_error(404)
            return
        self.server.seen.append(body)
        content = self.server.plan.pop(0) if self.server.plan else [{"type": "text", "text": "fine"}]
        if isinstance(content, int):
            self.send_error(content)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        stop = "tool_use" if content[-1]["type"] == "tool_use" else "end_turn"
        parts = [part for n, block in enumerate(content) for part in sse.block(n, block)]
        self.wfile.write(b"".join([sse.start("m", {"input_tokens": 9}, "m"), *parts, sse.stop(stop, 3)]))

    def log_message(self, *_: Any) -> None:
        pass


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": arguments}


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def notebook(kernel: Callable[..., Any], server: Server) -> Iterator[Any]:
    begun = kernel(
        "a.ipynb",
        ["c1", "c2"],
        ANTHROPIC_BASE_URL=server.url,
        ANTHROPIC_API_KEY="none",
        JUPYTER_HISTORY_MODEL="claude-sonnet-5-5",
    )
    yield begun
    # the process is used again, and a tool lives as long as that
    begun.run(
        "import os\nfrom jupyter_history.tools.tools import REGISTERED\nos.environ.pop('JUPYTER_HISTORY_MODEL')\n"
        "for name in list(REGISTERED): REGISTERED.remove(name)"
    )


TOOL = """
from jupyter_history import tool
@tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    import time
    time.sleep(1.3)
    return a + b
@tool
async def later() -> str:
    import asyncio
    await asyncio.sleep(0.01)
    return "awaited"
"""


def test_a_tool_of_the_notebook_runs_and_is_shown_while_it_runs(notebook: Any, server: Server) -> None:
    assert notebook.run(TOOL, "t").status == "ok"
    server.plan = [[call("add", a=2, b=40), call("later")], [{"type": "text", "text": "It is 42."}]]
    shown: list[str] = []

    def look(cell: Any) -> None:
        if cell.displays:
            shown.append(cell.text)

    done = notebook.result(notebook.send("%%chat\nwhat is 2 + 40?", "c1"), look)
    assert done.status == "ok", done
    assert len(done.displays) == 1
    assert any("runs add(a=2, b=40)" in text and "1 s" in text for text in shown), "name, arguments and the time"
    assert "<summary>add(a=2, b=40) → 42</summary>" in done.text
    assert "<summary>later() → awaited</summary>" in done.text
    assert "It is 42." in done.text
    results = server.seen[1]["messages"][-1]["content"]
    assert [result["content"][0]["text"] for result in results] == ["42", "awaited"]
    assert notebook.ask("what is 2 + 40?", "c1").answer["stored"]
    assert len(server.seen) == 2


def test_an_error_in_a_tool_is_one_line_for_the_model(notebook: Any, server: Server) -> None:
    notebook.run("from jupyter_history import tool\n@tool\ndef bad():\n    return 1 / 0", "t")
    server.plan = [[call("bad")]]
    done = notebook.ask("go")
    assert "<summary>bad() failed: ZeroDivisionError: division by zero" in done.text
    assert server.seen[1]["messages"][-1]["content"][0]["is_error"]


def test_images_and_values_in_a_cell(notebook: Any, server: Server) -> None:
    notebook.run("from PIL import Image\nred = Image.new('RGB', (9, 9), 'red')\nred.save('r.png')\nx = 3", "t")
    notebook.ask("x is $`x`, {x} costs $5", line="--image red --image r.png")
    kinds = [block["type"] for block in server.seen[0]["messages"][0]["content"]]
    assert kinds == ["image", "image", "text"]
    assert server.seen[0]["messages"][0]["content"][2]["text"] == "x is 3, {x} costs $5"
    assert notebook.ask("x is $`x`, {x} costs $5", line="--image red --image r.png").answer["stored"]
    failed = notebook.run("%%chat\nlook at $`gone` now", "c2")
    assert failed.status == "error"
    assert len(failed.lines) == 1
    assert "$`gone` failed (NameError" in failed.lines[0]
    assert len(server.seen) == 1


def test_a_file_in_a_cell_is_part_of_its_question(notebook: Any, server: Server) -> None:
    def write(text: str) -> None:
        notebook.run(f"from pathlib import Path\nn = Path('notes.md').write_text({text!r})\nhere = 'notes.md'", "t")

    write("owls")
    first = notebook.ask("sum up", line="--file notes.md --file here").answer
    content = server.seen[0]["messages"][0]["content"]
    assert [block["text"] for block in content] == ["notes.md:\nowls\n\n", "here:\nowls\n\n", "sum up"]
    write("bats")
    assert not (second := notebook.ask("sum up", line="--file notes.md --file here").answer)["stored"]
    assert second["id"] != first["id"]
    write("owls")
    third = notebook.ask("sum up", line="--file notes.md --file here").answer
    assert (third["stored"], third["id"]) == (True, first["id"])
    assert len(server.seen) == 2


def test_what_was_cut_or_made_smaller_is_said_in_the_cell(notebook: Any, server: Server) -> None:
    notebook.run(
        "from PIL import Image\nImage.new('RGB', (4000, 400)).save('photo.png')\n"
        "from pathlib import Path\nn = Path('long.txt').write_text('a' * 40_000)",
        "t",
    )
    for _ in range(2):
        done = notebook.ask("look", line="--image photo.png --file long.txt")
        said = json.dumps(done.answer)
        assert "`photo.png` was made smaller: 4000x400 to 2000x200" in said
        assert "`long.txt` was cut: 30,000 of its 40,000 characters were sent" in said
    assert done.answer["stored"]


def test_rule_19_images_over_the_limits_send_nothing_or_are_made_smaller(notebook: Any, server: Server) -> None:
    notebook.run(
        "from PIL import Image\nred = Image.new('RGB', (9, 9), 'red')\nwide = Image.new('RGB', (9000, 90), 'red')", "t"
    )
    done = notebook.run("%%chat -m claude-haiku-4-5 " + "--image red " * 101 + "\nlook", "c1")
    assert (done.status, server.seen) == ("error", [])
    assert done.lines == ["The request would carry 101 images of 100. Nothing was sent. Take images out of the prompt."]
    notebook.ask("look", "c1", "-m claude-haiku-4-5 " + "--image red " * 99 + "--image wide")
    images = [block for block in server.seen[0]["messages"][0]["content"] if block["type"] == "image"]
    assert len(images) == 100
    data = base64.b64decode(images[-1]["source"]["data"])
    assert int.from_bytes(data[16:20], "big") <= 2000, "the width in the PNG's header"


def test_checkpoint_and_rewind_by_hand(notebook: Any, server: Server) -> None:
    first = notebook.ask("one", "c1").answer["id"]
    assert "There is no checkpoint" in notebook.say("checkpoint")
    assert f"`{first}`" in notebook.say("checkpoint start")
    notebook.ask("two", "c2")
    assert "start: " in notebook.say("checkpoint")
    said = notebook.say('rewind start "Nothing found."')
    assert "Off the path now" in said
    assert "Rewound to 'start': Nothing found." in (path := notebook.say("path"))
    assert "stopped" not in path
    assert notebook.run("%chat rewind start", "x").status == "error"
    notebook.ask("three", "c3")
    assert "Nothing found." in json.dumps(server.seen[-1]["messages"])
    assert '"two"' not in json.dumps(server.seen[-1]["messages"])


def test_rule_9_retry_tells_four_states_apart_before_and_after_a_restart(notebook: Any, server: Server) -> None:
    assert "No conversation is open" in notebook.say("retry")
    notebook.say("new")
    assert "is empty" in notebook.say("retry")
    notebook.restart()
    assert "is empty" in notebook.say("retry")
    server.plan = [400]
    assert notebook.run("%%chat\nfirst", "c1").status == "error"
    notebook.restart()
    assert notebook.run("%chat status", "x").out.count("`%chat retry`") == 1
    done = notebook.run("%chat retry", "x")
    assert done.status == "ok", done
    assert done.out.startswith("Asks again: The prompt 'first' failed: ")
    assert "fine" in done.text
    assert [message["role"] for message in server.seen[-1]["messages"]] == ["user"]
    assert "succeeded" in notebook.say("retry")
    notebook.restart()
    assert "succeeded" in notebook.say("retry")


def test_tools_and_limits_are_listed(notebook: Any) -> None:
    assert "No tool is registered" in notebook.say("tools")
    notebook.run(TOOL, "t")
    said = notebook.say("tools")
    assert "add" in said
    assert "Add two numbers." in said
    assert "at most 20 rounds, 900 s, $2.00" in said


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(9999)"])
def test_a_tool_that_never_returns_ends_with_the_turns_time(notebook: Any, server: Server, body: str) -> None:
    notebook.run(f"from jupyter_history import tool\n@tool\ndef stuck():\n    {body}", "t")
    notebook.say("new")
    notebook.say("config max_seconds 1")
    server.plan = [[call("stuck")]]
    began = time.monotonic()
    done = notebook.run("%%chat\ngo", "c1")
    assert time.monotonic() - began < 15
    assert "stopped after 1 s (max_seconds). What had come is kept as" in done.lines[-1]
    assert "<summary>stuck() failed: stuck took longer than the turn had time for" in done.text
    assert notebook.ask("next", "c2").status == "ok"
    assert "took longer" in json.dumps(server.seen[-1]["messages"])


def test_rule_23_what_failed_after_a_paid_round_says_its_cost_and_is_in_the_total(
    notebook: Any, server: Server
) -> None:
    notebook.run("from jupyter_history import tool\n@tool\ndef f():\n    return 1", "t")
    server.plan = [[call("f")], 400]
    done = notebook.run("%%chat\ngo", "c1")
    assert (done.status, len(done.lines)) == ("error", 1)
    assert done.lines[0].endswith("It cost less than $0.0001.")
    said = notebook.say("cost")
    assert "claude-sonnet-5-5  0" in said, "no turn of it"
    assert "of it went to prompts that failed" in said


def test_limits_are_seen_and_set(notebook: Any, server: Server) -> None:
    notebook.ask("one")
    assert "max_rounds: 20 (default)" in notebook.say("config")
    assert "max_rounds: 2" in notebook.say("config max_rounds 2")
    notebook.run("from jupyter_history import tool\n@tool\ndef f():\n    return 1", "t")
    server.plan = [[call("f")] for _ in range(5)]
    done = notebook.run("%%chat\ngo", "c2")
    assert done.status == "error"
    assert "stopped after 2 rounds (max_rounds)" in done.lines[-1]
    assert len(server.seen) == 3
