"""What only a real server shows: disconnects, proxies, credentials on the wire, a fork of the process."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from jupyter_history.errors import ModelError
from jupyter_history.model import sse
from jupyter_history.model.client import Client
from jupyter_history.model.events import Text

BODY: dict[str, Any] = {"model": "local-model", "max_tokens": 500, "messages": [{"role": "user", "content": "hi"}]}


class Server(ThreadingHTTPServer):
    """Streams "tick" until the client goes; `gone` is set when it sees that, `seen` lists the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.gone = threading.Event()
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.silent = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(sse.start("local-model", {"input_tokens": 1}, "m"))
        opening, delta, *_ = sse.block(0, {"type": "text", "text": "tick "})
        self.wfile.write(opening)
        try:
            for n in range(400):
                if n < 3 or not self.server.silent:
                    self.wfile.write(delta)
                else:
                    self.wfile.write(b": keep alive\n\n")
                time.sleep(0.02)
        except OSError:
            self.server.gone.set()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in [name for name in os.environ if name.startswith("ANTHROPIC_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    yield server
    server.shutdown()
    server.server_close()


def first_text(client: Client) -> None:
    with client.stream(BODY) as stream:
        for event in stream:
            if isinstance(event, Text):
                return


def test_leaving_the_stream_closes_the_providers_stream_rule_24(server: Server) -> None:
    first_text(Client())
    assert server.gone.wait(5)


def test_an_interrupt_while_the_server_is_silent_closes_the_providers_stream_rule_24(server: Server) -> None:
    server.silent = True
    stop = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    stopped = False
    with Client().stream(BODY) as stream:
        try:
            for event in stream:
                if isinstance(event, Text) and stream.content[0]["text"] == "tick tick tick ":
                    stop.start()
        except KeyboardInterrupt:
            stopped = True
    assert stopped
    assert stream.content == [{"type": "text", "text": "tick tick tick "}]
    assert server.gone.wait(5)


def test_a_client_works_again_after_a_stop(server: Server) -> None:
    client = Client()
    first_text(client)
    first_text(client)
    assert len(server.seen) == 2


def test_a_server_that_goes_away_in_the_answer_is_a_cut(server: Server) -> None:
    class Short(Handler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", "100000")
            self.end_headers()
            self.wfile.write(sse.start("local-model", {"input_tokens": 1}, "m"))
            self.wfile.write(b"".join(list(sse.block(0, {"type": "text", "text": "half"}))[:-1]))

    server.RequestHandlerClass = Short
    with Client().stream(BODY) as stream, pytest.raises(ModelError) as caught:
        list(stream)
    assert caught.value.kind == "cut"
    assert stream.content == [{"type": "text", "text": "half"}]


def test_a_local_server_needs_no_key(server: Server) -> None:
    first_text(Client())
    assert server.seen[0][1]["Authorization"] == "Bearer none"


def test_a_key_that_is_set_later_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    first_text(client)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "later")
    first_text(client)
    assert server.seen[1][1]["Authorization"] == "Bearer later"


def test_the_environments_proxy_is_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://model.invalid")
    monkeypatch.setenv("HTTP_PROXY", server.url)
    first_text(Client())
    assert server.seen[0][0].startswith("http://model.invalid/v1/messages")


def test_the_offline_reader_uses_no_proxy_and_no_key(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url)
    with Client().stream({**BODY, "model": "offline"}) as stream:
        list(stream)
    assert stream.stop_reason == "end_turn"
    assert server.seen == []


def test_a_forked_process_makes_its_own_connections() -> None:
    client = Client()
    before = client.sdk("offline")
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, b"other" if client.sdk("offline") is not before else b"same")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(out, 10) == b"other"
    assert client.sdk("offline") is before
