"""What `experiments` does with a session that no user needs: ask beside others, look at a plan, file an answer.

A session belongs to one thread. Runs at once therefore each have their own, over the one store, and the session that
the user holds settles where the tip stands when they are done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..context.plan import Plan
from ..errors import StoreUnavailable
from ..progress import Watch
from ..tools.attached import Attached
from ..transcript import Maker, Message, Overlay, TurnRecord
from .asking import Terms
from .attempt import Prompt
from .session import Session

# -- sessions ---------------------------------------------------------------------------------------------------------


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
    made._standing.own = session._standing.own
    made._asker.calibrations = dict(session._asker.calibrations)
    return made


def take_in(session: Session, other: Session) -> None:
    """What the other session could not save, this one keeps and saves with its next turn (rule 7)."""
    theirs = other._standing
    for turn, record in list(theirs.unsaved.items()):
        session._standing._keep(record, theirs._unsaved_marks[turn])


def note(session: Session, **settings: Any) -> None:
    """Keep in the conversation's settings what is no part of any question."""
    session._configure(**settings)


# -- reading ----------------------------------------------------------------------------------------------------------


def records(session: Session, turns: Sequence[str]) -> list[TurnRecord]:
    """These turns, as they are stored."""
    return session._standing.load(turns)


def loaded(session: Session, under: str | None) -> list[TurnRecord]:
    """Of the path to a turn what is sent."""
    return session._standing.loaded(under)


def settings_of(session: Session, given: Mapping[str, Any], attached: Attached | None = None) -> dict[str, Any]:
    """The settings of a question: the conversation's, these, and those of what is attached."""
    return session._settings(given, attached)


def under(session: Session, at: str | None, edit: str | None) -> Any:
    """The turn that `at` or `edit` names; `cells.ANYWHERE` where neither is given."""
    return session._under(at, edit)


# -- asking -----------------------------------------------------------------------------------------------------------


def planned(
    session: Session, prompt: str, settings: Mapping[str, Any], under: str | None, attached: Attached | None = None
) -> tuple[Plan, Terms]:
    """The plan for a prompt under a turn, and its terms. No model is called and nothing is stored."""
    asked = _prompt(session, prompt, settings, None, attached)
    path = loaded(session, under)
    depth = len(session.tree.path(under)) - len(path)
    opened = [Message("user", asked.content)]
    return session._asker.plan(path, opened, asked.terms, pinned=session._pinned, depth=depth), asked.terms


def request(session: Session, made: Plan, terms: Terms) -> dict[str, Any]:
    """The body that a plan makes."""
    return session._asker.body(made, terms)


def decide(session: Session, overlays: Sequence[Overlay]) -> None:
    """Keep what a plan decided."""
    session._standing.decide(overlays)


def summarise(session: Session, made: Plan, terms: Terms, watch: Watch) -> None:
    """Write the summary that a plan needs, with a call, and keep it."""
    assert made.need is not None
    decide(session, [session._summary(made.need, terms, watch)])


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
    return session._ask(_prompt(session, prompt, settings, maker, attached), under, None, watch)


def file(session: Session, record: TurnRecord) -> None:
    """Store an answer that came by another way, under its parent; the tip stays where it is.

    StoreUnavailable where it was not stored: nothing is kept in memory, it can be fetched again.
    """
    other, before = beside(session), session.tip
    notes = other._standing.commit(record, other._standing.basis)
    if other.unsaved:
        raise StoreUnavailable(notes[0])
    session.branch(before)


def _prompt(
    session: Session, prompt: str, settings: Mapping[str, Any], maker: Maker | None, attached: Attached | None
) -> Prompt:
    return session._prompt(prompt, session._settings(settings, attached), maker, attached, "ladder" in settings)
