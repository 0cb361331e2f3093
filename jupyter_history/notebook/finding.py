"""`%chat find`: a text, wherever it was said (rule 23: no model is called, nothing moves)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ..store.words import terms
from .command import Said, command
from .moving import count
from .spelling import typed

if TYPE_CHECKING:
    from ..store import Found
    from .magics import ChatMagics

SHOWN = 20


@command("find TEXT", "search all branches of all conversations", words=(1, 100))
def find(magics: ChatMagics, words: list[str]) -> Said:
    wanted, store = " ".join(words), magics.current.store
    found = store.find(wanted, SHOWN + 1)
    if not terms(wanted):
        return Said(f"{wanted!r} has no word, number or sign (an emoji, a currency) to look for.")
    if not found:
        return Said(
            f"Nothing said in any conversation has {wanted!r}, or words that begin so.",
            next="`%chat list` shows the conversations",
        )
    here = magics.current.find()
    lines: list[str] = []
    for each in found[:SHOWN]:
        at_home = here is not None and here.id == each.conversation.id
        path = set(here.tree.path(here.tip)) if here is not None and at_home else None
        lines += _lines(each, at_home, each.on_path if path is None else each.turn in path)
    more = f"\nThese are the newest {SHOWN}; more words find fewer." if len(found) > SHOWN else ""
    first = found[0]
    name = first.conversation.name or first.conversation.id
    go = typed("branch", first.turn)
    if here is None or here.id != first.conversation.id:
        go = f"{typed('open', name)}, then {go},"
    total = "" if more else f"{count(len(found), 'turn')} found.\n"
    return Said(total + "\n".join(lines) + more, next=f"{go} goes to the first")


def _lines(found: Found, at_home: bool, on_path: bool) -> tuple[str, str]:
    conversation = found.conversation
    home = "this conversation" if at_home else f"conversation {conversation.name or conversation.id}"
    if on_path:
        branch = "on the path"
    else:
        branch = "at the end of a branch" if found.end == found.turn else f"on the branch that ends at {found.end}"
    archived = ", archived" if conversation.archived else ""
    day = time.strftime("%Y-%m-%d", time.localtime(found.created))
    return (f"{found.turn}  {day}  {home}{archived}, {branch}, {found.what}:", f"        {found.snippet}")
