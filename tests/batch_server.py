"""The batch endpoints of the Messages API, scripted, for the real SDK: what was sent is kept, and ends when told to."""

from __future__ import annotations

import json
from typing import Any

import httpx2

from jupyter_history.model.scripted import Scripted


class BatchServer(Scripted):
    """`batches`: id -> the requests it got. `end(id, {custom_id: result})` finishes one."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.results: dict[str, list[dict[str, Any]]] = {}
        self.seen: list[str] = []
        self.refuse: tuple[int, str] | None = None

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
            id = f"msgbatch_{len(self.batches) + 1}"
            self.batches[id] = json.loads(request.read())["requests"]
            return httpx2.Response(200, json=self._state(id))
        id = path.split("/")[4]
        if path.endswith("/results"):
            text = "".join(json.dumps(line) + "\n" for line in self.results[id])
            return httpx2.Response(200, text=text, headers={"content-type": "application/binary"})
        return httpx2.Response(200, json=self._state(id))

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
            "created_at": "2026-11-30T12:00:00Z",
            "expires_at": "2026-12-01T12:00:00Z",
            "ended_at": "2026-11-30T12:30:00Z" if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"http://offline.invalid/v1/messages/batches/{id}/results" if ended else None,
        }


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


EXPIRED: dict[str, Any] = {"type": "expired"}
ERRORED: dict[str, Any] = {
    "type": "errored",
    "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is odd"}},
}
