"""The one way to a model: the `anthropic` SDK, streaming always, imported on first use.

Hosted Claude and every server that speaks the Messages API are reached through the SDK's own environment variables;
models whose name begins with `offline` through the offline reader's transport, in this process, under the same SDK.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..transcript import Block, Usage
from . import catalog, errors
from .answer import Draft, unsigned
from .events import Done, Event, Retry, Sent

if TYPE_CHECKING:
    import anthropic
    import httpx2

PAUSES = (0.5, 2.0, 5.0)
"""Seconds before the second, third and fourth attempt, where the server names no time."""
_LONGEST_PAUSE = 30.0
"""Seconds: a server may ask for hours; a cell that sleeps that long looks frozen."""


class Client:
    """Sends requests. One SDK client for each process, kind of server and set of credentials; a fork makes its own.

    `transport` (for tests) takes every request, whatever its model. Without it the SDK makes its own HTTP client, so
    that the environment's proxy settings apply.
    """

    def __init__(self, transport: httpx2.BaseTransport | None = None, *, pauses: Sequence[float] = PAUSES) -> None:
        self.pauses = tuple(pauses)
        self._transport = transport
        self._clients: dict[tuple[int, bool, int], anthropic.Anthropic] = {}
        self._lock = threading.Lock()
        self._asked = False

    def stream(self, body: Mapping[str, Any]) -> AnswerStream:
        """Ask. `body` is a Messages API request; nothing is sent before the stream is iterated."""
        return AnswerStream(self, prepared(body))

    def count(self, body: Mapping[str, Any]) -> int | None:
        """The tokens of `body` as its server counts them; None where it cannot say."""
        request = prepared(body)
        request.pop("max_tokens", None)
        try:
            sdk = self.sdk(request["model"])
            extra = {key: value for key, value in request.items() if key not in ("model", "messages")}
            counted = sdk.messages.count_tokens(
                model=request["model"], messages=request["messages"], extra_body=extra, timeout=10.0
            )
            return int(counted.input_tokens)
        except Exception:
            # a courtesy of some servers; an estimate takes its place
            return None

    def limits(self, model: str | None = None) -> list[dict[str, Any]]:
        """`GET /v1/models` of the server that `model` (the default one) lives on; [] when it cannot be reached."""
        try:
            listed = self.sdk(model or catalog.default_model()).models.list(limit=1000, timeout=5.0)
            return [entry.model_dump(mode="json") for entry in listed.data]
        except Exception:
            return []

    def learn_limits(self, model: str) -> None:
        """Ask the model's server, once and beside the first answer, for its models' limits: later plans know them."""
        if self._transport is not None or catalog.is_offline(model) or self._asked:
            return
        self._asked = True
        threading.Thread(target=lambda: catalog.learn(self.limits(model)), daemon=True).start()

    def sdk(self, model: str) -> anthropic.Anthropic:
        """The SDK client that serves `model`."""
        offline = self._transport is not None or catalog.is_offline(model)
        settings = hash(tuple(sorted(item for item in os.environ.items() if item[0].startswith("ANTHROPIC_"))))
        key = (os.getpid(), offline, settings)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._connect(offline)
            return self._clients[key]

    def server(self, model: str) -> str:
        """The server's name for messages to the user; no credentials in it."""
        if catalog.is_offline(model):
            return "the offline reader"
        base = os.environ.get("ANTHROPIC_BASE_URL")
        return errors.redact(f"the model's server {base.split('?')[0]}") if base else "the model's server"

    def close(self) -> None:
        """Let go of all connections of this process."""
        with self._lock:
            for (pid, *_), client in self._clients.items():
                if pid == os.getpid():
                    client.close()
            self._clients.clear()

    def _connect(self, offline: bool) -> anthropic.Anthropic:
        import anthropic

        if not offline:
            client = anthropic.Anthropic(max_retries=0)
            if os.environ.get("ANTHROPIC_BASE_URL") and not (client.api_key or client.auth_token or client.credentials):
                # local servers ask for no key, the SDK does
                client = anthropic.Anthropic(max_retries=0, auth_token="none")
            return client
        transport = self._transport
        if transport is None:
            from .offline import OfflineReader

            transport = OfflineReader()
        return anthropic.Anthropic(
            api_key="offline",
            base_url="http://offline.invalid",
            max_retries=0,
            http_client=anthropic.DefaultHttpxClient(transport=transport),
        )


class AnswerStream:
    """One answer: a context manager and an iterator of events. Its attributes hold at any time, after a stop too.

    Raises only `ModelError` (and `TooLarge`). Leaving the context closes the provider's stream.
    """

    def __init__(self, client: Client, body: dict[str, Any]) -> None:
        self.body = body
        self.request_id: str | None = None
        self.seconds_to_first: float | None = None
        self._client = client
        self._draft = Draft()
        self._response: Any = None
        self._closed = threading.Event()
        self._events = self._run()

    @property
    def content(self) -> list[Block]:
        return self._draft.content

    @property
    def stop_reason(self) -> str | None:
        return self._draft.stop_reason

    @property
    def usage(self) -> Usage:
        return self._draft.usage

    @property
    def model(self) -> str:
        return self._draft.model or str(self.body["model"])

    def __enter__(self) -> AnswerStream:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def close(self) -> None:
        """Stop: the server sees the connection go."""
        self._closed.set()
        response, self._response = self._response, None
        if response is not None:
            response.close()

    def _run(self) -> Iterator[Event]:
        attempt = 0
        while True:
            attempt += 1
            try:
                yield from self._attempt()
                return
            except Exception as error:
                model = str(self.body["model"])
                server = self._client.server(model)
                if self._draft.shown or attempt > len(self._client.pauses) or not errors.may_pass(error):
                    raise errors.explain(error, model=model, server=server, shown=self._draft.shown) from error
                asked = errors.retry_after(error)
                pause = min(self._client.pauses[attempt - 1] if asked is None else asked, _LONGEST_PAUSE)
                reason = errors.reason(error, server)
            for left in _countdown(pause):
                yield Retry(left, reason, attempt)
                if self._closed.wait(min(left, 1.0)):
                    return

    def _attempt(self) -> Iterator[Event]:
        draft = self._draft = Draft()
        model = str(self.body["model"])
        sdk = self._client.sdk(model)
        yield Sent()
        began = time.monotonic()
        rest = {key: value for key, value in self.body.items() if key not in ("model", "messages", "max_tokens")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            response = sdk.messages.create(
                model=model,
                messages=self.body["messages"],
                max_tokens=self.body["max_tokens"],
                stream=True,
                extra_body=rest,
            )
        self._response = response
        with response:
            self.request_id = response.response.headers.get("request-id")
            for event in response:
                piece = draft.take(event)
                if piece is not None:
                    if self.seconds_to_first is None:
                        self.seconds_to_first = time.monotonic() - began
                    yield piece
        self._check(model)
        yield Done()

    def _check(self, model: str) -> None:
        draft, server = self._draft, self._client.server(model)
        if not draft.complete:
            raise errors.cut(model=model, server=server, shown=draft.shown)
        if draft.stop_reason == "refusal":
            explanation = getattr(draft.stop_details, "explanation", None) or ""
            raise errors.declined(explanation, model=model, server=server, request_id=self.request_id)
        if draft.stop_reason == "tool_use" and draft.broken_call:
            raise errors.broken_call(draft.broken_call, model=model, server=server)


def _countdown(seconds: float) -> Iterator[float]:
    """The seconds that are left, second by second."""
    yield seconds
    while seconds > 1.0:
        seconds -= 1.0
        yield seconds


def prepared(body: Mapping[str, Any]) -> dict[str, Any]:
    """`body` as it goes out; doing it twice changes nothing.

    Models that think by default hide it unless asked: a cell would look frozen while they do. And hosted models take
    no thought back that carries no signature (another server's): those are left out.
    """
    request = dict(body)
    entry = catalog.profile(str(request["model"]))
    if entry.hides_thinking and "thinking" not in request:
        request["thinking"] = {"type": "adaptive", "display": "summarized"}
    if entry.known:
        request["messages"] = [_signed(message) for message in request["messages"]]
    return request


def _signed(message: Mapping[str, Any]) -> Mapping[str, Any]:
    content = message["content"]
    if isinstance(content, str) or not any(unsigned(block) for block in content):
        return message
    kept = [block for block in content if not unsigned(block)]
    return {**message, "content": kept} if kept else message


def warm_up() -> None:
    """Import the SDK and what the first request needs; meant for a thread, while the user types."""
    import anthropic
    import anthropic.resources.messages  # noqa: F401
