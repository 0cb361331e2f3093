"""What the store costs, beside raw sqlite3 with the same pragmas on the same work in the same run.

    python benchmarks/store.py [--turns 2500] [--size 1000] [--branches 100] [--list 1000] [--dir FOLDER]

CPU is this process's own (median of the repetitions): other jobs and the disk's sync do not count in it, though a busy
machine makes it grow too; so read it beside raw's. A path is loaded when its last text can be read. Raw is a message
table with a parent column, a tip, and the standard json module: no summary, no places, no log of moves, no notebooks,
no checks, no index: it reads all to find a word.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_history.store import Basis, Store
from jupyter_history.transcript import Maker, Message, TurnRecord, Usage

_LETTERS = random.Random(3)
WORDS = ["".join(_LETTERS.choices("etaoinshrdlucm", k=_LETTERS.randint(2, 10))) for _ in range(20_000)]
"""As many as a long conversation has, used as often as words of a language are: the n-th 1/n times the first."""
OFTEN = list(itertools.accumulate(1 / n for n in range(1, len(WORDS) + 1)))
RARE = "zyzzyva"
Told = Sequence[Sequence[dict[str, Any]]]
"""The contents of messages."""
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000", "cache_size=-65536")


@dataclass
class Times:
    """CPU and wall in milliseconds, one of each a repetition."""

    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def measure(self, act: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = act()
        self.cpu.append((time.process_time() - cpu) * 1e3)
        self.wall.append((time.perf_counter() - wall) * 1e3)
        return result

    def __str__(self) -> str:
        return f"{statistics.median(self.cpu):7.2f} / {statistics.median(self.wall):7.2f}"


def text(rng: random.Random, size: int) -> str:
    return " ".join(rng.choices(WORDS, cum_weights=OFTEN, k=size // 2))[:size]


def contents(rng: random.Random, size: int) -> list[tuple[str, list[dict[str, Any]]]]:
    """The four messages of a turn with one tool call."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"what": text(rng, size - 80)}}
    return [
        ("user", [{"type": "text", "text": text(rng, size)}]),
        ("assistant", [{"type": "text", "text": "I look."}, call]),
        ("user", [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text(rng, size)}]),
        ("assistant", [{"type": "text", "text": text(rng, size)}]),
    ]


class Ours:
    def __init__(self, file: Path) -> None:
        self.file, self.store = file, Store.open(file)
        self.conversation = self.store.create("main").id
        self.basis = Basis(0, 0, None)
        self.ids = iter(self._ids())
        self.turns: list[str] = []

    @staticmethod
    def _ids() -> Any:
        rng = random.Random(7)
        while True:
            yield "b" + "".join(rng.choice("0123456789abcdefghjkmnpqrstvwxyz") for _ in range(5))

    def commit(self, told: list[tuple[str, list[dict[str, Any]]]]) -> None:
        id = next(self.ids)
        messages = tuple(Message(role, tuple(blocks), id, n) for n, (role, blocks) in enumerate(told))  # type: ignore[arg-type]
        record = TurnRecord(
            id,
            self.conversation,
            self.basis.tip,
            messages[0].text,
            messages,
            "offline",
            usage=Usage(100, 50),
            cost=0.01,
            maker=Maker("notebook", f"cell-{len(self.turns)}"),
            settings={"model": "offline"},
        )
        done = self.store.commit(record, place="notebook", basis=self.basis)
        self.basis = Basis(done.revision, done.n, id)
        self.turns.append(id)

    def branch(self, n: int) -> None:
        done = self.store.move(self.conversation, self.turns[n], place="notebook", basis=self.basis)
        self.basis = Basis(done.revision, self.basis.last, self.turns[n])

    def load(self) -> Told:
        return [message.content for record in self.store.path(self.basis.tip) for message in record.messages]

    def tail(self) -> Told:
        path = self.store.path(self.basis.tip, limit=200)
        return [message.content for record in path for message in record.messages]

    def fork(self, n: int) -> None:
        self.store.fork(self.conversation, self.turns[n])

    def conversations(self, count: int) -> None:
        for n in range(count):
            self.store.create(f"conversation {n}")

    def list(self) -> int:
        return len(self.store.conversations(limit=1000))

    def find(self, word: str) -> int:
        return len(self.store.find(word, 1))

    def settle(self) -> None:
        self.store.close()  # it opens again when it is used

    def close(self) -> None:
        self.store.close()


class Raw:
    def __init__(self, file: Path) -> None:
        self.file = file
        self.db = sqlite3.connect(file, isolation_level=None)
        for pragma in PRAGMAS:
            self.db.execute(f"PRAGMA {pragma}")
        self.db.executescript(
            "CREATE TABLE conversation (id INTEGER PRIMARY KEY, name TEXT UNIQUE, tip INTEGER, revision INTEGER,"
            " updated REAL);"
            "CREATE TABLE message (n INTEGER PRIMARY KEY, conversation INTEGER REFERENCES conversation(id),"
            " parent INTEGER REFERENCES message(n), role TEXT, body BLOB);"
            "CREATE INDEX message_by_parent ON message (conversation, parent)"
        )
        self.db.execute("INSERT INTO conversation VALUES (1, 'main', NULL, 0, 0)")
        self.tip: int | None = None
        self.turns: list[int] = []

    def commit(self, told: list[tuple[str, list[dict[str, Any]]]]) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        parent = self.tip
        for role, blocks in told:
            body = json.dumps(blocks, ensure_ascii=False).encode()
            values = (1, parent, role, body)
            parent = self.db.execute("INSERT INTO message VALUES (NULL, ?, ?, ?, ?)", values).lastrowid
        self._set(parent)
        self.turns.append(parent or 0)

    def _set(self, tip: int | None) -> None:
        values = (tip, time.time())
        self.db.execute("UPDATE conversation SET tip = ?, revision = revision + 1, updated = ? WHERE id = 1", values)
        self.db.execute("COMMIT")
        self.tip = tip

    def branch(self, n: int) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self._set(self.turns[n])

    def _path(self, tip: int | None, limit: int) -> list[tuple[str, bytes]]:
        rows = self.db.execute(
            "WITH RECURSIVE walk (n, parent, step) AS (SELECT n, parent, 1 FROM message WHERE n = ? UNION ALL"
            " SELECT m.n, m.parent, step + 1 FROM walk JOIN message m ON m.n = walk.parent WHERE step < ?)"
            " SELECT m.role, m.body FROM walk JOIN message m ON m.n = walk.n",
            (tip, limit),
        ).fetchall()
        return rows[::-1]

    def load(self) -> Told:
        return [json.loads(body) for _, body in self._path(self.tip, 10**9)]

    def tail(self) -> Told:
        return [json.loads(body) for _, body in self._path(self.tip, 200)]

    def fork(self, n: int) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        home = self.db.execute("INSERT INTO conversation VALUES (NULL, NULL, NULL, 0, 0)").lastrowid
        parent: int | None = None
        for role, body in self._path(self.turns[n], 10**9):
            values = (home, parent, role, body)
            parent = self.db.execute("INSERT INTO message VALUES (NULL, ?, ?, ?, ?)", values).lastrowid
        self.db.execute("UPDATE conversation SET tip = ? WHERE id = ?", (parent, home))
        self.db.execute("COMMIT")

    def conversations(self, count: int) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        rows = ((f"conversation {n}", time.time()) for n in range(count))
        self.db.executemany("INSERT INTO conversation VALUES (NULL, ?, NULL, 0, ?)", rows)
        self.db.execute("COMMIT")

    def list(self) -> int:
        return len(self.db.execute("SELECT * FROM conversation ORDER BY updated DESC LIMIT 1000").fetchall())

    def find(self, word: str) -> int:
        query = "SELECT n FROM message WHERE instr(lower(CAST(body AS TEXT)), ?) ORDER BY n DESC LIMIT 1"
        return len(self.db.execute(query, [word]).fetchall())

    def settle(self) -> None:
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self.settle()
        self.db.close()


def run(stores: dict[str, Ours | Raw], options: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Each piece of work on one store, then on the other, so that both meet the same machine."""
    table: dict[str, dict[str, str]] = {}

    def row(name: str, act: Callable[[Any, int], Any], times: int) -> None:
        spent = {who: Times() for who in stores}
        for n in range(times):
            for who, store in stores.items():
                spent[who].measure(lambda store=store, n=n: act(store, n))  # type: ignore[misc]
        table[name] = {who: str(spent[who]) for who in stores}

    rng = random.Random(1)
    told = [contents(rng, options.size) for _ in range(options.turns)]
    told[0][0][1][0]["text"] += f" {RARE}"  # in the oldest turn: the farthest to look
    row("turn of 4 messages", lambda store, n: store.commit(told[n]), options.turns)
    row("load the whole path", lambda store, n: read(store.load(), 4 * options.turns), 9)
    row("tail of 200 messages", lambda store, n: read(store.tail(), min(200, 4 * options.turns)), 30)
    row("find a word said once", lambda store, n: check(store.find(RARE), 1), 9)
    sizes = {who: size(store) for who, store in stores.items()}
    table["size, MB"] = {who: f"{mb:7.2f}" for who, mb in sizes.items()}
    table["size of raw"] = {who: f"{mb / sizes['raw']:7.2f} x" for who, mb in sizes.items()}
    step = max(1, options.turns // options.branches)
    row("branch", lambda store, n: store.branch((n * step) % options.turns), options.branches)
    at = min(options.turns, 250) - 1
    row(f"fork of {4 * (at + 1)} messages", lambda store, n: store.fork(at), 5)
    for store in stores.values():
        store.conversations(options.list)
    row(f"list of {min(1000, options.list)}", lambda store, n: store.list(), 20)
    for store in stores.values():
        store.close()
    return table


def read(told: Told, expected: int) -> Told:
    """Look at every text, so that none is left for later. What was read is given back: freeing it is no part of it."""
    assert all(block.get("text") or block.get("content") or block["input"] for content in told for block in content)
    check(len(told), expected)
    return told


def check(found: int, expected: int) -> None:
    assert found == expected, f"{found}, not {expected}"


def size(store: Ours | Raw) -> float:
    """Megabytes of the database with all of its log written back, as it is when it was closed."""
    store.settle()
    return store.file.stat().st_size / 1e6


TARGETS = {"turn": "3", "load": "60", "tail": "2", "branch": "1", "fork": "40", "list": "3", "size of": "1.2 x"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2500, help="turns of four messages on the path")
    parser.add_argument("--size", type=int, default=1000, help="characters of a message")
    parser.add_argument("--branches", type=int, default=100)
    parser.add_argument("--list", type=int, default=1000, help="conversations")
    parser.add_argument("--dir", type=Path, help="where to put the databases (default: the temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        stores: dict[str, Ours | Raw] = {"store": Ours(Path(folder) / "ours.db"), "raw": Raw(Path(folder) / "raw.db")}
        table = run(stores, options)
    print(f"{4 * options.turns} messages of {options.size} characters; CPU / wall, median, ms")
    print(f"{'':24}{'store':>20}{'raw sqlite3':>20}{'to reach, CPU':>16}")
    for name, cells in table.items():
        goal = next((goal for start, goal in TARGETS.items() if name.startswith(start)), "")
        print(f"{name:24}{cells['store']:>20}{cells['raw']:>20}{goal:>16}")


if __name__ == "__main__":
    main()
