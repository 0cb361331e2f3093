"""`Store`: the session tree as its users see it. One method, one transaction; the work is done in the modules named."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ..errors import StoreUnavailable
from ..transcript import Maker, Overlay, TurnRecord
from . import (
    batches,
    bundles,
    carry,
    checkpoints,
    conversations,
    disks,
    failures,
    forks,
    ids,
    integrity,
    labels,
    moves,
    notebooks,
    overlays,
    paths,
    pictures,
    search,
    topology,
    turns,
)
from .engine import Database, locate
from .records import Basis, Batch, Bundle, Checkpoint, Committed, Conversation, Found, Listed, Marks, Notebook, Topology

_QUICK = 1.0
"""Seconds a failed try may take and be made again with the very next prompt."""


class Store:
    """A database of conversations. Making one touches nothing; the first use connects, and so does `Store.open`.

    Every method may raise `StoreUnavailable` (one line: what is wrong with which file, what to do). None of them leaves
    anything half done.
    """

    def __init__(self, where: str | Path | None = None, *, mounts: Path = disks.MOUNTS) -> None:
        self._database = Database(locate(where), mounts)
        self._wanted: Database | None = None
        self._waiting = ""
        self._next_try = 0.0

    @classmethod
    def open(cls, where: str | Path | None = None) -> Store:
        """The store at a path, a SQLAlchemy URL or ":memory:".

        None is $JUPYTER_HISTORY_STORE, or `history.db` in the platform's folder for a user's data.
        """
        store = cls(where)
        store._database.connect()
        return store

    @classmethod
    def stand_in(cls, where: str | Path | None, reason: StoreUnavailable) -> Store:
        """A store in memory for one that cannot be had now, until `come_back` finds that it can (rule 7)."""
        store = cls.open(":memory:")
        store._wanted, store._waiting = Database(locate(where)), str(reason)
        return store

    @property
    def url(self) -> str:
        """Where it is, without a password."""
        return self._database.url.render_as_string(hide_password=True)

    @property
    def waiting(self) -> str:
        """Why this store is only in memory, one line; empty if it is where it should be."""
        return self._waiting

    @property
    def caution(self) -> str:
        """What to know about where it is, one line; mostly empty."""
        if self._database.network is None:
            return ""
        return (
            f"on a network file system ({self._database.network}): safe but slower, and best used by one kernel at a "
            f"time. A local path in JUPYTER_HISTORY_STORE, or PostgreSQL (docs/hub.md), is better"
        )

    def come_back(self) -> tuple[str, ...]:
        """Put what was kept in memory where it should have been, if that can be had now; the lines that say so.

        A try that failed slowly (a server that does not answer) is not made again at once: the longer it took, the
        later.
        """
        if self._wanted is None or time.monotonic() < self._next_try:
            return ()
        began = time.monotonic()
        try:
            with self._database.read() as source, self._wanted.write() as target:
                renamed = carry.carry(source, target)
        except StoreUnavailable as error:
            self._waiting = str(error)
            self._next_try = time.monotonic() + 20 * max(0.0, time.monotonic() - began - _QUICK)
            return ()
        self._database, self._wanted, self._waiting = self._wanted, None, ""
        names = (f"`{old}` is called `{new}` there, since its name was taken." for old, new in renamed.items())
        return (f"Saved now, in {self._database.name}: all that was kept in memory.", *names)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self._database.name!r})"

    def new_id(self) -> str:
        """An id for a turn that is not taken; unchecked where the database cannot be asked."""
        try:
            with self._database.read() as connection:
                return turns.fresh_ids(connection, 1)[0]
        except StoreUnavailable:
            return ids.draw(ids.TURN)

    # Conversations

    def create(
        self,
        name: str | None = None,
        *,
        title: str = "",
        origin: str | None = None,
        origin_turn: str | None = None,
        maker: Maker | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """A new, empty conversation. BadInput if the name is taken."""
        with self._database.write() as connection:
            return conversations.create(
                connection, name, title=title, origin=origin, origin_turn=origin_turn, maker=maker, settings=settings
            )

    def conversation(self, id_or_name: str) -> Conversation:
        """NotFound, listing near names, if there is none."""
        with self._database.read() as connection:
            return conversations.find(connection, id_or_name)

    def conversations(self, archived: bool = False, limit: int | None = None) -> list[Listed]:
        """Newest first."""
        with self._database.read() as connection:
            return conversations.list_(connection, archived, limit)

    def made_by(self, maker: Maker, name: str | None) -> Conversation | None:
        """The conversation that this cell's `--fork NAME` (`name`) or `--fresh` (None) made."""
        with self._database.read() as connection:
            return conversations.made_by(connection, maker, name)

    def rename(self, conversation: str, name: str | None) -> None:
        with self._database.write() as connection:
            conversations.rename(connection, conversation, name)

    def archive(self, conversation: str, on: bool = True) -> None:
        with self._database.write() as connection:
            conversations.archive(connection, conversation, on)

    def configure(self, conversation: str, settings: Mapping[str, Any]) -> None:
        """Set the conversation's explicit settings, all of them."""
        with self._database.write() as connection:
            conversations.configure(connection, conversation, settings)

    # The tree

    def topology(self, conversation: str, after_turn: int = 0, after_visit: int = 0) -> Topology:
        """The shape of a conversation: heads with n > `after_turn`, visits with seq > `after_visit`, all labels."""
        with self._database.read() as connection:
            return topology.topology(connection, conversation, after_turn, after_visit)

    def revision(self, conversation: str) -> int:
        """What `Basis.revision` is compared with; it grows with every change, whoever made it."""
        with self._database.read() as connection:
            return conversations.revision(connection, conversation)

    def place(self, place: str, conversation: str) -> tuple[bool, str | None]:
        """Whether this place was ever in this conversation, and its tip."""
        with self._database.read() as connection:
            return moves.place(connection, place, conversation)

    def turn(self, id: str) -> TurnRecord:
        return self.turns([id])[0]

    def turns(self, ids: Iterable[str]) -> list[TurnRecord]:
        """These turns with their messages, in the order asked. NotFound if one is missing."""
        with self._database.read() as connection:
            return turns.load(connection, list(ids))

    def path(self, turn: str | None, limit: int | None = None, tokens: int | None = None) -> list[TurnRecord]:
        """From the root to `turn`; of a longer path the newest turns that hold at most `limit` messages and `tokens`
        tokens (a third of their bytes). The last turn is always there. What is left out is not read."""
        with self._database.read() as connection:
            return paths.path(connection, turn, limit, tokens)

    def commit(self, turn: TurnRecord, *, place: str, basis: Basis, marks: Marks | None = None) -> Committed:
        """Store a turn whole, with what it leaves, and move the place's tip to it, in one transaction (rule 2).

        A conflict never refuses the turn (rule 5). Committing the same turn twice changes nothing.
        """
        with self._database.write() as connection:
            return turns.commit(connection, turn, place, basis, marks or Marks())

    def move(self, conversation: str, turn: str | None, *, place: str, basis: Basis) -> Committed:
        """A branch (rule 3): the tip goes to `turn`, and nothing else. NotFound if that is not in this conversation."""
        with self._database.write() as connection:
            return moves.move(connection, conversation, turn, place, basis)

    def fork(
        self,
        conversation: str,
        turn: str | None,
        *,
        name: str | None = None,
        maker: Maker | None = None,
        place: str = "",
        notebooks: Mapping[str, str] | None = None,
    ) -> tuple[Conversation, dict[str, str]]:
        """Copy the path to `turn` into a new conversation under new ids (rule 4); also the map of old ids to new ones.

        `notebooks` renames the notebooks of the copies' makers (a notebook file that was copied).
        """
        with self._database.write() as connection:
            return forks.fork(connection, conversation, turn, name, maker, place, notebooks or {})

    def picture(self, key: bytes) -> bytes | None:
        """The page that was painted from what `key` is the hash of, as it was first sent."""
        with self._database.read() as connection:
            return pictures.picture(connection, key)

    def keep_pictures(self, painted: Mapping[bytes, bytes]) -> None:
        """Keep pages under their hashes; one that is there already stays as it is."""
        with self._database.write() as connection:
            pictures.keep(connection, painted)

    def label(self, turn: str, name: str | None) -> None:
        """Let `name` point at this turn, and at no other of its conversation; None removes the turn's labels."""
        with self._database.write() as connection:
            labels.label(connection, turn, name)

    def attempt(self, turn: TurnRecord) -> None:
        """Record a prompt before it is sent, beside the tree: what is left of it where the kernel is killed meanwhile.

        `failed` has it, without an error, until its id is committed, failed or withdrawn.
        """
        with self._database.write() as connection:
            failures.attempt(connection, turn)

    def withdraw(self, id: str) -> None:
        """Take the record of an attempt away: it was not sent."""
        with self._database.write() as connection:
            failures.away(connection, id)

    def fail(self, turn: TurnRecord) -> None:
        """Record a turn that came to nothing, beside the tree."""
        with self._database.write() as connection:
            failures.fail(connection, turn)

    def failed(self, conversation: str) -> list[TurnRecord]:
        """The turns that came to nothing, oldest first; without an `error`: on its way, or its kernel was killed."""
        with self._database.read() as connection:
            return failures.failed(connection, conversation)

    def add_overlays(self, conversation: str, overlays_: Sequence[Overlay]) -> None:
        with self._database.write() as connection:
            overlays.add(connection, conversation, overlays_)

    def overlays(self, conversation: str) -> list[Overlay]:
        """All decisions of the ladder in this conversation, oldest first."""
        with self._database.read() as connection:
            return overlays.overlays(connection, conversation)

    # Checkpoints and kept results

    def checkpoints(self, conversation: str) -> list[Checkpoint]:
        """All checkpoints of a conversation, consumed ones too, oldest first."""
        with self._database.read() as connection:
            return checkpoints.of(connection, conversation)

    def mark(self, conversation: str, label: str, turn: str) -> None:
        """Set a checkpoint at the end of a turn."""
        with self._database.write() as connection:
            checkpoints.mark(connection, conversation, label, turn)

    def rewind(self, conversation: str, checkpoint: Checkpoint, *, place: str, basis: Basis) -> Committed:
        """Move the tip to a checkpoint and consume it, in one transaction."""
        with self._database.write() as connection:
            done = moves.move(connection, conversation, checkpoint.target, place, basis)
            checkpoints.consume(connection, conversation, checkpoint.n)
            return done

    def kept(self, name: str) -> str | None:
        """The whole text of a tool's result that was shortened, by the name its stub gives."""
        with self._database.read() as connection:
            return checkpoints.kept(connection, name)

    # Message Batches

    def begin_batch(self, conversation: str, asked: Mapping[str, Any]) -> Batch:
        """Note that a batch is about to be sent (state "sending"): to be called before the request goes out.

        `asked` is JSON: what the turns will be made of. NotFound if there is no such conversation.
        """
        with self._database.write() as connection:
            return batches.begin(connection, conversation, asked)

    def batch_sent(self, id: str, provider: str) -> None:
        """Note the provider's id of a batch: it is waiting. One that was closed meanwhile stays closed."""
        with self._database.write() as connection:
            batches.sent(connection, id, provider)

    def close_batch(self, id: str, state: Literal["filed", "refused", "dropped"] = "filed") -> None:
        """Wait for a batch no longer. Closing twice changes nothing."""
        with self._database.write() as connection:
            batches.close(connection, id, state)

    def batches(self, conversation: str, closed: bool = False) -> list[Batch]:
        """The batches of a conversation that are sending or waiting, with `closed` all of them; oldest first."""
        with self._database.read() as connection:
            return batches.of(connection, conversation, closed)

    def find(self, text: str, limit: int = 20, conversation: str | None = None) -> list[Found]:
        """The turns on all branches of all conversations, or of one, that have all words of `text` (words that begin
        with them) in the prompt, the answer or a tool's call and result; newest first.

        Case never counts; accents, and punctuation inside a word, where `text` has them.
        """
        with self._database.read() as connection:
            return search.find(connection, text, limit, conversation)

    # Out and in

    def bundle(self, conversation: str) -> Bundle:
        """A whole conversation, read in one snapshot."""
        with self._database.read() as connection:
            return bundles.read(connection, conversation)

    def bring(self, bundle: Bundle, name: str | None = None) -> tuple[Conversation, dict[str, str]]:
        """Store a whole conversation under new ids, all or nothing; also the map of its ids to the new ones.

        Where `name` is taken it becomes name-2 and so on.
        """
        with self._database.write() as connection:
            return bundles.write(connection, bundle, name)

    # Notebooks

    def notebook(self, id: str) -> Notebook | None:
        with self._database.read() as connection:
            return notebooks.notebook(connection, id)

    def save_notebook(self, notebook: Notebook) -> None:
        with self._database.write() as connection:
            notebooks.save(connection, notebook)

    def notebooks_with(self, cells: Iterable[str]) -> list[tuple[Notebook, int]]:
        """The notebooks that made turns with some of these cell ids, and with how many; best first."""
        with self._database.read() as connection:
            return notebooks.having(connection, list(cells))

    def notebooks_at(self, path: str) -> list[Notebook]:
        """The notebooks that were last seen at this path, the one that talked last first."""
        with self._database.read() as connection:
            return notebooks.at(connection, path)

    def problems(self) -> list[str]:
        """What is wrong inside the database, one line each; none in a sound one."""
        with self._database.read() as connection:
            return integrity.problems(connection)
