"""The line to the front end: it asks about turns and moves the tip; the kernel tells it of every move.

A request is `{"id", "call", "args"}`, its reply `{"id", "result"}` or `{"id", "error"}`, an error being one line.
Nothing here calls a model (rule 23). JupyterLab may deliver requests in a thread of their own while a cell runs: what
changes a session takes the kernel's lock, what only looks does without where it is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from ..errors import BadInput, ChatError
from .following import Place, places
from .keys import hide
from .panel import Panel

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..session.session import Session
    from .current import Current

TARGET = "jupyter_history"


class Comm(Protocol):
    """What a comm has that we use."""

    comm_id: str

    def send(self, data: dict[str, Any]) -> None: ...
    def close(self) -> None: ...
    def on_msg(self, callback: Callable[[Mapping[str, Any]], None] | None) -> None: ...
    def on_close(self, callback: Callable[[Mapping[str, Any]], None] | None) -> None: ...


def comm_manager(shell: InteractiveShell) -> Any:
    """The kernel's comm manager; None in a shell without a kernel (a terminal)."""
    return getattr(getattr(shell, "kernel", None), "comm_manager", None)


class Shown(Protocol):
    """A widget that shows a conversation."""

    @property
    def conversation(self) -> str: ...
    @property
    def follows(self) -> frozenset[Place]:
        """Where answers that are being written are told of."""

    def stir(self) -> None:
        """Tell the front end that something is new."""

    def send(self, content: dict[str, Any]) -> None: ...


class Link:
    """All open comms of one kernel, any number of front ends.

    A comm that was opened with `{"quiet": true}` only asks: nothing is pushed on it. ipykernel handles a comm's
    requests in the thread that last sent on it, so a push from a running cell would make them wait for that cell.
    """

    def __init__(self, current: Current) -> None:
        self.current = current
        self.comms: dict[str, Comm] = {}
        self.front: str | None = None
        """The version of the JupyterLab extension that greeted last."""
        self.shown: WeakSet[Shown] = WeakSet()
        """The widgets on show: they are told too."""
        self._quiet: set[str] = set()
        self._follows: dict[str, frozenset[Place]] = {}
        """By the comm that asked for it, what a front end's comparisons are about."""
        self._calls: dict[str, Callable[..., dict[str, Any]]] = {
            "hello": self._hello,
            "siblings": self._siblings,
            "answer": self._answer,
            "continue": self._continue,
            "explore": self._explore,
            "follow": self._follow,
            **Panel(current, self.moved).calls,
        }

    @property
    def listening(self) -> bool:
        """Whether a front end is told of what happens."""
        return any(id not in self._quiet for id in list(self.comms))

    def opened(self, comm: Comm, message: Mapping[str, Any]) -> None:
        """A front end opened a comm."""
        self.comms[comm.comm_id] = comm
        if (message["content"].get("data") or {}).get("quiet"):
            self._quiet.add(comm.comm_id)
        comm.on_msg(lambda message: self._asked(comm, message))
        comm.on_close(lambda _message: self._forget(comm))

    def moved(self) -> None:
        """Tell every front end where the tip is now."""
        session = self.current.session
        if session is None:
            return
        self._tell({"event": "moved", **_where(session)})
        self._stir(session.id)

    def changed(self, conversation: str) -> None:
        """Tell every front end that something in a conversation is new: a move, a label, a mark."""
        if self.current.session is not None and self.current.session.id == conversation:
            self.moved()
        else:
            self._stir(conversation)
        self._tell({"event": "changed", "conversation": conversation})

    def tell(self, place: Place, event: Callable[[], dict[str, Any]]) -> None:
        """Tell those who compare the answers of a place what is being written there (`following.Tell`)."""
        widgets = [shown for shown in list(self.shown) if place in shown.follows]
        followed = any(place in each for each in list(self._follows.values()))
        if widgets or followed:
            made = event()
            for shown in widgets:
                shown.send(made)
            if followed:
                self._tell(made)

    def _stir(self, conversation: str) -> None:
        for shown in list(self.shown):
            if shown.conversation == conversation:
                shown.stir()

    def _tell(self, event: dict[str, Any]) -> None:
        for comm in [comm for id, comm in self.comms.items() if id not in self._quiet]:
            try:
                comm.send(event)
            except Exception:  # a front end that went away without closing must not fail a cell
                self._forget(comm)

    def close(self) -> None:
        """Close all comms."""
        for comm in list(self.comms.values()):
            self._forget(comm)
            comm.close()

    def _forget(self, comm: Comm) -> None:
        self.comms.pop(comm.comm_id, None)
        self._quiet.discard(comm.comm_id)
        self._follows.pop(comm.comm_id, None)

    def _asked(self, comm: Comm, message: Mapping[str, Any]) -> None:
        request = message["content"]["data"]
        comm.send({"id": request.get("id") if isinstance(request, dict) else None, **self.reply(request)})

    def reply(self, request: Any) -> dict[str, Any]:
        """`{"result": ...}` or `{"error": one line}`."""
        try:
            call = self._calls.get(request["call"])
            if call is None:
                raise BadInput(f"Unknown call {request['call']!r}.")
            return {"result": call(**(request.get("args") or {}))}
        except ChatError as error:
            return {"error": _line(error)}
        except (KeyError, TypeError, AttributeError) as error:
            return {"error": f"A request that cannot be read: {_line(error)}"}
        except Exception as error:
            self.current.error = error
            return {"error": f"{type(error).__name__}: {_line(error)}"}

    # -- the calls ------------------------------------------------------------------------------------------------

    def _hello(self, version: str | None = None) -> dict[str, Any]:
        """`version`: the front end's."""
        from .. import __version__

        self.front = version or self.front
        session = self.current.find(settle=False)
        where = {"conversation": None, "path": [], "tip": None} if session is None else _where(session)
        return {"version": __version__, **where}

    def _siblings(self, turn: str) -> dict[str, Any]:
        session = self._session(turn)
        siblings = session.tree.siblings(turn)
        path = set(session.tree.path(session.tip))
        return {"ids": siblings, "onPath": next((item for item in siblings if item in path), None)}

    def _answer(self, turn: str) -> dict[str, Any]:
        from .answers import bundle

        session = self._session(turn)
        tree, record = session.tree, session.store.turn(turn)
        return {"data": bundle(record, siblings=tree.siblings(turn), stored=True, notes=(), label=tree.label_of(turn))}

    def _continue(self, turn: str) -> dict[str, Any]:
        if not self.current.lock.acquire(blocking=False):
            raise BadInput("An answer is being written; continue elsewhere when it is finished, or stop it first.")
        try:
            moved = self._session(turn).show(turn)
        finally:
            self.current.lock.release()
        self.moved()
        assert self.current.session is not None
        where = _where(self.current.session)
        return {"path": where["path"], "tip": where["tip"], "note": moved.note}

    def _explore(self, conversation: str, ask: str, args: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A question of an explorer, about any conversation that this kernel can open."""
        from .explorers.desk import Desk

        reply = Desk(self._shown(conversation), self.current.lock, lambda: self.changed(conversation)).reply(
            {"call": ask, "args": args}
        )
        if "error" in reply:
            raise ChatError(reply["error"])
        result: dict[str, Any] = reply["result"]
        return result

    def _follow(self, line: str, at: Any) -> dict[str, Any]:
        """From now on a front end follows these places and no others; `line`: the id of a comm of its own."""
        if line in self.comms:
            self._follows[line] = places(at)
        return {}

    def _shown(self, conversation: str) -> Session:
        """The session of a conversation: this notebook's, the one that a view was made from, else opened now."""
        from ..session.session import Session
        from .explorers.view import session_of

        session = self.current.find(settle=False)
        if session is not None and session.id == conversation:
            return session
        shown = session_of(conversation)
        if shown is not None:
            return shown
        place = self.current.notebook.id if self.current.notebook is not None else ""
        current = self.current
        return Session(current.store, current.store.conversation(conversation), client=current.client, place=place)

    def _session(self, turn: str) -> Session:
        """The session, if this turn is in its conversation; up to date unless an answer is being written."""
        session = self.current.find(settle=False)
        if session is not None and self.current.lock.acquire(blocking=False):
            try:
                self.current.tell(session.refresh())
            finally:
                self.current.lock.release()
        if session is None or turn not in session.tree:
            raise BadInput(f"Turn {turn} is not in this notebook's conversation.")
        return session


def _where(session: Session) -> dict[str, Any]:
    return {"conversation": session.id, "path": session.tree.path(session.tip), "tip": session.tip}


def _line(error: BaseException) -> str:
    return " ".join(hide(str(error)).split())
