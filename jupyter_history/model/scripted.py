"""A model that says what it was told to: replies, tool calls, faults and delays, queued; and a record of every request.

For tests and for showing a session without a model; it runs under the real SDK, so everything above the socket is real:

    script = Scripted().reply("one").error(529, "overloaded_error", "Overloaded").reply("two")
    client = Client(transport=script)
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import httpx2

from ..transcript import Block, Usage
from . import sse

Answer = Callable[[dict[str, Any]], httpx2.Response]


class Scripted(httpx2.BaseTransport):
    """Answers each request with the next thing queued; with `ok N` when nothing is.

    `requests` holds the body of each request for an answer, as it came; `counted` those for a token count;
    `streams` the bodies that were sent, whose `closed` tells that the client let go of them.
    """

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.counted: list[dict[str, Any]] = []
        self.streams: list[sse.Chunks] = []
        self.models: list[dict[str, Any]] = []
        self._queue: deque[Answer] = deque()
        self._answered = 0

    def reply(
        self,
        text: str,
        *,
        thinking: str | None = None,
        signature: str = "signed",
        chunks: int | Sequence[str] | None = None,
        delay: float = 0.0,
        usage: Usage | None = None,
        stop_reason: str = "end_turn",
    ) -> Scripted:
        """An answer. `chunks`: how many parts the text is cut into, or the parts; `delay`: seconds before each."""
        content: list[Block] = [] if thinking is None else [_thought(thinking, signature)]
        if text:
            content.append({"type": "text", "text": text})
        return self._then(lambda body: self._stream(body, content, _cut(text, chunks), delay, usage, stop_reason))

    def tool_call(
        self,
        name: str,
        input: Mapping[str, Any],
        *,
        id: str | None = None,
        text: str = "",
        thinking: str | None = None,
        usage: Usage | None = None,
        more: Sequence[tuple[str, Mapping[str, Any]]] = (),
    ) -> Scripted:
        """An answer that asks for a tool (and for those in `more`, at the same time), after `text` if there is any."""
        content: list[Block] = [] if thinking is None else [_thought(thinking, "signed")]
        if text:
            content.append({"type": "text", "text": text})
        for n, (tool, arguments) in enumerate([(name, input), *more]):
            call = id if id and not n else f"toolu_{len(self._queue) + self._answered}_{n}"
            content.append({"type": "tool_use", "id": call, "name": tool, "input": dict(arguments)})
        return self._then(lambda body: self._stream(body, content, None, 0.0, usage, "tool_use"))

    def blocks(self, *content: Block, stop_reason: str = "end_turn", **stop_fields: Any) -> Scripted:
        """An answer of these content blocks."""
        return self._then(lambda body: self._stream(body, list(content), None, 0.0, None, stop_reason, **stop_fields))

    def raw(self, *events: bytes) -> Scripted:
        """A stream of these bytes, whatever they are."""
        return self._then(lambda body: self._sent(iter(events)))

    def error(
        self,
        status: int,
        type: str = "api_error",
        message: str = "an error",
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        midstream: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> Scripted:
        """A refusal; `body` replaces the envelope. With `midstream` the answer begins with that text, then fails."""
        if midstream is not None:
            return self._then(lambda request: self._broken(request, midstream, sse.error_event(type, message)))
        return self._then(lambda _: sse.error(status, type, message, headers=headers, body=body, details=details))

    def cut(self, after: str = "") -> Scripted:
        """The socket drops after that much text."""
        return self._then(lambda body: self._broken(body, after, httpx2.RemoteProtocolError("peer closed connection")))

    def eof(self, after: str = "") -> Scripted:
        """The stream ends cleanly after that much text, without an end of the message."""
        return self._then(lambda body: self._broken(body, after, b""))

    def interrupt(self, after: str = "") -> Scripted:
        """The user stops the kernel after that much text."""
        return self._then(lambda body: self._broken(body, after, KeyboardInterrupt()))

    def unreachable(self) -> Scripted:
        """The connection is refused."""

        def refuse(body: dict[str, Any]) -> httpx2.Response:
            raise httpx2.ConnectError("[Errno 111] Connection refused")

        return self._then(refuse)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path.endswith("/models"):
            return httpx2.Response(
                200, json={"data": self.models, "has_more": False, "first_id": None, "last_id": None}
            )
        body = json.loads(request.read())
        if path.endswith("/count_tokens"):
            self.counted.append(body)
            return httpx2.Response(200, json={"input_tokens": _tokens(body)})
        self.requests.append(body)
        self._answered += 1
        if self._queue:
            return self._queue.popleft()(body)
        text = f"ok {self._answered}"
        return self._stream(body, [{"type": "text", "text": text}], None, 0.0, None, "end_turn")

    def _then(self, answer: Answer) -> Scripted:
        self._queue.append(answer)
        return self

    def _sent(self, parts: Iterator[bytes]) -> httpx2.Response:
        response = sse.streaming(parts, f"req_{self._answered}")
        assert isinstance(response.stream, sse.Chunks)
        self.streams.append(response.stream)
        return response

    def _stream(
        self,
        body: dict[str, Any],
        content: list[Block],
        parts: list[str] | None,
        delay: float,
        usage: Usage | None,
        stop_reason: str,
        **stop_fields: Any,
    ) -> httpx2.Response:
        said = usage or Usage(input=_tokens(body), output=max(1, len(json.dumps(content)) // 4))

        def events() -> Iterator[bytes]:
            yield sse.start(body["model"], wire_usage(said), f"msg_{self._answered}")
            for index, block in enumerate(content):
                for part in sse.block(index, block, parts if block["type"] == "text" else None):
                    if delay:
                        time.sleep(delay)
                    yield part
            yield sse.stop(stop_reason, said.output, **stop_fields)

        return self._sent(events())

    def _broken(self, body: dict[str, Any], text: str, fault: bytes | BaseException) -> httpx2.Response:
        def events() -> Iterator[bytes]:
            yield sse.start(body["model"], {"input_tokens": _tokens(body)}, f"msg_{self._answered}")
            if text:
                yield from list(sse.block(0, {"type": "text", "text": text}))[:-1]
            if isinstance(fault, BaseException):
                raise fault
            yield fault

        return self._sent(events())


def wire_usage(usage: Usage) -> dict[str, Any]:
    """`usage` in the provider's words."""
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
    }


def _thought(text: str, signature: str) -> Block:
    return {"type": "thinking", "thinking": text, "signature": signature}


def _tokens(body: Mapping[str, Any]) -> int:
    return max(1, len(json.dumps([body.get("system"), body.get("tools"), body["messages"]])) // 4)


def _cut(text: str, chunks: int | Sequence[str] | None) -> list[str] | None:
    if chunks is None:
        return None
    if isinstance(chunks, int):
        return sse.pieces(text, max(1, -(-len(text) // chunks)))
    return list(chunks)
