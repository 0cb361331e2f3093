"""The commands that look: none of them calls a model or moves anything (rule 23)."""

from __future__ import annotations

import time
import traceback
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..transcript import Usage
from .answers import filled, which
from .command import Said, command
from .identity import cells_of
from .keys import hide
from .moving import count, titled

if TYPE_CHECKING:
    from ..session.session import Session
    from ..store import Head
    from .current import Current
    from .magics import ChatMagics


@command("status", "where you are (also plain %chat)")
def status(magics: ChatMagics, _words: list[str]) -> Said:
    current = magics.current
    session = current.find()
    if session is None:
        from ..model import catalog

        return Said(
            f"No conversation is open in this notebook yet. The model is {catalog.default_model()}.",
            next="write a %%chat cell, the prompt below that line; `%chat list` shows earlier conversations",
        )
    current.tell(session.refresh())
    tree = session.tree
    path = tree.path(session.tip)
    shape = f"{count(len(tree), 'turn')} on {count(len(tree.leaves()), 'branch', 'branches')}"
    lines = [
        f"Conversation `{session.name}`: {shape}, {dollars(session.cost)}. The model is {session.model}.",
        f"The next new cell continues from {titled(tree, session.tip)}, turn {len(path)} of the path."
        if path
        else "The next new cell begins at the root.",
    ]
    if session.tip is not None and (full := filled(session.turn(session.tip).record)):
        lines.append(f"With it the {full.replace(' ', ' was ', 1)}.")
    if session.unsaved:
        lines.append(f"Not saved yet: {', '.join(session.unsaved)}; the next turn tries again.")
    from ..session.retry import Retryable

    found = session.retryable()
    if isinstance(found, Retryable):
        lines.append(f"{found} `%chat retry` asks it again.")
    return Said("\n".join(lines), next="`%chat tree` shows all branches, `%chat help` lists the commands")


@command("path", "the turns that the next prompt continues from")
def path(magics: ChatMagics, _words: list[str]) -> Said:
    current = magics.current
    session = current.required()
    current.tell(session.refresh())
    turns = [session.tree.heads[turn] for turn in session.tree.path(session.tip)]
    if not turns:
        return Said("The path is empty: the next prompt begins the conversation.", next="write a %%chat cell")
    gone = without_cell(current, turns)
    lines = [
        f"{n:>3}  {head.id}  {head.title[:70]}{_mark(session, head)}{'  (its cell is gone)' if head.id in gone else ''}"
        for n, head in enumerate(turns, start=1)
    ]
    if gone:
        lines.append(f"No cell in this notebook any more: {count(len(gone), 'turn')} of the path.")
    return Said(
        "\n".join(lines),
        next="`%chat branch ID` goes back to a turn; `%chat request` shows exactly what was sent",
    )


def without_cell(current: Current, heads: list[Head]) -> set[str]:
    """The turns that a cell of this notebook made which is neither in its file nor was run in this kernel.

    Empty where the file cannot tell.
    """
    cells = cells_of(current.path) if current.path else None
    if cells is None or current.notebook is None:
        return set()
    place = current.notebook.id
    made = {head.id: head.maker.cell for head in heads if head.maker and head.maker.notebook == place}
    if not cells & {*made.values(), *current.ran}:
        return set()  # the notebook was renamed, and the kernel knows the old path: another file may be there
    return {turn for turn, cell in made.items() if cell not in cells | current.ran}


def _mark(session: Session, head: Head) -> str:
    label = session.tree.label_of(head.id)
    place = which(head.id, session.tree.siblings(head.id))
    parts = ([f"[{label}]"] if label else []) + ([place] if place else [])
    if head.outcome == "stopped":
        parts.append("stopped")
    return "  " + ", ".join(parts) if parts else ""


@command("tools", "what the model may call, and how much one turn may do")
def tools(magics: ChatMagics, _words: list[str]) -> Said:
    from ..tools.limits import Limits
    from ..tools.tools import REGISTERED

    session = magics.current.find()
    box = session.tools if session is not None else REGISTERED
    found = box.pick()
    rows = [(name, str(each.definition["description"]).splitlines()[0][:90]) for name, each in found.items()]
    limits = session.limits if session is not None else Limits()
    lines = [
        table(rows) if rows else "No tool is registered: `from jupyter_history import tool`, then `@tool` above one.",
        f"One turn: at most {count(limits.rounds, 'round')}, {limits.seconds:,.0f} s, {dollars(limits.cost)}; "
        f"{limits.result:,} characters of a result.",
    ]
    return Said("\n".join(lines), next="`%%chat --tools A,B` chooses, `%chat config max_rounds N` and the like limit")


@command("list", "all conversations in the store")
def list_(magics: ChatMagics, _words: list[str]) -> Said:
    conversations = magics.current.store.conversations(limit=50)
    if not conversations:
        return Said("There are no conversations yet.", next="write a %%chat cell")
    here = magics.current.find()
    rows = [
        (
            "*" if here is not None and item.id == here.id else " ",
            item.name or item.id,
            count(item.turns, "turn"),
            dollars(item.cost),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(item.updated)),
            " ".join(item.title.split())[:60],
        )
        for item in conversations
    ]
    return Said(table(rows), next="`%chat open NAME` works in one of them")


@command("cost", "what the conversation cost, by model")
def cost(magics: ChatMagics, _words: list[str]) -> Said:
    session = magics.current.required()
    turns = session.turns()
    usage: dict[str, Usage] = defaultdict(Usage)
    known: dict[str, float] = defaultdict(float)
    number: dict[str, int] = defaultdict(int)
    unknown: set[str] = set()
    for turn in turns:
        usage[turn.model] += turn.usage
        number[turn.model] += 1
        known[turn.model] += turn.cost or 0.0
        if turn.cost is None:
            unknown.add(turn.model)
    for spent in session.unanswered:
        usage[spent.model] += spent.usage
        known[spent.model] += spent.cost or 0.0
        if spent.cost is None:
            unknown.add(spent.model)
    rows = [("model", "turns", "input", "cache read", "cache write", "output", "cost")]
    rows += [
        (
            model,
            str(number[model]),
            f"{used.input:,}",
            f"{used.cache_read:,}",
            f"{used.cache_write + used.cache_write_1h:,}",
            f"{used.output:,}",
            "price unknown" if model in unknown else dollars(known[model]),
        )
        for model, used in usage.items()
    ]
    path = sum(turn.cost or 0.0 for turn in turns if turn.id in set(session.tree.path(session.tip)))
    total = f"Together {dollars(session.cost)}; the path alone {dollars(path)}."
    lost = sum(spent.cost or 0.0 for spent in session.unanswered)
    if lost:
        total += f" {dollars(lost)} of it went to prompts that failed and to summaries written by hand."
    if len(rows) == 1:
        return Said(f"Nothing was asked in conversation `{session.name}` yet.", next="write a %%chat cell")
    return Said(f"{table(rows)}\n{total}", next="`%chat models` lists prices, `%chat tree` shows where the turns are")


@command("models", "the models, their windows and prices")
def models(magics: ChatMagics, _words: list[str]) -> Said:
    from ..model import catalog

    session = magics.current.find()
    now = session.model if session is not None else catalog.default_model()
    rows = [("", "model", "window", "$/M in", "$/M out", "images", "")]
    rows += [
        (
            "*" if item.id == now else " ",
            item.id,
            f"{item.window:,}",
            f"{item.price.input:g}" if item.price else "?",
            f"{item.price.output:g}" if item.price else "?",
            "yes" if item.vision else "no",
            item.note,
        )
        for item in catalog.models()
    ]
    return Said(table(rows), next="`%%chat -m MODEL` asks one once, `%chat config model MODEL` from now on")


@command("why", "the full trace of the last error")
def why(magics: ChatMagics, _words: list[str]) -> Said:
    error = magics.current.error
    if error is None:
        return Said("Nothing failed in this kernel.", next="`%chat doctor` checks the installation")
    return Said(hide("".join(traceback.format_exception(error))).rstrip(), next="`%chat doctor` checks the rest")


def dollars(amount: float) -> str:
    """An amount of money, to a hundredth of a cent."""
    return f"${amount:.4f}" if amount else "$0"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows as text, in aligned columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ("  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
