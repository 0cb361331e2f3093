"""What a session would send, and why: settings with the defaults filled in, plans, requests, the ladder run by hand.

Looking at any of it calls no model (rule 23).
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..context.budget import RUNGS, Rung
from ..context.plan import Plan
from ..context.summary import Need
from ..errors import BadInput
from ..model import catalog
from ..progress import Watch, unwatched
from ..tools.attached import Attached
from ..tools.tools import OURS, REGISTERED, Toolbox
from ..transcript import Message, Overlay, TurnRecord
from .asking import PAID, Asker, Bill, Terms
from .attempt import ABOVE, MARKING, OFFERED
from .checkpoints import DEFINITIONS
from .standing import Standing
from .written import checked, explicit

_MARKS = re.compile(r"\b(?:checkpoint|rewind)\(")


class Planning:
    """The part of a session that knows what is sent. `tools`: what the model may call, the session's own and those
    that `@tool` registered."""

    def __init__(self, standing: Standing, asker: Asker, model: str | None, ladder: str | None) -> None:
        self._standing = standing
        self._asker = asker
        self._model = model
        self._ladder = ladder
        self.tools = Toolbox(REGISTERED)

    @property
    def _set(self) -> Mapping[str, Any]:
        """The conversation's own settings."""
        return self._standing.conversation.settings

    @property
    def model(self) -> str:
        """The model that the next prompt goes to if it does not say another."""
        return self._model or self._set.get("model") or catalog.default_model()

    def plan(self, prompt: str | None = None, *, turn: str | None = None, **settings: Any) -> Plan:
        """What would be sent for `prompt` at the tip, and why; with `turn`, what was sent for that turn.

        Settings, such as `window=` and `ladder=`, make it a what-if. No model is called and nothing is stored.
        """
        self._standing.refresh()
        if turn is None and prompt is None and not settings and self._standing.tip is not None:
            turn = self._standing.tip
        if turn is not None:
            record = self._record(turn)
            whole, opened = self._standing.path(record.parent), list(record.messages[:1])
            depth = int(record.inherited.get(ABOVE, 0))
            path = whole[depth:]
            terms = replace(self._terms_of(record), **checked(settings)) if settings else self._terms_of(record)
        else:
            written = self._settings(settings)
            path, opened = self._standing.loaded(self._standing.tip), [user(prompt or "...")]
            depth = len(self._standing.tree.path(self._standing.tip)) - len(path)
            terms = self._terms(written, explicit="ladder" in settings)
        return self._asker.plan(path, opened, terms, pinned=self._pinned, depth=depth)

    def request(self, prompt: str | None = None, *, turn: str | None = None, **settings: Any) -> dict[str, Any]:
        """The exact body that would be sent for `prompt`, or that was sent for a turn (the tip's, by default)."""
        made = self.plan(prompt, turn=turn, **settings)
        if turn is None and prompt is None and self._standing.tip is not None:
            turn = self._standing.tip
        terms = self._terms_of(self._record(turn)) if turn is not None else self._terms(settings, explicit=False)
        return self._asker.body(made, terms)

    def compact(self, rung: Rung | None = None, *, watch: Watch | None = None) -> Plan:
        """Run the ladder now and keep what it decides: one rung however much room there is, or all, the free ones down
        to their goal."""
        self._standing.refresh()
        watch = watch or unwatched
        if rung is not None and rung not in RUNGS:
            raise BadInput(f"No rung is called {rung!r}; there are {', '.join(RUNGS)}.")
        if self._standing.tip is None:
            raise BadInput("There is nothing to compact yet.")
        return self._compact(self._standing.tip, self._terms(explicit(self._set), explicit=False), rung, watch)

    def _compact(self, turn: str | None, terms: Terms, rung: Rung | None, watch: Watch) -> Plan:
        path = self._standing.loaded(turn)
        depth = len(self._standing.tree.path(turn)) - len(path)

        def planned() -> Plan:
            budget = replace(terms.budget, start=0.0)
            return self._asker.plan(
                path, [user("...")], terms, pinned=self._pinned, now=rung, budget=budget, depth=depth
            )

        made = planned()
        if made.need is not None:
            self._standing.decide([self._summary(made.need, terms, watch)])
            made = planned()
        self._standing.decide([replace(overlay, created=time.time()) for overlay in made.overlays])
        return made

    def _summary(self, need: Need, terms: Terms, watch: Watch) -> Overlay:
        """A summary that is written for no turn: the decision itself says what it cost."""
        bill = Bill(terms.model)
        overlay = self._asker.write_summary(need, terms, watch, bill)
        paid = {"model": bill.model, "usage": asdict(bill.usage), "cost": bill.cost}
        return replace(overlay, payload={**overlay.payload, PAID: paid})

    def pin(self, name: str, on: bool = True) -> None:
        """Keep a turn verbatim, whatever the ladder does; False lets it go again."""
        turn = self._standing.tree.resolve(name)
        pinned = [
            *(known for known in self._set.get("pinned", ()) if known != turn),
            *[turn] * on,
        ]
        self._configure(pinned=pinned or None)

    def configure(self, **settings: Any) -> None:
        """Set what applies to every later turn of the conversation: settings, and limits of a turn; None unsets."""
        self._configure(**checked(settings))

    def _configure(self, **settings: Any) -> None:
        merged = {**self._set, **settings}
        self._standing.store.configure(
            self._standing.id, {key: value for key, value in merged.items() if value is not None}
        )
        self._standing.reload()

    # -- the parts --------------------------------------------------------------------------------------------------

    def _record(self, name: str) -> TurnRecord:
        """The stored turn with this id or label."""
        return self._standing.load([self._standing.tree.resolve(name)])[0]

    @property
    def _pinned(self) -> tuple[str, ...]:
        """The ids of the messages that stay verbatim."""
        turns = [turn for turn in self._set.get("pinned", ()) if turn in self._standing.tree]
        return tuple(message.id for record in self._standing.load(turns) for message in record.messages)

    def _settings(self, given: Mapping[str, Any], attached: Attached | None = None) -> dict[str, Any]:
        """The settings of a question: the conversation's, and what was written for this one, attachments too."""
        mine = {key: value for key, value in checked(given).items() if value is not None}
        return {**explicit(self._set), **mine, **(attached.settings if attached is not None else {})}

    def _terms(self, written: Mapping[str, Any], *, explicit: bool, prompt: str = "") -> Terms:
        """The settings with the defaults that apply now."""
        model = written.get("model") or self.model
        tools = [each.definition for each in self.tools.pick(written.get("tools")).values()]
        # a server nobody knows may refuse any tool at all; the reader makes no calls but those that a prompt writes
        offline = catalog.is_offline(model)
        able = _MARKS.search(prompt) is not None if offline else catalog.profile(model).known
        if able and written.get("checkpoints") is not False:
            tools += DEFINITIONS
        return Terms(
            model=model,
            system=written.get("system"),
            max_tokens=written.get("max_tokens"),
            ladder=written.get("ladder") or self._ladder or "auto",
            window=written.get("window"),
            explicit=explicit,
            tools=tuple(tools),
            pages=self._set.get("pages", {}).get(model),  # what a page test found this model to read
        )

    def _terms_of(self, record: TurnRecord) -> Terms:
        """What a stored turn was asked with."""
        terms = self._terms({**record.inherited, **record.settings}, explicit=bool(record.inherited.get("explicit")))
        tools = [*record.inherited.get(OFFERED, ()), *(DEFINITIONS if record.inherited.get(MARKING) else ())]
        return replace(terms, model=record.model, tools=tuple(tools))

    def _differences(self, shown: TurnRecord, written: Mapping[str, Any]) -> list[str]:
        """Lines for inherited values that would be others today; they never cause a call on a rerun."""
        today, lines = self._terms(written, explicit=False), []
        if "model" not in written and today.model != shown.model:
            lines.append(
                f"Answered by {shown.model}; the model is {today.model} now. `%chat again {shown.id}` asks it."
            )
        then, now = _tool_names(shown.inherited.get(OFFERED, ())), _tool_names(today.tools)
        if "tools" not in written and then != now:
            tools = f"Answered with {then or 'no tools'}; registered now: {now or 'none'}."
            lines.append(f"{tools} `%chat again {shown.id}` asks with those.")
        return lines


def _tool_names(definitions: Sequence[Mapping[str, Any]]) -> str:
    """The user's tools among these, by name."""
    return ", ".join(str(tool["name"]) for tool in definitions if tool["name"] not in OURS)


def user(prompt: str) -> Message:
    """The message of a prompt that is only text."""
    return Message("user", ({"type": "text", "text": prompt},))
