"""The commands that go somewhere: another branch, another answer, another conversation."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError

from ..errors import BadInput, NotFound
from ..tools.limits import Limits
from .command import Said, command
from .keys import hide
from .options import system_file
from .spelling import new_name, typed

if TYPE_CHECKING:
    from ..progress import Watch
    from ..session.session import Session
    from ..tree import Tree
    from .magics import ChatMagics

ROOT = "root"


def titled(tree: Tree, turn: str | None) -> str:
    """A turn as a line names it: its id and how its prompt begins."""
    if turn is None:
        return "the beginning"
    title = tree.heads[turn].title
    return f"`{turn}` ({title[:60]}{'...' if len(title) > 60 else ''})"


@command("branch ID|LABEL", "continue from another turn (`root`: from the beginning)", words=(1, 1), takes="place")
def branch(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    moved = session.branch(None if words[0] == ROOT else words[0])
    magics.link.moved()
    lines = [f"The next new cell continues from {titled(session.tree, moved.tip)}.", moved.note]
    return Said("\n".join(filter(None, lines)), next="write a %%chat cell; `%chat path` shows the turns it reads")


@command("again [ID]", "ask once more, now; the new answer stands beside the others", words=(0, 1), takes="turn")
def again(magics: ChatMagics, words: list[str]) -> None:
    from ..session.session import Ran

    session = magics.current.required()
    if session.tip is None and not words:
        raise BadInput(_nothing_to_ask_again(session))
    magics.shown(session, lambda watch: Ran(session.again(words[0] if words else None, watch=watch), False, ()))


@command("retry", "ask the last prompt again, if it failed or was stopped", words=(0, 0))
def retry(magics: ChatMagics, _words: list[str]) -> Said | None:
    from ..session.retry import NoConversation, Retryable
    from ..session.session import Ran
    from ..session.turn import Turn

    session = magics.current.find()
    if session is None:
        return Said(str(NoConversation()))
    state = session.retryable()
    if not isinstance(state, Retryable):
        return Said(str(state), next="`%chat path` shows where you are")

    def run(watch: Watch) -> Ran:
        turn = session.retry(watch=watch)
        if not isinstance(turn, Turn):
            raise BadInput(str(turn))
        return Ran(turn, False, ())

    print(hide(f"Asks again: {state}"))  # before it costs anything: which one it is may surprise
    magics.shown(session, run)
    return None


@command("checkpoint [LABEL]", "mark where you are, to rewind to once; alone: the marks there are", words=(0, 1))
def checkpoint(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    if words:
        session.checkpoint(new_name(words[0]))
        next_ = f"explore, then {typed('rewind', words[0])} comes back here"
        return Said(f"{titled(session.tree, session.tip)} is marked {words[0]!r}.", next=next_)
    marks = session.checkpoints
    lines = [f"{name}: {titled(session.tree, mark.target)}" for name, mark in marks.items()]
    return Said("\n".join(lines) or "There is no checkpoint on this path.", next="`%chat checkpoint LABEL` sets one")


@command(
    "rewind LABEL [DIGEST]",
    "go back to a checkpoint; in quotes, what to keep of what came after",
    words=(1, 2),
    takes="checkpoint",
)
def rewind(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    moved = session.rewind(*words)
    magics.link.moved()
    kept = " The digest is what the model sees of what came after." if len(words) > 1 else ""
    lines = [f"The next new cell continues from {titled(session.tree, moved.tip)}.{kept}", moved.note]
    return Said("\n".join(filter(None, lines)), next="write a %%chat cell")


def _nothing_to_ask_again(session: Session) -> str:
    """Rule 9: an empty conversation, the root of one that is not, and a first prompt that failed are told apart."""
    from ..session.retry import UNHEARD

    if session.tree.heads:
        return "You are at the beginning of the conversation: give the turn to ask again. `%chat tree` shows their ids."
    failed = session.store.failed(session.id)
    if failed:
        what = f"failed ({failed[-1].error})" if failed[-1].error else UNHEARD
        return f"The first prompt {what}; run its cell to ask it again."
    return "The conversation is empty: there is nothing to ask again. Ask something in a `%%chat` cell."


@command("fork [ID] [--as NAME]", "go on in a copy of this conversation, up to a turn", words=(0, 3), takes="turn")
def fork(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    name = None
    if "--as" in words:
        at = words.index("--as")
        if at + 2 > len(words):
            raise UsageError("%chat fork [ID] --as NAME: the name is missing")
        name = new_name(words[at + 1])
        words = words[:at] + words[at + 2 :]
    if len(words) > 1:
        raise UsageError("%chat fork [ID] [--as NAME]: one turn at most")
    copy = session.fork(words[0] if words else None, name)
    entered = magics.current.enter(copy.conversation)
    magics.link.moved()
    turns = count(len(entered.tree), "turn")
    return Said(
        f"Now in conversation `{entered.name}`, a copy of `{session.name}`: {turns} under new ids.",
        next=f"write a %%chat cell; {typed('open', session.name)} goes back",
    )


@command("label ID NAME|--remove", "give a turn a name, or take its names away", words=(2, 2), takes="turn")
def label(magics: ChatMagics, words: list[str]) -> Said:
    session = magics.current.required()
    session.refresh()
    turn, name = session.tree.resolve(words[0]), words[1]
    session.label(turn, None if name == "--remove" else new_name(name))
    magics.link.moved()
    if name == "--remove":
        return Said(f"Turn `{turn}` has no label any more.", next="`%chat tree` shows the labels")
    return Said(
        f"Turn `{turn}` is `{name}` now.", next=f"{typed('branch', name)}, or {typed('--at', name, magic='%%chat')}"
    )


@command(
    "open NAME",
    "work in another conversation, by name or id; a new name begins one",
    words=(1, 1),
    takes="conversation",
)
def open_(magics: ChatMagics, words: list[str]) -> Said:
    before = magics.current.find()
    try:
        conversation, known = magics.current.store.conversation(words[0]), True
    except NotFound:
        conversation, known = magics.current.store.create(new_name(words[0])), False
    session = magics.current.enter(conversation)
    magics.link.moved()
    back = f"; {typed('open', before.name)} goes back" if before is not None and before.id != session.id else ""
    if not known:
        return Said(f"There was no conversation `{session.name}`: it is new.", next=f"write a %%chat cell{back}")
    turns = count(len(session.tree), "turn")
    return Said(
        f"Now in conversation `{session.name}`: {turns}, at {titled(session.tree, session.tip)}.",
        next=f"write a %%chat cell to go on; `%chat tree` shows it{back}",
    )


@command("load", "load all of a long conversation, not only its newest part")
def load(magics: ChatMagics, _words: list[str]) -> Said:
    session = magics.current.required()
    session.load_all()
    turns = count(len(session.tree.path(session.tip)), "turn")
    return Said(f"The whole path is loaded ({turns}), and sent as far as it fits.", next="write a %%chat cell")


@command("new [NAME]", "begin an empty conversation", words=(0, 1), takes="name")
def new(magics: ChatMagics, words: list[str]) -> Said:
    before = magics.current.find()
    session = magics.current.enter(magics.current.store.create(new_name(words[0]) if words else None))
    magics.link.moved()
    back = f"; {typed('open', before.name)} goes back" if before is not None else ""
    return Said(f"Now in the new conversation `{session.name}`.", next=f"write a %%chat cell{back}")


SETTINGS = {
    "model": "the model that is asked",
    "system": "the system prompt, or @FILE",
    "max_tokens": "longest answer, in tokens",
    "ladder": "how context is taken back",
    "window": "tokens to make do with",
    "tools": "which of the registered tools, with commas, or none",
    "checkpoints": "on or off: whether the model may mark and rewind",
    "max_rounds": "requests in one turn",
    "max_seconds": "how long one turn may take",
    "max_cost": "dollars one turn may cost",
    "max_result": "characters of one tool result",
}
"""What `%chat config` sets: `written.SETTINGS` and `limits.NAMES`, explained."""


@command(
    "config [NAME] [VALUE]",
    "what applies to every later turn: model, system, max_tokens, ladder, window, tools, limits",
    words=(0, 2),
    takes="setting",
)
def config(magics: ChatMagics, words: list[str]) -> Said:
    if words and words[0] not in SETTINGS:
        raise UsageError(f"%chat config knows {', '.join(SETTINGS)}, not {words[0]!r}")
    session = magics.current.begin() if len(words) > 1 else magics.current.required()
    if len(words) > 1:
        session.configure(**{words[0]: _value(*words)})
    set_ = session.conversation.settings
    default = {"model": f"{session.model} (default)"}
    default |= {f"max_{name}": f"{value} (default)" for name, value in asdict(Limits()).items()}
    lines = [f"{name}: {set_.get(name, default.get(name, 'default'))}" for name in words[:1] or SETTINGS]
    return Said("\n".join(lines), next="`%chat config NAME VALUE` sets one, `%chat config NAME default` unsets it")


def _value(name: str, text: str) -> Any:
    if text == "default":
        return None
    if name == "system" and text.startswith("@"):
        return system_file(text[1:], Path.cwd(), "%chat config system")
    if name == "checkpoints":
        if text not in ("on", "off"):
            raise UsageError(f"checkpoints is on or off, not {text!r}")
        return text == "on"
    if name == "model" and not text.strip():
        raise UsageError("a model has a name, and '' is none; `%chat models` lists them")
    if name in ("max_tokens", "window"):
        try:
            return int(text)
        except ValueError:
            raise UsageError(f"{name} is a number of tokens; {text!r} is not") from None
    return text


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: 1 turn, 2 turns."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
