"""One attempt at an answer: the prompt sent, the answer stored and the tip moved to it, or the failure recorded.

An answer may come in parts: where the model rewinds, what it explored is stored as a branch, and the prompt goes out
again at the checkpoint, with the digest of what was explored before it.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import ChatError, Stopped
from ..progress import Begin, Note, Watch, unwatched
from ..tools.calling import Caller
from ..tools.limits import Limits
from ..tools.tools import Tool
from ..transcript import Block, Maker, TurnRecord
from .asking import UNSIGNED, Answered, Bill, Terms, took
from .checkpoints import DEFINITIONS, REWOUND, Desk, digest_block
from .exchange import OUTGREW

if TYPE_CHECKING:
    from .asking import Asker
    from .standing import Standing

OFFERED = "offered"
"""What a turn keeps (in `inherited`) of the user's tools that it was given: their definitions."""
MARKING = "marking"
"""What a turn notes that was given `checkpoint` and `rewind`."""
OUTGROWN = "outgrown"
"""What a turn notes whose tools' results outgrew the window: a retry begins with a pass of the ladder."""
ABOVE = "above"
"""What a turn notes of a path that was not sent whole: how many turns stood above what was."""
AFTER, TIP, DIGESTS = "after", "tip", "digests"
"""What a prompt without an answer notes: the newest turn of then, where the tip stood, and what rewinds had kept."""


@dataclass(frozen=True)
class Prompt:
    """What is sent: the words as they were written, the settings they were written with, and the content they make."""

    text: str
    settings: dict[str, Any]
    content: tuple[Block, ...]
    terms: Terms
    maker: Maker | None = None
    tools: dict[str, Tool] = field(default_factory=dict)
    digests: tuple[Block, ...] = ()
    """What rewinds kept of what was explored for this prompt before."""

    @property
    def sent(self) -> tuple[Block, ...]:
        return (*self.digests, *self.content)


@dataclass
class Attempt:
    """Asks for one session. `pinned`: messages that stay verbatim; `beside`: turns that the same cell just wrote, so
    that it is no news that they leave the path."""

    standing: Standing
    asker: Asker
    prompt: Prompt
    limits: Limits
    pinned: Sequence[str] = ()
    watch: Watch = unwatched
    beside: Sequence[str] = ()

    def run(self, under: str | None) -> TurnRecord:
        """The stored answer, under the turn `under` or, after a rewind, where that went.

        Raises ChatError and Stopped.
        """
        limits = self.limits
        while True:
            record, desk, rounds = self._ask(under, limits)
            if desk.rewound is None:
                break
            mark = desk.rewound
            self.prompt = replace(self.prompt, digests=(*self.prompt.digests, digest_block(mark, record.id)))
            self.watch(Note(f"Rewound to {mark.checkpoint.label!r}: what was explored stays as branch `{record.id}`."))
            under = mark.checkpoint.target
            limits = limits.less(rounds=rounds, seconds=record.seconds, cost=record.cost or 0.0)
        if record.outcome == "stopped":
            why = record.error or "Stopped."
            again = "`%chat retry` asks again" if record.error else "running the cell asks again"
            raise Stopped(f"{why} What had come is kept as `{record.id}`; {again}.", record.id)
        return record

    def _ask(self, under: str | None, limits: Limits) -> tuple[TurnRecord, Desk, int]:
        """One part: sent under `under` and stored; with what it did to the checkpoints, and how many rounds it took."""
        standing, prompt, terms = self.standing, self.prompt, self.prompt.terms
        record = TurnRecord(
            id=standing.store.new_id(),
            conversation=standing.id,
            parent=under,
            prompt=prompt.text,
            messages=(),
            model=terms.model,
            maker=prompt.maker,
            settings=prompt.settings,
            window=terms.budget.window_of(terms.profile),
            created=time.time(),
        )
        unanswered = replace(record, inherited=self._for_retry())
        standing.attempt(unanswered)
        path, basis = standing.loaded(under), standing.basis
        self.watch(
            Begin(record.id, standing.id, under, tuple(standing.tree.children[under]), record.model, prompt.text)
        )
        for note in standing.told():
            self.watch(Note(note))
        left = standing.tree.left_behind(standing.tip, under)
        if not set(left) <= set(self.beside):
            self.watch(Note(left_line(left, standing.tip)))
        desk = Desk(standing.checkpoints(under), under, record.id)
        caller = Caller(
            prompt.tools,
            limits,
            vision=terms.profile.vision,
            stored=standing.kept,
            more=desk.tools(terms),
            earlier=lambda depth: standing.load([standing.tree.path(under)[depth - 1]])[0].messages,
        )
        bill = Bill(terms.model)
        try:
            answered = self.asker.ask(
                path,
                record.id,
                prompt.sent,
                terms,
                caller=caller,
                limits=limits,
                until=lambda: desk.rewound is not None,
                pinned=self.pinned,
                depth=len(standing.tree.path(under)) - len(path),
                watch=self.watch,
                bill=bill,
            )
        except ChatError as error:
            self._fail(unanswered, str(error), bill)
            error.args = (f"{error} {bill}".rstrip(),)
            raise
        except KeyboardInterrupt:
            self._fail(unanswered, "Stopped before anything came.", bill)
            told = f"Stopped before anything came; nothing was added to the conversation. {bill}"
            raise Stopped(told.rstrip(), None) from None
        record = _completed(record, prompt, answered)
        if desk.rewound is not None:
            record = replace(record, inherited={**record.inherited, REWOUND: desk.rewound.checkpoint.label})
        with interrupts_held() as stopped:
            notes = standing.commit(record, basis, desk.marks(caller.kept))
        for note in notes:
            self.watch(Note(note))
        if stopped():
            raise Stopped(f"Stopped. The answer had come, and is kept as `{record.id}`.", record.id)
        return record, desk, len(answered.exchange.requests)

    def _for_retry(self) -> dict[str, Any]:
        """What a retry needs besides the prompt: its order among the turns, and what else is sent."""
        tree = self.standing.tree
        kept: dict[str, Any] = {
            AFTER: tree.last,
            TIP: tree.tip,
            "place": self.standing.place,
            "explicit": self.prompt.terms.explicit or None,
            "content": list(self.prompt.content) if len(self.prompt.content) > 1 or self._expanded else None,
            DIGESTS: list(self.prompt.digests) or None,
        }
        return {key: value for key, value in kept.items() if value is not None}

    def _fail(self, record: TurnRecord, error: str, bill: Bill) -> None:
        """Record the failure, and what it cost."""
        seconds = time.time() - record.created
        self.standing.fail(replace(record, usage=bill.usage, cost=bill.cost, seconds=seconds), error)

    @property
    def _expanded(self) -> bool:
        return self.prompt.content[0].get("text") != self.prompt.text


def _completed(record: TurnRecord, prompt: Prompt, answered: Answered) -> TurnRecord:
    exchange, made, terms = answered.exchange, answered.plan, prompt.terms
    inherited: dict[str, Any] = {
        "max_tokens": terms.max_tokens,
        "ladder": terms.ladder,
        "system": terms.system,
        "window": terms.window,
        "explicit": terms.explicit or None,
        "epoch": made.epoch,
        "took": took(made) or None,
        OFFERED: [dict(tool) for tool in terms.tools if tool not in DEFINITIONS] or None,
        MARKING: any(tool in DEFINITIONS for tool in terms.tools) or None,
        UNSIGNED: answered.unsigned or None,
        ABOVE: made.draft.scene.depth or None,
        OUTGROWN: exchange.ended.startswith(OUTGREW) or None,
    }
    return replace(
        record,
        messages=exchange.messages,
        outcome=exchange.outcome,
        usage=answered.bill.usage,
        cost=answered.bill.cost,
        seconds=exchange.seconds,
        context=exchange.measured[-1].prompt + exchange.measured[-1].output,
        inherited={key: value for key, value in inherited.items() if value is not None and key not in record.settings},
        stop_reason=exchange.stop_reason,
        error=exchange.ended or None,
    )


@contextmanager
def interrupts_held() -> Iterator[Callable[[], bool]]:
    """Hold an interrupt back while an answer that has come is stored; what it gives says whether there was one."""
    held: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, lambda number, _frame: held.append(number))
    try:
        yield lambda: bool(held)
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)


def left_line(left: Sequence[str], old: str | None) -> str:
    """The line that names what a move takes off the path, and how to return."""
    turns = "turn" if len(left) == 1 else "turns"
    named = ", ".join(f"`{turn}`" for turn in left[:3]) + (" ..." if len(left) > 3 else "")
    return f"Off the path now: {len(left)} {turns} ({named}). `%chat branch {old}` returns."
