"""Another session on the same conversation, for a run in a thread of its own; what it stores, the first one reads.

A session belongs to one thread. Runs at once therefore each have their own, over the one store, and the session that
the user holds settles where the tip stands when they are done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..context.plan import Plan
from ..progress import Watch
from ..session.session import Session
from ..store.records import Marks
from ..tools.attached import Attached
from ..transcript import Maker, Message, TurnRecord


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


def settings_of(session: Session, given: Mapping[str, Any], attached: Attached | None = None) -> dict[str, Any]:
    """The settings of a question: the conversation's, these, and those of what is attached."""
    return session._settings(given, attached)


def planned(
    session: Session, prompt: str, settings: Mapping[str, Any], under: str | None, attached: Attached | None = None
) -> tuple[Plan, Any]:
    """The plan for a prompt under a turn, and its terms. No model is called and nothing is stored."""
    asked = session._prompt(prompt, session._settings(settings, attached), None, attached, "ladder" in settings)
    terms = asked.terms
    path = session._standing.loaded(under)
    depth = len(session.tree.path(under)) - len(path)
    opened = [Message("user", asked.content)]
    return session._asker.plan(path, opened, terms, pinned=session._pinned, depth=depth), terms


def request(session: Session, made: Plan, terms: Any) -> dict[str, Any]:
    """The body that a plan makes."""
    return session._asker.body(made, terms)


def ask(
    session: Session,
    prompt: str,
    settings: Mapping[str, Any],
    maker: Maker | None,
    under: str | None,
    watch: Watch,
    attached: Attached | None = None,
) -> TurnRecord:
    """Ask under a turn, wherever the tip is; the stored answer. Raises ChatError and Stopped."""
    session.refresh()
    asked = session._prompt(prompt, session._settings(settings, attached), maker, attached, "ladder" in settings)
    return session._ask(asked, under, None, watch)


def take_in(session: Session, other: Session) -> None:
    """What the other session could not save, this one keeps and saves with its next turn (rule 7)."""
    for record in list(other._standing.unsaved.values()):
        session._standing._keep(record, Marks())
