"""SIGINT at every stage of a turn, over a real socket (rule 24): the server sees the client go, nothing is half."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from jupyter_history.errors import Stopped
from jupyter_history.model import sse
from jupyter_history.model.events import Retry
from jupyter_history.progress import ToolFinished, ToolStarted
from jupyter_history.session.exchange import INTERRUPTED
from jupyter_history.session.session import Session
from jupyter_history.transcript import problems


class Server(ThreadingHTTPServer):
    """Answers requests by `plan`, one word for each: `call` (of `wait`), `drip` (text until the client goes), `ok`,
    `busy` (come back tomorrow).

    `seen` has the bodies; `gone` is set when the client went in the middle; `asked` at each request.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan: list[str] = []
        self.seen: list[dict[str, Any]] = []
        self.gone = threading.Event()
        self.dripping = threading.Event()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path.split("?")[0].endswith("count_tokens"):
            self.send_error(404)
            return
        self.server.seen.append(body)
        step = self.server.plan.pop(0) if self.server.plan else "ok"
        if step == "busy":
            self.send_response(429)
            self.send_header("retry-after", "86400")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(sse.start("local-model", {"input_tokens": 1}, "m"))
        try:
            getattr(self, step)()
        except OSError:
            self.server.gone.set()

    def ok(self) -> None:
        self.wfile.write(b"".join([*sse.block(0, {"type": "text", "text": "fine"}), sse.stop("end_turn", 1)]))

    def call(self) -> None:
        block = {"type": "tool_use", "id": "t1", "name": "wait", "input": {}}
        events = [*sse.block(0, {"type": "text", "text": "I wait."}), *sse.block(1, block), sse.stop("tool_use", 1)]
        self.wfile.write(b"".join(events))

    def drip(self) -> None:
        opening, delta, *_ = sse.block(0, {"type": "text", "text": "tick "})
        self.wfile.write(opening)
        for n in range(400):
            self.wfile.write(delta if n < 3 else b": keep alive\n\n")
            if n == 4:
                self.server.dripping.set()
            time.sleep(0.02)

    def mute(self) -> None:
        for n in range(400):
            self.wfile.write(b": keep alive\n\n")
            if n == 4:
                self.server.dripping.set()
            time.sleep(0.02)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}")
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def talk(server: Server, tmp_path: Path) -> Iterator[Session]:
    session = Session.open("notes", tmp_path / "history.db", "local-model")
    session.send("before")
    yield session
    session.store.close()


def interrupt(after: threading.Event, pause: float = 0.05) -> None:
    """Send SIGINT to this process a moment after something happened."""

    def run() -> None:
        after.wait(10)
        time.sleep(pause)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=run, daemon=True).start()


def works(session: Session, server: Server) -> str:
    """Ask once more; the request that went out, as text. It is valid."""
    assert session.send("after").outcome == "complete"
    body = server.seen[-1]
    assert not list(problems(body["messages"]))
    return json.dumps(body)


def test_rule_24_in_the_stream(talk: Session, server: Server) -> None:
    server.plan = ["drip"]
    interrupt(server.dripping)
    with pytest.raises(Stopped):
        talk.send("go")
    assert server.gone.wait(5), "the server sees that nobody reads any more"
    assert (talk.path()[-1].outcome, talk.path()[-1].text) == ("stopped", "tick tick tick ")
    assert "tick tick tick" in works(talk, server)


def test_rule_24_before_the_first_word(talk: Session, server: Server) -> None:
    server.plan = ["mute"]
    tip = talk.tip
    interrupt(server.dripping)
    with pytest.raises(Stopped, match="before anything came"):
        talk.send("go")
    assert server.gone.wait(5)
    assert talk.tip == tip
    assert '"go"' not in works(talk, server)


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_rule_24_in_a_tool(talk: Session, server: Server, kind: str) -> None:
    began = threading.Event()

    def wait() -> str:
        began.set()
        time.sleep(20)
        return "waited"

    async def wait_too() -> str:
        import asyncio

        began.set()
        await asyncio.sleep(20)
        return "waited"

    talk.tools.add(wait if kind == "sync" else wait_too, name="wait")
    server.plan = ["call"]
    interrupt(began)
    started = time.monotonic()
    with pytest.raises(Stopped):
        talk.send("go")
    assert time.monotonic() - started < 10
    (result,) = talk.path()[-1].messages[-1].results
    assert (result["content"][0]["text"], result["is_error"]) == (INTERRUPTED, True)
    sent = works(talk, server)
    assert "I wait." in sent
    assert INTERRUPTED in sent


def test_rule_24_between_rounds(talk: Session, server: Server) -> None:
    talk.tools.add(lambda: "waited", name="wait")
    server.plan = ["call", "mute"]
    interrupt(server.dripping)
    heard: list[Any] = []
    with pytest.raises(Stopped):
        talk.send("go", watch=heard.append)
    assert [event for event in heard if isinstance(event, ToolStarted)]
    assert server.gone.wait(5)
    assert talk.path()[-1].messages[-1].results[0]["content"][0]["text"] == "waited"
    sent = works(talk, server)
    assert "I wait." in sent
    assert "waited" in sent


def test_rule_24_at_the_very_moment_between_a_result_and_the_next_request(talk: Session, server: Server) -> None:
    talk.tools.add(lambda: "waited", name="wait")
    server.plan = ["call"]

    def watch(event: Any) -> None:
        if isinstance(event, ToolFinished):
            os.kill(os.getpid(), signal.SIGINT)

    asked = len(server.seen)
    with pytest.raises(Stopped):
        talk.send("go", watch=watch)
    assert len(server.seen) == asked + 1, "no second request went out"
    assert talk.path()[-1].messages[-1].results[0]["content"][0]["text"] == "waited"
    sent = works(talk, server)
    assert "I wait." in sent
    assert "waited" in sent


def test_a_huge_retry_after_counts_down_from_its_cap_and_a_stop_ends_it(talk: Session, server: Server) -> None:
    server.plan = ["busy"]
    waits: list[float] = []
    second = threading.Event()

    def watch(event: Any) -> None:
        if isinstance(event, Retry):
            waits.append(event.seconds)
            if len(waits) == 2:
                second.set()

    interrupt(second)
    began = time.monotonic()
    with pytest.raises(Stopped, match="before anything came"):
        talk.send("go", watch=watch)
    assert time.monotonic() - began < 10
    assert waits == [30.0, 29.0]
    assert '"go"' not in works(talk, server)
