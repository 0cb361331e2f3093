"""What `%chat find` asks: turns by their words, wherever they are. The index gives candidates, their texts decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, bindparam, select, text

from ..transcript import TurnRecord
from . import conversations, turns, words
from .records import Found
from .schema import turn

_ASK = {
    "sqlite": text("SELECT rowid FROM words WHERE words MATCH :query AND rowid < :below ORDER BY rowid DESC LIMIT 20"),
    "postgresql": text(
        "SELECT turn FROM words WHERE words @@ CAST(:query AS tsquery) AND turn < :below ORDER BY turn DESC LIMIT 20"
    ),
}
_IDS = select(turn.c.id).where(turn.c.n.in_(bindparam("numbers", expanding=True))).order_by(turn.c.n.desc())
_HERE = _IDS.where(turn.c.conversation == bindparam("conversation"))
_EDGES = select(turn.c.id, turn.c.parent).where(turn.c.conversation == bindparam("conversation")).order_by(turn.c.n)
_END = 2**62


def find(connection: Connection, wanted: str, limit: int, conversation: str | None) -> list[Found]:
    """See `Store.find`."""
    terms, literals = words.terms(wanted), words.literals(wanted)
    if not terms:
        return []
    homes: dict[str, _Home] = {}
    found: list[Found] = []
    for record in _candidates(connection, terms, conversation):
        texts = [(what, piece) for what, piece in words.pieces(record) if _some(piece, terms, literals)]
        if not _has(texts, terms, literals):
            continue  # each pair of characters is there, the run is not
        if record.conversation not in homes:
            homes[record.conversation] = _Home(connection, record.conversation)
        home = homes[record.conversation]
        what, piece = max(texts, key=lambda each: sum(term in words.fold(each[1]) for term in terms))
        found.append(
            Found(
                home.conversation,
                record.id,
                what,
                words.snippet(piece, literals + terms),
                record.created,
                record.id in home.path,
                home.end(record.id),
            )
        )
        if len(found) == limit:
            break
    return found


def _some(piece: str, terms: list[str], literals: list[str]) -> bool:
    folded = words.fold(piece)
    return any(term in folded for term in terms) or (
        bool(literals) and any(part in words.written(piece) for part in literals)
    )


def _has(texts: Sequence[tuple[str, str]], terms: list[str], literals: list[str]) -> bool:
    folded = "\n".join(words.fold(piece) for _, piece in texts)
    if not all(term in folded for term in terms):
        return False
    return not literals or all(part in "\n".join(words.written(piece) for _, piece in texts) for part in literals)


def _candidates(connection: Connection, terms: list[str], conversation: str | None) -> Iterator[TurnRecord]:
    """The turns (of one conversation) that have words beginning with all prefixes of the terms, newest first."""
    kind, asked = connection.dialect.name, list(dict.fromkeys(p for term in terms for p in words.prefixes(term)))
    form, and_ = ('"{}"*', " AND ") if kind == "sqlite" else ("'{}':*", " & ")
    query, below = and_.join(form.format(prefix) for prefix in asked), _END
    while True:
        numbers = list(connection.execute(_ASK[kind], {"query": query, "below": below}).scalars())
        if not numbers:
            return
        below = numbers[-1]
        home = {} if conversation is None else {"conversation": conversation}
        ids = connection.execute(_HERE if home else _IDS, {"numbers": numbers, **home}).scalars()
        yield from turns.load(connection, list(ids))


class _Home:
    """A conversation in which something was found: its path, and where its branches end."""

    def __init__(self, connection: Connection, id: str) -> None:
        self.conversation = conversations.get(connection, id)
        parents: dict[str, str | None] = dict(connection.execute(_EDGES, {"conversation": id}).all())
        self._newest = {parent: turn for turn, parent in parents.items()}  # in the order of commit: the last one stays
        self.path: set[str] = set()
        step = self.conversation.tip
        while step is not None:
            self.path.add(step)
            step = parents[step]

    def end(self, turn: str) -> str:
        """The last turn of the newest branch through `turn`."""
        while turn in self._newest:
            turn = self._newest[turn]
        return turn
