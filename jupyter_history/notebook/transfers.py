"""`%chat export` and `%chat import`: conversations out into files, and in from them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from IPython.core.error import UsageError

from ..errors import BadInput
from .command import Said, command
from .moving import count
from .spelling import typed

if TYPE_CHECKING:
    from ..store.records import Bundle
    from .magics import ChatMagics


_UUID = re.compile(r"[0-9a-f-]{36}")
"""What some programs call their files; that is no name for a conversation."""


@command(
    "export FILE [--overwrite]",
    "write this conversation to a file: .jsonl (to import), .html, .md",
    words=(1, 2),
    takes="file",
)
def export(magics: ChatMagics, words: list[str]) -> Said:
    from .. import transfer

    names = [word for word in words if word != "--overwrite"]
    if len(names) != 1:
        raise UsageError("%chat export FILE [--overwrite]: one file; a name with spaces goes in quotes")
    session, path = magics.current.required(), Path(names[0]).expanduser()
    if path.exists() and len(names) == len(words):
        raise BadInput(f"{path} is there already. Choose another name, or add --overwrite.")
    magics.current.tell(session.refresh())
    bundle = session.store.bundle(session.id)
    transfer.write(bundle, path)
    missing = f" Not in it, since not saved yet: {', '.join(session.unsaved)}." if session.unsaved else ""
    back = "`%chat import` brings it back" if path.suffix == ".jsonl" else "a .jsonl file could be imported again"
    return Said(f"`{session.name}` is in {path} now: {_held(bundle, path.suffix.lower())}.{missing}", next=back)


def _held(bundle: Bundle, suffix: str) -> str:
    """What a file of this format has of a conversation."""
    from ..transfer import outline

    if suffix == ".jsonl":
        unanswered = count(len(bundle.failed), "prompt without an answer", "prompts without an answer")
        return f"everything ({count(len(bundle.turns), 'turn')}{f', {unanswered}' if bundle.failed else ''})"
    path, others = outline.path(bundle), outline.branches(bundle)
    held = f"the path ({count(len(path), 'turn')})"
    if not others:
        return held
    beside = count(len(others), "other branch", "other branches")
    if suffix == ".md":
        return f"{held} and, in a line each, {beside} ({count(len(bundle.turns) - len(path), 'turn')} not in it)"
    return f"{held} and, folded, {beside} ({count(len(bundle.turns) - len(path), 'turn')})"


@command(
    "import FILE",
    "add a conversation: of %chat export, Claude Code, pi, Anthropic Messages",
    words=(1, 1),
    takes="file",
)
def import_(magics: ChatMagics, words: list[str]) -> Said:
    from .. import transfer

    path = Path(words[0]).expanduser()
    found = transfer.read(path)
    if not found.bundle.turns:
        raise BadInput(f"There is no turn in {words[0]} ({found.kind}); nothing was imported. {' '.join(found.notes)}")
    called = found.bundle.conversation.name or (None if _UUID.fullmatch(path.stem) else path.stem)
    conversation, _ = magics.current.store.bring(found.bundle, called)
    name = conversation.name or conversation.id
    parents = {turn.parent for turn in found.bundle.turns}
    leaves = sum(turn.id not in parents for turn in found.bundle.turns)
    shape = f"{count(conversation.turns, 'turn')} on {count(leaves, 'branch', 'branches')}"
    lines = [f"{words[0]} ({found.kind}) is the conversation `{name}` now: {shape}.", *found.notes]
    return Said("\n".join(lines), next=f"{typed('open', name)} works in it")
