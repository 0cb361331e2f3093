"""What a front end may ask a view, and what it may do: one reply for each request, whichever way it comes.

A request is `{"call", "args"}`, its reply `{"result"}` or `{"error": one line}`. Nothing here calls a model (rule 23):
another answer is asked for in a cell, where it streams and the stop button stops it; `again` gives what to run there.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...errors import BadInput, ChatError
from ...session.marks import put_mark
from ..keys import hide
from ..markdown import safe, visible
from ..spelling import typed

if TYPE_CHECKING:
    from ...session.session import Session
    from .view import View

Calls = Mapping[str, Callable[..., dict[str, Any]]]


class Desk:
    """Answers for one session. `lock`: held while its tip is moved; `moved` tells all front ends that it was."""

    def __init__(
        self, session: Session, lock: threading.RLock | None = None, moved: Callable[[], None] = lambda: None
    ) -> None:
        self.session = session
        self.lock = lock or threading.RLock()
        self.moved = moved
        self.calls: Calls = {
            "hello": lambda: {"tip": self.session.tip},
            "view": self.view,
            "news": self.news,
            "find": self.find,
            "body": self.body,
            "texts": self.texts,
            "beside": self.beside,
            "request": self.request,
            "page": self.page,
            "profiles": self.profiles,
            "markdown": self.markdown,
            "continue": self.go_on,
            "undo": self.undo,
            "again": self.again,
            "fork": self.fork,
            "label": self.label,
            "favourite": self.favourite,
            "hide": self.hide,
            "pin": self.pin,
        }

    @classmethod
    def of(cls, session: Session) -> Desk:
        """The desk of a session in this kernel."""
        from .front import link

        found = link()
        if found is None:
            return cls(session)
        return cls(session, found.current.lock, lambda: found.changed(session.id))

    def reply(self, request: Any) -> dict[str, Any]:
        """`{"result": ...}` or `{"error": one line}`."""
        try:
            call = self.calls.get(request["call"])
            if call is None:
                raise BadInput(f"Unknown call {request['call']!r}.")
            return {"result": call(**(request.get("args") or {}))}
        except (ChatError, KeyboardInterrupt) as error:
            return {"error": _line(error) or "Stopped."}
        except (KeyError, TypeError, AttributeError) as error:
            return {"error": f"A request that cannot be read: {_line(error)}"}
        except Exception as error:
            return {"error": f"{type(error).__name__}: {_line(error)}"}

    # -- looking --------------------------------------------------------------------------------------------------

    def view(self, view: str, args: Mapping[str, Any]) -> dict[str, Any]:
        """The state of a view with these arguments: another one, or the same as it is now."""
        made = self._made(view, args)
        state = made.state()
        return {**state, "data": {**state["data"], **made.asked()}}

    def news(self, after: int) -> dict[str, Any]:
        """What is new in the tree since its `after`th turn."""
        from .tree import TreeView

        self._refresh()
        return TreeView(self.session).news(int(after))

    def find(self, text: str) -> dict[str, Any]:
        """The turns that a filter finds: `turns`, each with a line around the words; `more` where that is not all."""
        from .tree import find

        return find(self.session, text)

    def body(self, turn: str) -> dict[str, Any]:
        """A turn's prompt, as typed, and its answer, as harmless Markdown."""
        from ..answers import footer

        if turn not in self.session.tree:
            return self._failed(turn)
        found = self.session.turn(turn)
        return {
            "id": found.id,
            "prompt": visible(found.prompt),
            "text": safe(found.text).rstrip(),
            "footer": footer(found.record, label=found.label),
        }

    def texts(self, turns: list[str]) -> dict[str, Any]:
        """The texts of several turns, for a comparison."""
        from .compare import texts

        return {"texts": texts([self.session.turn(turn) for turn in turns])}

    def beside(self, turn: str, known: list[str]) -> dict[str, Any]:
        """The newest answers beside a turn, itself included: columns and texts of those that are not known."""
        from .compare import MANY, column, texts

        self._refresh()
        ids = [id for id in self.session.tree.siblings(turn)[-MANY:] if id not in known]
        turns = [self.session.turn(id) for id in ids]
        return {"columns": [column(turn) for turn in turns], "texts": texts(turns)}

    def request(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The exact request that a ladder view is about; the bytes of images are named, not shown."""
        from .ladder import shown_request

        return {"text": hide(json.dumps(shown_request(self.session, args), indent=1, ensure_ascii=False))}

    def page(self, args: Mapping[str, Any], number: int) -> dict[str, Any]:
        """One page's image and the source text of its spans."""
        from .pages import page

        return page(self.session, args, number)

    def profiles(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """What the same text comes to in each page profile."""
        from .pages import profiles

        return {"profiles": profiles(self.session, args)}

    def markdown(self, turns: list[str]) -> dict[str, Any]:
        """A comparison as Markdown, to be copied."""
        from .compare import compare

        return {"text": compare(self.session, *turns).markdown()}

    # -- doing ----------------------------------------------------------------------------------------------------

    def go_on(self, turn: str) -> dict[str, Any]:
        """Continue from exactly this turn."""
        with self._moving():
            note = self.session.branch(turn).note
        return self._where(note)

    def undo(self, turn: str) -> dict[str, Any]:
        """Continue from before the turn after which something was compacted: the decision holds only below it."""
        with self._moving():
            note = self.session.branch(self.session.tree.parent(self.session.tree.resolve(turn))).note
        return self._where(note)

    def again(self, turn: str) -> dict[str, Any]:
        """What to run in a cell for another answer beside this one."""
        from .front import link

        turn = self.session.tree.resolve(turn)
        found = link()
        if found is not None and found.current.session is self.session:
            return {"code": f"%chat again {turn}"}
        imports = "from jupyter_history.notebook.explorers import session_of"
        return {"code": f"{imports}\nsession_of({self.session.id!r}).again({turn!r})"}

    def fork(self, turn: str, name: str | None = None) -> dict[str, Any]:
        """Copy the path to this turn into a conversation of its own; nothing moves here."""
        with self._moving():
            fork = self.session.fork(turn, name or None)
        return {"note": f"Forked into `{fork.name}`; {typed('open', fork.name)} works there."}

    def label(self, turn: str, label: str | None = None) -> dict[str, Any]:
        with self._moving():
            self.session.label(turn, label or None)
        return {"note": f"`{turn}` is labelled {label}." if label else f"`{turn}` has no label now."}

    def favourite(self, turn: str, on: bool = True) -> dict[str, Any]:
        with self._moving():
            put_mark(self.session, "favourites", turn, on)
        return {"note": ""}

    def hide(self, turn: str, on: bool = True) -> dict[str, Any]:
        with self._moving():
            put_mark(self.session, "hidden", turn, on)
        return {"note": "Hidden here, kept in the store." if on else ""}

    def pin(self, turn: str, on: bool = True) -> dict[str, Any]:
        """Keep a turn verbatim, whatever the ladder does."""
        with self._moving():
            self.session.pin(turn, on)
        return {"note": f"`{turn}` stays verbatim from now on." if on else f"`{turn}` may go again."}

    # -- the parts ------------------------------------------------------------------------------------------------

    def _made(self, view: str, args: Mapping[str, Any]) -> View:
        from . import compare, explore, ladder, pages

        self._refresh()
        match view:
            case "tree":
                return explore(self.session)
            case "compare":
                return compare(self.session, *args["turns"])
            case "ladder":
                return ladder(self.session, **args)
            case "pages":
                return pages(self.session, **args)
        raise BadInput(f"No view is called {view!r}.")

    def _failed(self, turn: str) -> dict[str, Any]:
        for record in self.session.store.failed(self.session.id):
            if record.id == turn:
                text = f"*No answer was kept.* {safe(record.error or '')}"
                return {"id": turn, "prompt": visible(record.prompt), "text": text, "footer": f"{turn} · failed"}
        raise BadInput(f"Turn {turn} is not in this conversation.")

    def _refresh(self) -> None:
        """Read what others wrote, unless an answer is being written meanwhile."""
        if self.lock.acquire(blocking=False):
            try:
                self.session.refresh()
            finally:
                self.lock.release()

    @contextmanager
    def _moving(self) -> Iterator[None]:
        if not self.lock.acquire(blocking=False):
            raise BadInput("An answer is being written; do this when it is finished, or stop it first.")
        try:
            yield
        finally:
            self.lock.release()
        self.moved()

    def _where(self, note: str) -> dict[str, Any]:
        return {"tip": self.session.tip, "note": note}


def _line(error: BaseException) -> str:
    return " ".join(hide(str(error)).split())
