"""Checkpoints as the model uses them in one turn: `checkpoint` and `rewind`, two tools (DESIGN section 2, rule 8).

A checkpoint marks the boundary before the turn that sets it. Which ones are live on a path is a matter of that path
(`resume.survive`). Nothing is clamped, and the root is a target only where it was marked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..store.records import Checkpoint, Marks
from ..tools.calling import Result
from ..transcript import Block, clean_text
from .asking import Terms

CHECKPOINT: dict[str, Any] = {
    "name": "checkpoint",
    "description": (
        "Mark the point before this turn, under a label, before an exploration whose details will not matter later "
        "(reading much, trying things out). `rewind` goes back to it and keeps only your digest."
    ),
    "input_schema": {
        "type": "object",
        "properties": {"label": {"type": "string", "description": "One word, such as before-search"}},
        "required": ["label"],
    },
}
REWIND: dict[str, Any] = {
    "name": "rewind",
    "description": (
        "End an exploration: the conversation goes back to the checkpoint, and of all that came after it only the "
        "digest stays in your context. Then you answer the user's prompt from there. A checkpoint serves once."
    ),
    "input_schema": {
        "type": "object",
        "properties": {
            "label": {"type": "string", "description": "The label of the checkpoint"},
            "digest": {
                "type": "string",
                "description": "What is worth keeping: findings, numbers, names, dead ends",
            },
        },
        "required": ["label", "digest"],
    },
}
DEFINITIONS = (CHECKPOINT, REWIND)
REWOUND = "rewound"
"""What a turn notes (in `inherited`) that a rewind ended, or that keeps its digest: the checkpoint's label."""
_LONGEST = 80


def bad_label(label: str) -> str:
    """Why a text is no label, as a line; "" if it is one."""
    if not label or len(label) > _LONGEST or any(character.isspace() for character in label):
        return f"A label is one word of at most {_LONGEST} characters; {label[:40]!r} is not."
    return ""


def unknown(label: str, known: Mapping[str, Checkpoint]) -> str:
    return f"There is no checkpoint {label!r} here. Live labels: {', '.join(sorted(known)) or 'none'}."


@dataclass(frozen=True, slots=True)
class Rewound:
    """A rewind that was asked for: to which checkpoint, and what is kept of what was explored."""

    checkpoint: Checkpoint
    digest: str


@dataclass
class Desk:
    """What one turn does with checkpoints. `known`: the live ones on its path; `here`: the boundary before it."""

    known: dict[str, Checkpoint]
    here: str | None
    turn: str
    rewound: Rewound | None = None
    _new: dict[str, Checkpoint] = field(default_factory=dict)

    def tools(self, terms: Terms) -> dict[str, Callable[[Mapping[str, Any]], Result]]:
        """The tools by name, as far as this turn was given them."""
        offered = {str(tool["name"]) for tool in terms.tools}
        both = {"checkpoint": self.checkpoint, "rewind": self.rewind}
        return {name: run for name, run in both.items() if name in offered}

    def marks(self, kept: Mapping[str, str]) -> Marks:
        """What the turn leaves, for its transaction."""
        if self.rewound is None:
            return Marks(kept, tuple(self._new.values()))
        gone = self.rewound.checkpoint
        new = tuple(each for each in self._new.values() if each is not gone)
        return Marks(kept, new, (gone.n,) if gone.n else (), True, gone.target)

    def checkpoint(self, arguments: Mapping[str, Any]) -> Result:
        label = clean_text(str(arguments.get("label") or "").strip())
        why = bad_label(label)
        if why:
            return Result.line(why, failed=True)
        before = self.known.get(label)
        if before is not None and before.target != self.here:
            return Result.line(f"The label {label!r} is taken: {unknown('', self.known).split('. ')[1]}", failed=True)
        if before is None:
            self._new[label] = self.known[label] = Checkpoint(label, self.here, self.turn, created=time.time())
        return Result.line(f"Checkpoint {label!r} is set, before this turn. rewind({label!r}, digest) goes back to it.")

    def rewind(self, arguments: Mapping[str, Any]) -> Result:
        label, digest = str(arguments.get("label") or "").strip(), str(arguments.get("digest") or "").strip()
        if self.rewound is not None:
            return Result.line("This turn is rewound already.", failed=True)
        if label not in self.known:
            return Result.line(unknown(label, self.known), failed=True)
        if not digest:
            live_labels = ", ".join(sorted(self.known))
            return Result.line(f"The digest is empty: say what is to be kept. Live labels: {live_labels}.", failed=True)
        self.rewound = Rewound(self.known[label], clean_text(digest))
        return Result.line(f"Rewound to {label!r}.")


def digest_block(rewound: Rewound, explored: str) -> Block:
    """What stands before the prompt after a rewind: the digest, and where the whole is."""
    label = rewound.checkpoint.label
    text = f"[Rewound to the checkpoint {label!r}. What was explored is the branch {explored}; this is kept of it:]"
    return {"type": "text", "text": f"{text}\n{rewound.digest}\n[End of what was kept; the prompt follows.]"}
