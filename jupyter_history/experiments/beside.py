"""Another session on the same conversation, for a run in a thread of its own; what it stores, the first one reads.

A session belongs to one thread. Runs at once therefore each have their own, over the one store, and the session that
the user holds settles where the tip stands when they are done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context.plan import Plan
from ..planning import user
from ..progress import Watch
from ..session import Session
from ..store.records import Marks
from ..transcript import Maker, TurnRecord
from ..written import prompt_text


def beside(session: Session) -> Session:
    """A session on the same conversation, at the same place, with the same tools and defaults."""
    made = Session(
        session.store,
        session.conversation,
        client=session.client,
        model=session._model,
        ladder=session._ladder,
        place=session.place,
        window=session._standing._window,
    )
    made.tools = session.tools
    made._asker.calibrations = dict(session._asker.calibrations)
    return made


def settings_of(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a question: the conversation's, and these."""
    return session._settings(given)


def planned(session: Session, prompt: str, settings: Mapping[str, Any], under: str | None) -> tuple[Plan, Any]:
    """The plan for a prompt under a turn, and its terms. No model is called and nothing is stored."""
    terms = session._terms(session._settings(settings), explicit="ladder" in settings)
    path = session._standing.loaded(under)
    depth = len(session.tree.path(under)) - len(path)
    opened = [user(prompt_text(prompt))]
    return session._asker.plan(path, opened, terms, pinned=session._pinned, depth=depth), terms


def request(session: Session, made: Plan, terms: Any) -> dict[str, Any]:
    """The body that a plan makes."""
    return session._asker.body(made, terms)


def ask(
    session: Session, prompt: str, settings: Mapping[str, Any], maker: Maker | None, under: str | None, watch: Watch
) -> TurnRecord:
    """Ask under a turn, wherever the tip is; the stored answer. Raises ChatError and Stopped."""
    session.refresh()
    asked = session._prompt(prompt, session._settings(settings), maker, explicit="ladder" in settings)
    return session._ask(asked, under, None, watch)


def take_in(session: Session, other: Session) -> None:
    """What the other session could not save, this one keeps and saves with its next turn (rule 7)."""
    for record in list(other._standing.unsaved.values()):
        session._standing._keep(record, Marks())
