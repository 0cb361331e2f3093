"""What there is to retry: four states that are told apart, the same before and after a restart (rule 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..transcript import TurnRecord
from ..tree import Tree
from .attempt import AFTER, TIP
from .cells import question_key
from .checkpoints import REWOUND

UNHEARD = "has no answer; the kernel that asked it ended meanwhile, or is still at it"
"""What is known of a prompt that was sent and never heard of again."""


@dataclass(frozen=True, slots=True)
class NoConversation:
    """None is loaded."""

    def __str__(self) -> str:
        return "No conversation is open: there is nothing to retry. Ask something in a `%%chat` cell."


@dataclass(frozen=True, slots=True)
class EmptyConversation:
    """Nothing was asked in it yet."""

    name: str

    def __str__(self) -> str:
        return f"The conversation `{self.name}` is empty: there is nothing to retry. Ask something in a `%%chat` cell."


@dataclass(frozen=True, slots=True)
class NothingToRetry:
    """The last turn succeeded; None: nothing failed, and the tip is at the root."""

    turn: str | None

    def __str__(self) -> str:
        last = f"the last turn, `{self.turn}`, succeeded" if self.turn else "nothing has failed at the root"
        return f"Nothing to retry: {last}. `%chat again` asks once more for another answer."


@dataclass(frozen=True, slots=True)
class Retryable:
    """The last prompt failed, was stopped, or was lost with its kernel: `record`. A stopped one is in the tree, with
    what had come."""

    record: TurnRecord

    @property
    def stopped(self) -> bool:
        return self.record.outcome == "stopped"

    def __str__(self) -> str:
        how = "was stopped" if self.stopped else "failed" if self.record.error else UNHEARD
        why = f": {self.record.error}" if self.record.error else "."
        return f"The prompt {' '.join(self.record.prompt.split())[:60]!r} {how}{why}"


State = NoConversation | EmptyConversation | NothingToRetry | Retryable


def state(
    name: str, tree: Tree, failures: Sequence[TurnRecord], tip: TurnRecord | None, place: str
) -> EmptyConversation | NothingToRetry | Retryable:
    """What `retry` would do at the tip of this place.

    The newest failure counts, if the tip stands where it stood then, and the prompt was not answered since where it
    failed. Which came first is told by the order of commits that the failure noted, never by clocks (rule 5).
    """
    mine = [failed for failed in failures if failed.inherited.get("place", "") == place]
    for failed in reversed(mine):
        if failed.inherited.get(TIP) == tree.tip and not _answered(tree, failed):
            return Retryable(failed)
        break
    if not tree.heads:
        return EmptyConversation(name)
    if tip is not None and tip.outcome == "stopped" and REWOUND not in tip.inherited:
        return Retryable(tip)
    return NothingToRetry(tree.tip)


def _answered(tree: Tree, failed: TurnRecord) -> bool:
    if failed.parent is not None and failed.parent not in tree:
        return True  # a fork's failure of another conversation cannot be; nothing to continue from
    question, after = question_key(failed.prompt, failed.settings), failed.inherited.get(AFTER, 0)
    beside = (tree.heads[turn] for turn in tree.children[failed.parent])
    return any(head.question == question and head.n > after for head in beside)
