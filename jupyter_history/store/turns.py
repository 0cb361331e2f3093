"""Turns: stored whole with their messages, read back as they were."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, text

from ..errors import BadInput, BrokenChain, NotFound
from ..transcript import Maker, Message, TurnRecord, Usage, at_boundary
from . import bodies, checkpoints, collector, conversations, ids, index, moves
from .records import Basis, Committed, Marks
from .schema import SPAN, AnyRow, blob
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
BODIES = (messages.c.n, messages.c.turn, messages.c.role, messages.c.body, blob.c.data)
"""A message's row as `records` reads it: the body is in one of the last two."""

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
_BODIES_BY_IDS = (
    select(*BODIES)
    .select_from(
        table.join(messages, messages.c.n.between(table.c.n * SPAN, table.c.n * SPAN + (SPAN - 1))).outerjoin(blob)
    )
    .where(table.c.id.in_(bindparam("ids", expanding=True)))
)
_NUMBER = itemgetter(0)
_MANY = 500
"""Values in one IN list."""


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
    if not turn.messages or turn.messages[-1].calls or not (turn.outcome == "stopped" or at_boundary(turn.messages)):
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
    return Committed(conversation.revision + 1, n, others, elsewhere, moved)


def insert_turn(connection: Connection, turn: TurnRecord, depth: int, question: str | None = None) -> int:
    """The rows of a turn, its messages and its words; its number. The tip is the caller's."""
    n = _insert(connection, turn, depth, question or bodies.question(turn.prompt, turn.settings))
    index.add(connection, n, turn)
    return n


def load(connection: Connection, wanted: Sequence[str]) -> list[TurnRecord]:
    """These turns, in the order asked."""
    found: dict[str, TurnRecord] = {}
    with collector.paused():
        for some in chunks(wanted):
            rows = connection.execute(_BY_IDS, {"ids": some}).all()
            texts = connection.execute(_BODIES_BY_IDS, {"ids": some}).all()
            found.update((record.id, record) for record in records(rows, texts))
    missing = [id for id in wanted if id not in found]
    if missing:
        raise NotFound(f"No turn has the id {missing[0]!r}. `%chat tree` lists them.")
    return [found[id] for id in wanted]


def records(rows: Iterable[AnyRow], texts: Iterable[AnyRow]) -> list[TurnRecord]:
    """Turns from rows of `COLUMNS` and, in any order, rows of `BODIES`."""
    rows = list(rows)
    ids = {row[0]: row[3] for row in rows}
    told: dict[int, list[Message]] = {n: [] for n in ids}
    unpack = bodies.unpack
    for n, turn, role, body, shared in sorted(texts, key=_NUMBER):
        told[turn].append(Message(role, tuple(unpack(body or shared)), ids[turn], n - turn * SPAN))
    return [_record(row, tuple(told[row[0]])) for row in rows]


def _record(row: AnyRow, told: tuple[Message, ...]) -> TurnRecord:
    (
        _n, _depth, count, id, conversation, parent, prompt, model, outcome, read, written, cache_read, cache_write,
        cache_write_1h, cost, seconds, created, notebook, cell, ordinal, settings, inherited, context, window,
        stop_reason, error,
    ) = row  # fmt: skip
    if len(told) != count:
        raise BrokenChain(
            f"The turn {id} was stored with {count} messages and has {len(told)} now: a damaged database."
        )
    return TurnRecord(
        id,
        conversation,
        parent,
        told[0].text if prompt is None else prompt.decode(),
        told,
        model,
        outcome,
        Usage(read, written, cache_read, cache_write, cache_write_1h),
        cost,
        seconds,
        created,
        Maker(notebook, cell, ordinal) if cell is not None else None,
        bodies.unpack_settings(settings),
        bodies.unpack_settings(inherited),
        context,
        window,
        stop_reason,
        error,
    )


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
