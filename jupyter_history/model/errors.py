"""What went wrong with a request, as one line (rules 20, 25): what happened, what was kept, what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ..errors import ModelError, TooLarge

NOT_STORED = "Nothing was stored on the path"
_LONGEST = 300
"""Characters of a server's own words that are shown."""

_KEYS = re.compile(
    r"sk-[A-Za-z0-9_-]{8,}|(?i:(?<=bearer )|(?<=x-api-key: )|(?<=x-api-key\": \"))[^\s'\",;]+|(?<=://)[^/\s@]+(?=@)"
)
_SECRET_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)S?$")

_TOO_LARGE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # hosted Claude
        r"prompt is too long: (?P<tokens>\d+) tokens > (?P<limit>\d+)",
        r"input length and `?max_tokens`? exceed context limit: (?P<tokens>\d+) \+ (?P<room>\d+) > (?P<sum>\d+)",
        r"prompt is too long",
        # llama.cpp
        r"request \((?P<tokens>\d+) tokens\) exceeds the available context size \((?P<limit>\d+) tokens\)",
        r"exceeds? the available context size|exceed_context_size_error|context size has been exceeded",
        # vLLM, and others that took its words
        r"maximum context length is (?P<limit>\d+) tokens.*?\((?P<tokens>\d+) (?:in the messages|of text input)",
        r"maximum context length is (?P<limit>\d+) tokens.*?(?:has|in|at least) (?P<tokens>\d+) (?:input )?tokens",
        r"maximum context length is (?P<limit>\d+) tokens.*?requested (?:about )?(?P<tokens>\d+)",
        r"prompt \(length (?P<tokens>\d+)\) is longer than the maximum model length of (?P<limit>\d+)",
        r"input \((?P<tokens>\d+) tokens\) is longer than the model's context length \((?P<limit>\d+) tokens\)",
        r"maximum context length is (?P<limit>\d+)",
        r"longer than the maximum model length|longer than the model's context",
        # LM Studio
        r"keep the first (?P<tokens>\d+) tokens when context the overflows.*?context length of only (?P<limit>\d+)",
        r"greater than the context length \(n_keep: (?P<tokens>\d+) >= n_ctx: (?P<limit>\d+)\)",
        r"input length (?P<tokens>\d+) exceeds context length (?P<limit>\d+)",
        r"tokens to keep from the initial prompt is greater than the context length|reached context length of \d+",
        # Ollama
        r"exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?context (?:length|window|limit)|prompt too long",
        # gateways
        r"context_length_exceeded|ContextWindowExceeded|context window exceeded",
    )
)

_KINDS = {
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "auth",
    "not_found_error": "not_found",
    "request_too_large": "too_large",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "overloaded",
    "invalid_request_error": "invalid",
    "timeout_error": "server",
    "api_error": "server",
}
_STATUS = {
    401: "auth",
    402: "auth",
    403: "auth",
    404: "not_found",
    413: "too_large",
    429: "rate_limited",
    529: "overloaded",
}

_WHAT = {
    "auth": "{server} did not accept the credentials",
    "not_found": "{server} does not know the model {model!r}",
    "rate_limited": "{server} limits how much may be asked of it now",
    "overloaded": "{server} is overloaded",
    "invalid": "{server} refused the request",
    "server": "{server} failed",
    "connection": "No connection to {server}",
    "cut": "The answer broke off",
}
_DO = {
    "auth": "check {credential}{address}, or use `-m offline`",
    "not_found": "choose another with -m (`%chat models` lists them){address}",
    "rate_limited": "wait, then run the cell again",
    "overloaded": "run the cell again in a while, or choose another model with -m",
    "invalid": "change the cell and run it again; `%chat request` shows what was sent",
    "server": "run the cell again",
    "connection": "check the network{address} and run the cell again, or use `-m offline`",
    "cut": "run the cell again",
}


def redact(text: str) -> str:
    """`text` without what looks like a key, and without the value of any secret of this environment (rule 20)."""
    for name, value in os.environ.items():
        if len(value) >= 8 and _SECRET_NAMES.search(name.upper()):
            text = text.replace(value, "[key]")
    for line in os.environ.get("ANTHROPIC_CUSTOM_HEADERS", "").splitlines():
        value = line.partition(":")[2].strip()
        if len(value) >= 8:
            text = text.replace(value, "[key]")
    return _KEYS.sub("[key]", text)


def one_line(text: str) -> str:
    """`text` on one line, without keys, cut to a length that can be read."""
    text = " ".join(redact(text).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def credential() -> str:
    """The name of the credential in use. Never its value."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        if os.environ.get(name):
            return name
    return "ANTHROPIC_API_KEY (it is not set)"


def explain(error: BaseException, *, model: str, server: str, shown: int = 0) -> ModelError:
    """The SDK's or the connection's `error` as one of ours. `shown` is how many characters had been received."""
    import anthropic
    import httpx2

    if isinstance(error, ModelError):
        return error
    if isinstance(error, anthropic.APIStatusError):
        return _status(error, model, server, shown)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return _say("connection", "it did not answer in time", model, server, shown)
    if isinstance(error, anthropic.APIConnectionError):
        cause = error.__cause__ or error
        return _say("connection", f"{cause}", model, server, shown)
    if isinstance(error, httpx2.HTTPError | httpx2.StreamError):
        return _say("cut", f"{server} closed the connection ({error})", model, server, shown)
    if isinstance(error, TypeError) and "authentication method" in str(error):
        text = (
            f"No key for the model {model!r}. {NOT_STORED}; set ANTHROPIC_API_KEY "
            "(or ANTHROPIC_BASE_URL for a local server), or use `-m offline`."
        )
        return ModelError(text, kind="auth")
    if isinstance(error, UnicodeError):
        return _say("invalid", "the text holds a half character (a lone surrogate)", model, server, shown)
    return _say("invalid" if isinstance(error, ValueError | TypeError) else "server", f"{error}", model, server, shown)


def cut(*, model: str, server: str, shown: int) -> ModelError:
    """The stream ended, with no error, before the answer did."""
    return _say("cut", f"{server} ended the stream before the answer was complete", model, server, shown)


def declined(explanation: str, *, model: str, server: str, request_id: str | None) -> ModelError:
    """The model stopped with `refusal`."""
    said = f": {one_line(explanation).rstrip('.')}" if explanation else ""
    text = f"{model} declined to answer{said}. {NOT_STORED}; change the prompt, or ask another model with -m."
    return ModelError(text, kind="refused", status=200, request_id=request_id)


def broken_call(name: str, *, model: str, server: str) -> ModelError:
    """The model asked for a tool with arguments that cannot be read."""
    return _say("server", f"{model} called {name} with arguments that are not JSON", model, server, 0)


def retry_after(error: BaseException) -> float | None:
    """The seconds that the server asks to wait, if it says so."""
    headers: Mapping[str, str] = getattr(getattr(error, "response", None), "headers", {})
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        value = headers.get("retry-after")
        if value is None:
            return None
        if re.fullmatch(r"[\d.]+", value):
            return float(value)
        from datetime import UTC, datetime

        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def may_pass(error: BaseException) -> bool:
    """Whether the same request may well succeed in a moment: busy, overloaded, or out of reach."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        if error.error_code in ("enforced_spend_limit_reached",) or _too_large(_words(error), error) is not None:
            return False
        return error.status_code in (429, 529) or error.type in ("overloaded_error", "rate_limit_error")
    if isinstance(error, anthropic.APITimeoutError):
        return isinstance(error.__cause__, httpx2.ConnectTimeout)
    if isinstance(error, anthropic.APIConnectionError):
        error = error.__cause__ or error
    return isinstance(error, httpx2.NetworkError | httpx2.RemoteProtocolError)


def _status(error: Any, model: str, server: str, shown: int) -> ModelError:
    words = _words(error)
    sizes = _too_large(words, error)
    status: int = error.status_code
    if sizes is not None:
        tokens, limit = sizes
        size = f" ({tokens:,} tokens of {limit:,})" if tokens and limit else ""
        text = (
            f"The request does not fit the window of {model}{size}: {one_line(words)}. {NOT_STORED}; "
            "take context back with `%chat compact`, continue from an earlier turn (--at), or use a larger window (-m)."
        )
        return TooLarge(text, tokens=tokens, limit=limit, status=status)
    kind = (
        (_KINDS.get(error.type or "") if status < 400 else None) or _STATUS.get(status) or _KINDS.get(error.type or "")
    )
    if kind is None or (kind == "too_large"):
        kind = "server" if status >= 500 or status < 400 else "invalid"
    wait = retry_after(error)
    detail = words + (f"; it asks to wait {wait:.0f} s" if wait and wait >= 1 else "")
    code = f"{status}" if status >= 400 else "while it answered"
    return _say(kind, f"{detail} [{code}]", model, server, shown, status=status, request_id=error.request_id)


def _words(error: Any) -> str:
    """What the server itself said; the shapes differ from server to server."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            inner = inner.get("message") or inner.get("detail") or inner.get("type")
        if inner:
            return str(inner)
    return re.sub(r"<[^>]*>", " ", str(body or error)).strip() or type(error).__name__


def _too_large(words: str, error: Any) -> tuple[int | None, int | None] | None:
    """(tokens, limit) if the server refused the request for its size, either None where it gave no figure."""
    body = error.body if isinstance(error.body, Mapping) else {}
    inner = body.get("error", body)
    if isinstance(inner, Mapping) and inner.get("type") == "exceed_context_size_error":
        return inner.get("n_prompt_tokens"), inner.get("n_ctx")
    for pattern in _TOO_LARGE:
        if found := pattern.search(words):
            groups = {name: int(value) for name, value in found.groupdict().items() if value}
            limit = groups["sum"] - groups["room"] if "sum" in groups else groups.get("limit")
            return groups.get("tokens"), limit
    if error.status_code == 413 or error.type == "request_too_large":
        return None, None
    return None


def _say(
    kind: str,
    detail: str,
    model: str,
    server: str,
    shown: int,
    *,
    status: int | None = None,
    request_id: str | None = None,
) -> ModelError:
    address = " and ANTHROPIC_BASE_URL" if os.environ.get("ANTHROPIC_BASE_URL") else ""
    names = {"model": model, "server": server, "credential": credential(), "address": address}
    what = _WHAT[kind].format(**names)
    if shown and kind != "cut":
        what = f"The answer broke off: {what}"
    what = what[0].upper() + what[1:]
    text = f"{what}: {one_line(detail).rstrip('.')}. {NOT_STORED}; {_DO[kind].format(**names)}."
    return ModelError(redact(text), kind=kind, status=status, request_id=request_id)


def reason(error: BaseException, server: str) -> str:
    """Why the request goes out again, in a few words."""
    kind = explain(error, model="", server=server).kind
    return {
        "rate_limited": f"{server} limits how much may be asked",
        "overloaded": f"{server} is overloaded",
        "connection": f"no connection to {server}",
        "cut": f"{server} closed the connection",
    }.get(kind, f"{server} failed")
