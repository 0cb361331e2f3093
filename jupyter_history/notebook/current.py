"""Where this kernel works: its store, which notebook it serves, the conversation that is open.

Invariant: a notebook and its conversation are written down together, so a restarted kernel comes back to both.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from IPython.core.error import UsageError

from ..errors import BadInput, ChatError, NotFound, Stopped, StoreUnavailable
from .identity import CellCounter, Copied, New, Renamed, Same, notebook_path, recognise
from .keys import hide
from .spelling import typed

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from ..model.client import Client
    from ..session.session import Session
    from ..store import Conversation, Notebook, Store
    from ..transcript import Maker


class Current:
    """The state of one kernel. Nothing is opened before something is asked for."""

    def __init__(self, shell: InteractiveShell, resume: Notebook | None = None) -> None:
        """`resume`: the notebook that this shell served when the extension was loaded before."""
        self.shell = shell
        self._before = resume
        self.lock = threading.RLock()
        """Held while an answer is written or the tip is moved."""
        self.cells = CellCounter(lambda: _parent(shell))
        self.session: Session | None = None
        self.notebook: Notebook | None = None
        self.error: BaseException | None = None
        """The last error, for `%chat why`."""
        self.ran: set[str] = set()
        """The cells that ran a chat in this kernel: they exist, whether or not the file was saved since."""
        self._notes: list[str] = []
        self._elsewhere: list[str] = []
        self._store: Store | None = None
        self._client: Client | None = None

    @property
    def store(self) -> Store:
        """The store, opened on first use; StoreUnavailable where it cannot be."""
        if self._store is None:
            from ..store import Store

            self._store = Store.open()
        return self._store

    @property
    def waiting(self) -> str:
        """Why conversations are only in memory for now; empty if they are not."""
        return self._store.waiting if self._store is not None else ""

    @property
    def client(self) -> Client:
        if self._client is None:
            from ..model.client import Client

            self._client = Client()
        return self._client

    @property
    def path(self) -> str | None:
        """The notebook's path, where the front end tells it."""
        return notebook_path(self.shell.user_ns)

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()
        self._store, self.session = None, None

    # -- notes ----------------------------------------------------------------------------------------------------

    def tell(self, notes: Iterable[str]) -> None:
        """Keep lines for the next thing that is shown."""
        self._notes += [note for note in notes if note]

    def told(self) -> tuple[str, ...]:
        """The lines kept so far, each once."""
        notes, self._notes = tuple(dict.fromkeys(self._notes)), []
        return notes

    # -- the conversation ------------------------------------------------------------------------------------------

    def find(self, *, settle: bool = True) -> Session | None:
        """The notebook's conversation, if it has one; none is made.

        A renamed notebook is written down under its new path, and a copy gets its fork, unless `settle` is False:
        then such a notebook has no conversation yet.
        """
        if self.session is None and self.lock.acquire(blocking=False):
            try:
                self._recognise(settle=settle)
            finally:
                self.lock.release()
        return self.session

    def required(self) -> Session:
        """The notebook's conversation, for what needs one (rule 9: none is loaded)."""
        session = self.find()
        if session is None:
            raise BadInput(
                "No conversation is open in this notebook yet. Ask something in a `%%chat` cell, "
                "or open an earlier one: `%chat list` shows them, `%chat open NAME` opens one."
            )
        return session

    def begin(self) -> Session:
        """The notebook's conversation, made if there is none."""
        try:
            return self._begin()
        except StoreUnavailable as error:
            if self.waiting:
                raise
            self._keep_in_memory(error)
            return self._begin()

    def _begin(self) -> Session:
        session = self.find()
        if session is None:
            self.tell(self._elsewhere)
            session = self.enter(self.store.create())
        return session

    def _keep_in_memory(self, error: StoreUnavailable) -> None:
        """Work without the store, which cannot be had now; say so (rule 7)."""
        from ..store import Store

        self.error = error
        self._store, self.notebook, self.session = Store.stand_in(None, error), None, None
        self.tell(
            [f"{error} Until then this kernel keeps its conversation in memory; it is lost if the kernel ends before."]
        )

    def enter(self, conversation: Conversation) -> Session:
        """Work in this conversation from now on, at this notebook's place in it."""
        if self.session is not None and self.session.id == conversation.id:
            return self.session
        from ..store import Notebook

        if self.notebook is None:
            self.notebook = Notebook(uuid4().hex, self.path, conversation.id)
        self.notebook = replace(self.notebook, path=self.path or self.notebook.path, conversation=conversation.id)
        self.session = self._open(conversation)
        try:
            self.store.save_notebook(self.notebook)
        except StoreUnavailable as error:
            # the conversation can be read; what is asked now the session keeps in memory (rule 7)
            self.tell([str(error)])
        return self.session

    def _open(self, conversation: Conversation) -> Session:
        from ..session.session import Session

        place = self.notebook.id if self.notebook is not None else ""
        return Session(self.store, conversation, client=self.client, place=place)

    def _recognise(self, *, settle: bool) -> None:
        if self._before is not None and self.path is None:  # a path is recognised by the cells of its file
            self._resume(self._before)
            return
        running, lasting = self.cells.peek()
        decision = recognise(self.store, self.path, running, lasting=lasting)
        match decision:
            case Same(notebook):
                self._resume(notebook)
            case Renamed(notebook) if settle:
                self._resume(replace(notebook, path=self.path))
                self.tell([f"This notebook was {_short(notebook.path)} before; its conversation goes on here."])
            case Copied(source) if settle:
                self._copy(source)
            case New():
                self._elsewhere = _elsewhere(decision)
            case _:
                pass

    def _resume(self, notebook: Notebook) -> None:
        """Take up a known notebook; a conversation that is gone is as if there had been none."""
        self.notebook = notebook
        if notebook.conversation is None:
            return
        try:
            self.enter(self.store.conversation(notebook.conversation))
        except NotFound:
            self.notebook = replace(notebook, conversation=None)

    def _copy(self, source: Notebook) -> None:
        """Give a copied notebook a fork, in which its cells have made what the original's cells made.

        Where a cell made the original's conversation (`--fork`, `--fresh`), that cell is in the copy too and will make
        its own: the fork is of the conversation it came from.
        """
        if source.conversation is None:
            return
        try:
            conversation = self.store.conversation(source.conversation)
            while conversation.maker is not None and conversation.origin is not None:
                conversation = self.store.conversation(conversation.origin)
        except NotFound:
            return
        visited, tip = self.store.place(source.id, conversation.id)
        place = uuid4().hex
        fork, _ = self.store.fork(
            conversation.id, tip if visited else conversation.tip, place=place, notebooks={source.id: place}
        )
        from ..store import Notebook

        self.notebook = Notebook(place, self.path, fork.id)
        self.enter(fork)
        self.tell(
            [
                f"This notebook is a copy of {_short(source.path)}: it works in a fork of that conversation, "
                f"`{fork.name or fork.id}`; the original keeps its own."
            ]
        )

    # -- conversations that cells make -----------------------------------------------------------------------------

    def home(self, maker: Maker) -> Session:
        """The conversation that a cell runs in. A cell above one that made the open conversation (`--fork`,
        `--fresh`) has its turns in the one before it: the notebook goes back there, so a rerun makes no call."""
        session = self.begin()
        if session.tree.made_by(maker):
            return session
        conversation = session.conversation
        while conversation.maker is not None and conversation.origin is not None:
            try:
                conversation = self.store.conversation(conversation.origin)
            except NotFound:
                break
            if self._open(conversation).tree.made_by(maker):
                name = conversation.name or conversation.id
                self.tell([f"Back in conversation `{name}`, where this cell's answers are."])
                return self.enter(conversation)
        return session

    def made(
        self, maker: Maker, name: str | None, point: Callable[[Session], str | None] = lambda _session: None
    ) -> Session:
        """The conversation that this cell's `--fork NAME` (None: `--fresh`) made; made now if it was not yet.

        `point` gives the turn, in the conversation that is forked, whose path is copied (None: the tip).
        """
        begun = self.begin()
        names: list[str | None] = [None] if name is None else [name, f"{name}-{begun.place[:4]}"]
        for known in names:
            conversation = self.store.made_by(maker, known)
            if conversation is not None:
                return self.enter(conversation)
        source, default = begun, None
        if begun.conversation.maker == maker and begun.conversation.origin is not None:
            # the cell was edited: its other conversation is beside the new one, not above it
            source = self._open(self.store.conversation(begun.conversation.origin))
            default = begun.conversation.origin_turn
        if name is None:
            return self.fresh(source, maker)
        return self.fork(source, point(source) or default, name, maker=maker)

    def fresh(self, source: Session, maker: Maker | None = None) -> Session:
        """Work in an empty conversation that comes after `source`."""
        fresh = self.store.create(origin=source.id, origin_turn=source.tip, maker=maker)
        self.tell([f"A new conversation `{fresh.id}`; {typed('open', source.name)} returns."])
        return self.enter(fresh)

    def fork(self, source: Session, point: str | None, name: str, *, maker: Maker | None = None) -> Session:
        """Work in a copy of the path to `point`. The name is the nearest free one: a cell that runs in two notebooks
        means two conversations."""
        wanted = name
        candidates = (f"{wanted}-{source.place[:4]}", *(f"{wanted}-{n}" for n in range(2, 1000)))
        name = next(each for each in (wanted, *candidates) if not self._taken(each))
        if name != wanted:
            self.tell([f"Another conversation is called {wanted}: this one is `{name}`."])
        fork = source.fork(point, name, maker=maker)
        self.tell([f"Forked from `{source.name}` into `{fork.name}`; {typed('open', source.name)} returns."])
        return self.enter(fork.conversation)

    def _taken(self, name: str) -> bool:
        try:
            self.store.conversation(name)
        except NotFound:
            return False
        return True

    # -- errors ---------------------------------------------------------------------------------------------------

    @contextmanager
    def one_line(self) -> Iterator[None]:
        """Whatever fails inside is one line in the cell (rule 25), its trace kept for `%chat why`."""
        try:
            yield
        except (UsageError, Stopped):
            raise
        except KeyboardInterrupt:
            raise Stopped("Stopped; nothing was sent.", None) from None
        except ChatError as error:
            self.error = error
            raise
        except Exception as error:
            self.error = error
            text = " ".join(hide(str(error)).split())
            raise ChatError(
                f"jupyter_history failed ({type(error).__name__}: {text}); what was stored before is untouched. "
                "`%chat why` shows the trace."
            ) from error


def _parent(shell: InteractiveShell) -> Mapping[str, Any]:
    """The message that asked for the running cell; empty without a kernel."""
    kernel = getattr(shell, "kernel", None)
    return (kernel.get_parent() or {}) if kernel is not None else {}


def _elsewhere(new: New) -> list[str]:
    """Lines that name the conversations which somebody may look for in a new notebook."""
    met = [(new.instead_of, "Another notebook was at this path before")]
    if new.like is not None:
        met.append((new.like, f"Some cells of this notebook were in {_short(new.like.path)}"))
    return [
        f"{where}; {typed('open', notebook.conversation)} opens its conversation."
        for notebook, where in met
        if notebook is not None and notebook.conversation is not None
    ]


def _short(path: str | None) -> str:
    return path.replace("\\", "/").rpartition("/")[2] if path else "another notebook"
