"""Every error a user may see derives from `ChatError`: one line that says what happened, what was kept, what to do.

In a notebook the line is all that is shown (`_render_traceback_`); the full trace is one `%chat why` away.
"""

from __future__ import annotations


class ChatError(Exception):
    """One line for the user. Subclasses say whose fault it is; the text says what to do next."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows these lines instead of a traceback."""
        return [str(self)]


class BadInput(ChatError):
    """Something the user wrote does not fit: which value, and what to write instead."""


class NotFound(BadInput):
    """An id, a label or a name that nothing answers to; the text lists what does."""


class BrokenChain(ChatError):
    """A missing parent or a cycle in the stored tree (rule 6); the text names both ids."""


class StoreUnavailable(ChatError):
    """The database cannot be read or written now; what was to be saved stays in memory (rule 7)."""


class ModelError(ChatError):
    """The model's server refused or failed; nothing was stored on the path.

    `kind` is one of "auth", "not_found", "too_large", "rate_limited", "overloaded", "connection", "refused", "invalid",
    "server", "cut" (the stream ended before the answer did).
    """

    def __init__(self, text: str, *, kind: str, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(text)
        self.kind, self.status, self.request_id = kind, status, request_id


class TooLarge(ModelError):
    """The request does not fit the window: `tokens` of `limit` where the server said so, else None."""

    def __init__(
        self, text: str, *, tokens: int | None = None, limit: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(text, kind="too_large", status=status)
        self.tokens, self.limit = tokens, limit


class Stopped(KeyboardInterrupt):
    """The user stopped an answer. What had come is stored as the turn `turn` (rule 24); None: nothing had come.

    A KeyboardInterrupt, so that "run all" stops here; shown as one line.
    """

    def __init__(self, text: str, turn: str | None) -> None:
        super().__init__(text)
        self.turn = turn

    def _render_traceback_(self) -> list[str]:
        return [str(self)]
