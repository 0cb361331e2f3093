"""What all explorers share: one display in four forms, and the sessions whose views can be asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakValueDictionary

from ..markdown import visible
from ..static import Static

if TYPE_CHECKING:
    from ...session.session import Session
    from .widget import Explorer

MIME = "application/vnd.jupyter-history.view.v1+json"

_sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
"""The session of the last view of each conversation, while somebody holds it."""


def session_of(conversation: str) -> Session | None:
    """The session that shows this conversation, if one is alive."""
    return _sessions.get(conversation)


class View(ABC):
    """One explorer. `args` make the same view again: a front end sends them back with its questions."""

    kind: ClassVar[str]

    def __init__(self, session: Session, **args: Any) -> None:
        self.session = session
        self.args = {key: value for key, value in args.items() if value is not None}
        _sessions[session.id] = session

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Topology and numbers, and of texts no more than the beginning of prompts."""

    def texts(self) -> dict[str, Any]:
        """What an output's JSON holds besides, because the HTML beside it says it too. Never a widget's state."""
        return {}

    def asked(self) -> dict[str, Any]:
        """What is given on request only."""
        return self.texts()

    @abstractmethod
    def html(self) -> str:
        """The view without scripts, styles in place."""

    @abstractmethod
    def text(self) -> str:
        """The view in plain text."""

    def state(self) -> dict[str, Any]:
        """What a front end draws the view from."""
        return {
            "v": 1,
            "view": self.kind,
            "conversation": self.session.id,
            "name": visible(self.session.name),
            "args": self.args,
            "data": self.data(),
        }

    def live(self, state: dict[str, Any]) -> dict[str, Any]:
        """The widget's part of the display."""
        made = new_widget(self, state)
        return {} if made is None else made.named()

    def static(self) -> Static:
        """Only the HTML, for front ends that choose badly."""
        return Static(self.html())

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.session.name}>"

    def _repr_mimebundle_(self, **_: Any) -> Mapping[str, Any]:
        state = self.state()
        stored = {**state, "data": {**state["data"], **self.texts()}}
        return {MIME: stored, "text/html": self.html(), "text/plain": self.text(), **self.live(state)}


def new_widget(view: View, state: dict[str, Any]) -> Explorer | None:
    """A widget of the view, in a kernel that has widgets; a view reads well without it."""
    from .front import answer_comms, takes_widgets

    answer_comms()
    if not takes_widgets():
        return None
    try:
        from .widget import Explorer
    except ImportError:
        return None
    return Explorer(view, state)
