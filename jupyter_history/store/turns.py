"""Turns: stored whole with their messages, read back as they were."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, text

from ..errors import BadInput, BrokenChain, NotFound
from ..transcript import Block, Maker, Message, TurnRecord, Usage, whole
from . import bodies, checkpoints, collector, columns, conversations, failures, ids, index, moves
from .records import Basis, Committed, Marks
from .schema import SPAN, AnyRow
from .schema import message as messages
from .schema import turn as table

COLUMNS = (
    table.c.n,
    table.c.depth,
    table.c.messages,
    table.c.id,
    table.c.conversation,
    table.c.parent,
    table.c.prompt,
    table.c.model,
    table.c.outcome,
    table.c.input,
    table.c.output,
    table.c.cache_read,
    table.c.cache_write,
    table.c.cache_write_1h,
    table.c.cost,
    table.c.seconds,
    table.c.created,
    table.c.maker_notebook,
    table.c.maker_cell,
    table.c.maker_ordinal,
    table.c.settings,
    table.c.inherited,
    table.c.context,
    table.c.window,
    table.c.stop_reason,
    table.c.error,
)
"""A turn's row as `records` reads it."""

_INSERT = insert(table)
_INSERT_MESSAGES = insert(messages)
_KNOWN = select(table.c.n, table.c.conversation, table.c.parent, table.c.question).where(table.c.id == bindparam("id"))
_PARENT = select(table.c.conversation, table.c.depth).where(table.c.id == bindparam("id"))
_BESIDE = (
    select(table.c.id)
    .where(
        table.c.conversation == bindparam("conversation"),
        table.c.parent.is_not_distinct_from(bindparam("parent")),
        table.c.n > bindparam("last"),
        table.c.n < bindparam("n"),
    )
    .order_by(table.c.n)
)
KEEP = text("INSERT INTO blob (sha, data) VALUES (:sha, :data) ON CONFLICT DO NOTHING")
_TAKEN = select(table.c.id).where(table.c.id.in_(bindparam("ids", expanding=True)))
_BY_IDS = select(*COLUMNS).where(table.c.id.in_(bindparam("ids", expanding=True)))
_TOLD = (
    "SELECT m.n, m.role, coalesce(m.body, (SELECT data FROM blob WHERE sha = m.blob)) FROM {numbers} "
    f"JOIN message AS m ON m.n BETWEEN asked.value * {SPAN} AND asked.value * {SPAN} + {SPAN - 1}"
)
_MESSAGES = {
    "sqlite": text(_TOLD.format(numbers="json_each(:turns) AS asked")),
    "postgresql": text(_TOLD.format(numbers="unnest(CAST(:turns AS bigint[])) AS asked (value)")),
}
"""The messages of the turns whose numbers are given, in no order."""
_NUMBER = itemgetter(0)
_MANY = 500
"""Values in one IN list, and messages that are decoded at once."""


def fresh_ids(connection: Connection, count: int) -> list[str]:
    """So many different turn ids that no turn has."""
    found: set[str] = set()
    while len(found) < count:
        drawn = {ids.draw(ids.TURN) for _ in range(count - len(found))} - found
        for some in chunks(sorted(drawn)):
            drawn -= set(connection.execute(_TAKEN, {"ids": some}).scalars())
        found |= drawn
    return list(found)


def commit(connection: Connection, turn: TurnRecord, place: str, basis: Basis, marks: Marks) -> Committed:
    """See `Store.commit`. The turn's messages are numbered here, in the order they stand."""
    if not whole(turn):
        raise BadInput(f"The turn {turn.id} does not end at a turn boundary; nothing was stored.")
    conversation = conversations.lock(connection, turn.conversation)
    question = bodies.question(turn.prompt, turn.settings)
    known = connection.execute(_KNOWN, {"id": turn.id}).first()
    if known is not None:
        if tuple(known[1:]) != (turn.conversation, turn.parent, question):
            raise BadInput(f"The id {turn.id} is taken by another turn; nothing was stored. Run the cell again.")
        return Committed(conversation.revision, known[0])
    n = insert_turn(connection, turn, _depth(connection, turn), question)
    beside = connection.execute(
        _BESIDE, {"conversation": turn.conversation, "parent": turn.parent, "last": basis.last, "n": n}
    )
    others = tuple(beside.scalars())
    checkpoints.leave(connection, turn.conversation, marks)
    failures.away(connection, turn.id)
    elsewhere, moved = moves.settle(
        connection,
        conversation,
        marks.to if marks.rewound else turn.id,
        place,
        basis,
        turns=conversation.turns + 1,
        cost=conversation.cost + (turn.cost or 0.0),
        title=conversation.title or bodies.title(turn.prompt),
        updated=time.time(),
    )
    return Committed(conversations.revision(connection, turn.conversation), n, others, elsewhere, moved)


def insert_turn(connection: Connection, turn: TurnRecord, depth: int, question: str | None = None) -> int:
    """The rows of a turn, its messages and its words; its number. The tip is the caller's."""
    n = _insert(connection, turn, depth, question or bodies.question(turn.prompt, turn.settings))
    index.add(connection, n, turn)
    return n


def load(connection: Connection, wanted: Sequence[str]) -> list[TurnRecord]:
    """These turns, in the order asked."""
    with collector.paused():
        rows = [row for some in chunks(wanted) for row in connection.execute(_BY_IDS, {"ids": some})]
        found = {record.id: record for record in records(connection, rows)}
    missing = [id for id in wanted if id not in found]
    if missing:
        raise NotFound(f"No turn has the id {missing[0]!r}. `%chat tree` lists them.")
    return [found[id] for id in wanted]


def records(connection: Connection, rows: Iterable[AnyRow]) -> list[TurnRecord]:
    """Turns whole, from rows that begin with `COLUMNS`; in the order of commit, which is a path's order too.

    BrokenChain where a message is missing.
    """
    rows = sorted(rows, key=_NUMBER)
    if not rows:
        return []
    (
        n, _depth, count, id, conversation, parent, prompt, model, outcome, read, written, cache_read, cache_write,
        cache_write_1h, cost, seconds, created, notebook, cell, ordinal, settings, inherited, context, window,
        stop_reason, error, *_,
    ) = zip(*rows, strict=True)  # fmt: skip
    told = _messages(connection, n, count, id)
    return columns.records(
        TurnRecord,
        id,
        conversation,
        parent,
        [told[0].text if text is None else text.decode() for told, text in zip(told, prompt, strict=True)],
        told,
        model,
        outcome,
        columns.records(Usage, read, written, cache_read, cache_write, cache_write_1h),
        cost,
        seconds,
        created,
        [Maker(*maker) if maker[1] is not None else None for maker in zip(notebook, cell, ordinal, strict=True)],
        [bodies.unpack_settings(text) for text in settings],
        [bodies.unpack_settings(text) for text in inherited],
        context,
        window,
        stop_reason,
        error,
    )


def _messages(
    connection: Connection, numbers: Sequence[int], counts: Sequence[int], ids: Sequence[str]
) -> list[tuple[Message, ...]]:
    """The messages of each of these turns, whose numbers ascend."""
    kind = connection.dialect.name
    asked = {"turns": json.dumps(numbers) if kind == "sqlite" else list(numbers)}
    found: list[tuple[int, str, tuple[Block, ...]]] = []
    for rows in connection.execute(_MESSAGES[kind], asked).partitions(_MANY):  # few texts are here in both forms
        places, roles, contents = zip(*rows, strict=True)
        found += zip(places, roles, bodies.unpack_contents(contents), strict=True)
    found.sort(key=_NUMBER)
    places, roles, contents = zip(*found, strict=True) if found else ((), (), ())
    indexes = [index for count in counts for index in range(count)]
    homes = [home for home in zip(numbers, ids, counts, strict=True) for _ in range(home[2])]
    if list(places) != [n * SPAN + index for (n, _, _), index in zip(homes, indexes, strict=True)]:
        raise _damaged(places, numbers, counts, ids)
    told = iter(columns.records(Message, roles, contents, [id for _, id, _ in homes], indexes))
    return [tuple(islice(told, count)) for count in counts]


def _damaged(places: Iterable[int], numbers: Sequence[int], counts: Sequence[int], ids: Sequence[str]) -> BrokenChain:
    here = Counter(place // SPAN for place in places)
    id, stored, left = next(
        (id, count, here[n]) for n, count, id in zip(numbers, counts, ids, strict=True) if here[n] != count
    )
    return BrokenChain(f"The turn {id} was stored with {stored} messages and has {left} now: a damaged database.")


def chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(values), _MANY):
        yield values[start : start + _MANY]


def _depth(connection: Connection, turn: TurnRecord) -> int:
    if turn.parent is None:
        return 1
    row = connection.execute(_PARENT, {"id": turn.parent}).first()
    if row is None:
        raise BrokenChain(f"The turn {turn.id} continues from {turn.parent}, which is not here; it was not stored.")
    if row[0] != turn.conversation:
        raise BrokenChain(
            f"The turn {turn.id} of conversation {turn.conversation} continues from {turn.parent}, which is in "
            f"{row[0]}; it was not stored."
        )
    return int(row[1]) + 1


def _insert(connection: Connection, turn: TurnRecord, depth: int, question: str) -> int:
    prompt = bodies.pack_text(turn.prompt)
    maker, usage = turn.maker, turn.usage
    result = connection.execute(
        _INSERT,
        {
            "id": turn.id,
            "conversation": turn.conversation,
            "parent": turn.parent,
            "depth": depth,
            "messages": len(turn.messages),
            "question": question,
            "title": bodies.title(turn.prompt),
            "prompt": None if prompt == bodies.pack_text(turn.messages[0].text) else prompt,
            "model": turn.model,
            "outcome": turn.outcome,
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
            "cache_write_1h": usage.cache_write_1h,
            "cost": turn.cost,
            "seconds": turn.seconds,
            "created": turn.created,
            "maker_notebook": maker.notebook if maker else None,
            "maker_cell": maker.cell if maker else None,
            "maker_ordinal": maker.ordinal if maker else None,
            "settings": bodies.pack_settings(turn.settings),
            "inherited": bodies.pack_settings(turn.inherited),
            "context": turn.context,
            "window": turn.window,
            "stop_reason": turn.stop_reason,
            "error": None if turn.error is None else bodies.one_line(turn.error),
        },
    )
    assert result.inserted_primary_key is not None
    n = int(result.inserted_primary_key[0])
    connection.execute(
        _INSERT_MESSAGES,
        [_message_row(connection, n, index, message) for index, message in enumerate(turn.messages)],
    )
    return n


def _message_row(connection: Connection, turn: int, index: int, message: Message) -> dict[str, Any]:
    body: bytes | None = bodies.pack_content(message.content)
    shared = None
    if body is not None and len(body) > bodies.LARGE:
        shared, body = _keep(connection, body), None
    return {"n": turn * SPAN + index, "turn": turn, "role": message.role, "body": body, "blob": shared}


def _keep(connection: Connection, data: bytes) -> bytes:
    """Store a large body under its hash, unless it is there already."""
    sha = bodies.sha(data)
    connection.execute(KEEP, {"sha": sha, "data": data})
    return sha
