"""Limits come from the server where it can say them, without a call that a user waits for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from jupyter_history.model import catalog
from jupyter_history.model.client import Client


class Models(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        entry = {"id": "llama-9", "type": "model", "display_name": "Llama", "created_at": "2026-01-01T00:00:00Z"}
        told = {"data": [{**entry, "max_input_tokens": 33_000, "max_tokens": 4_000}], "has_more": False}
        body = json.dumps({**told, "first_id": None, "last_id": None}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    served = HTTPServer(("127.0.0.1", 0), Models)
    Thread(target=served.serve_forever, daemon=True).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{served.server_port}")
    yield
    served.shutdown()
    served.server_close()
    catalog.forget()


@pytest.mark.usefixtures("server")
def test_the_servers_own_limits_are_learned_beside_the_first_answer() -> None:
    assert not catalog.profile("llama-9").known
    client = Client()
    client.learn_limits("llama-9")
    end = time.monotonic() + 20
    while catalog.profile("llama-9").window != 33_000 and time.monotonic() < end:
        time.sleep(0.02)
    assert (catalog.profile("llama-9").window, catalog.profile("llama-9").max_output) == (33_000, 4_000)


def test_the_offline_reader_is_not_asked() -> None:
    client = Client()
    client.learn_limits("offline")
    assert not client._asked
