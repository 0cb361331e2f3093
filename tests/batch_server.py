"""The batch endpoints of the Messages API, scripted, for the real SDK: what was sent is kept, and ends when told to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2

from jupyter_history.model.scripted import Scripted


class BatchServer(Scripted):
    """`batches`: id -> the requests it got. `end(id, {custom_id: result})` finishes one.

    `lose`: "before" a batch arrives, or "after" it did, the connection breaks (once). `cut`: so many results of a batch
    arrive before the connection breaks (once). `lists`: whether it tells which batches it has.
    """

    def __init__(self) -> None:
        super().__init__()
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.results: dict[str, list[dict[str, Any]]] = {}
        self.seen: list[str] = []
        self.refuse: tuple[int, str] | None = None
        self.lose = ""
        self.cut: int | None = None
        self.lists = True
        self.made: dict[str, datetime] = {}

    def arrive(self, id: str, requests: list[dict[str, Any]]) -> None:
        self.batches[id], self.made[id] = requests, datetime.now(UTC)

    def end(self, id: str, **others: dict[str, Any]) -> None:
        """Every request succeeds with `answer N`, newest first, but for those named."""
        lines = []
        for n, request in enumerate(self.batches[id]):
            name = request["custom_id"]
            lines.append({"custom_id": name, "result": others.get(name) or succeeded(f"answer {n}", request)})
        self.results[id] = lines[::-1]

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if "/messages/batches" not in path:
            return super().handle_request(request)
        self.seen.append(f"{request.method} {path}")
        if self.refuse is not None:
            status, message = self.refuse
            error = {"type": "invalid_request_error", "message": message}
            return httpx2.Response(status, json={"type": "error", "error": error})
        if request.method == "POST":
            return self._create(request)
        if path.endswith("/batches"):
            if not self.lists:
                return httpx2.Response(404, json={"type": "error", "error": {"type": "not_found_error", "message": ""}})
            data = [self._state(id) for id in reversed(self.batches)]
            ids = {"first_id": None, "last_id": data[-1]["id"] if data else None}
            return httpx2.Response(200, json={"data": data, "has_more": False, **ids})
        id = path.split("/")[4]
        if path.endswith("/results"):
            lines = [json.dumps(line) + "\n" for line in self.results[id]]
            headers = {"content-type": "application/binary"}
            return httpx2.Response(200, stream=_Lines(lines, self._cut()), headers=headers)
        return httpx2.Response(200, json=self._state(id))

    def _create(self, request: httpx2.Request) -> httpx2.Response:
        lost, self.lose = self.lose, ""
        if lost == "before":
            raise httpx2.ConnectError("no route")
        id = f"msgbatch_{len(self.batches) + 1}"
        self.arrive(id, json.loads(request.read())["requests"])
        if lost == "after":
            raise httpx2.ReadError("the connection broke")
        return httpx2.Response(200, json=self._state(id))

    def _cut(self) -> int | None:
        cut, self.cut = self.cut, None
        return cut

    def _state(self, id: str) -> dict[str, Any]:
        ended, count = id in self.results, len(self.batches[id])
        return {
            "id": id,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else count,
                "succeeded": count if ended else 0,
                "errored": 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": self.made[id].isoformat(),
            "expires_at": (self.made[id] + timedelta(days=1)).isoformat(),
            "ended_at": self.made[id].isoformat() if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://offline.invalid/v1/messages/batches/{id}/results" if ended else None,
        }


class _Lines(httpx2.SyncByteStream):
    """Lines, of which only some arrive where `cut` says so."""

    def __init__(self, lines: list[str], cut: int | None) -> None:
        self.lines, self.cut = lines, cut

    def __iter__(self) -> Iterator[bytes]:
        for line in self.lines[: self.cut]:
            yield line.encode()
        if self.cut is not None:
            raise httpx2.ReadError("the connection broke")


def succeeded(text: str, request: dict[str, Any]) -> dict[str, Any]:
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["params"]["model"],
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1_000_000, "output_tokens": 100_000},
    }
    return {"type": "succeeded", "message": message}


CANCELED: dict[str, Any] = {"type": "canceled"}
EXPIRED: dict[str, Any] = {"type": "expired"}
ERRORED: dict[str, Any] = {
    "type": "errored",
    "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is odd"}},
}
