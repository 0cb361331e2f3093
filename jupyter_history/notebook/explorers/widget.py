"""The explorers as a widget, for any front end that has widgets. Imported when the first view is shown in a kernel.

What is synced is the view's state: topology and numbers. Texts, diffs and images are asked for by id over messages.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from ..following import Place, places
from .desk import Desk
from .front import link

if TYPE_CHECKING:
    from .view import View

STATIC = Path(__file__).parents[2] / "static"


@cache
def _script() -> str:
    """The built JavaScript; where a checkout was not built, a line that says so."""
    path = STATIC / "widget.js"
    if path.exists():
        return path.read_text(encoding="utf-8")
    return "export default { render({ el }) { el.textContent = 'The front end is not built: ./dev build'; } };"


class Explorer(anywidget.AnyWidget):
    """One view in the front end."""

    state = traitlets.Dict().tag(sync=True)

    def __init__(self, view: View, state: dict[str, Any]) -> None:
        self._view = view
        self._desk = Desk.of(view.session)
        self._desk.calls = {**self._desk.calls, "follow": self._follow}
        self.follows: frozenset[Place] = frozenset()
        super().__init__(state=state, _esm=_script())
        self.on_msg(self._asked)
        found = link()
        if found is not None:
            found.shown.add(self)

    @property
    def conversation(self) -> str:
        return self._view.session.id

    def stir(self) -> None:
        """Tell the front end that something in the conversation is new."""
        self.send({"event": "changed"})

    def push(self, state: dict[str, Any]) -> None:
        """Show this state, which may hold texts: it is sent, never synced."""
        self.send({"event": "view", "view": state})

    def named(self) -> dict[str, Any]:
        """The part of a display that names this widget."""
        bundle: Any = self._repr_mimebundle_() or {}
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        return {key: value for key, value in data.items() if key.startswith("application/vnd.jupyter.widget")}

    def _follow(self, at: Any) -> dict[str, Any]:
        """From now on these places are followed, and no others."""
        self.follows = places(at)
        return {}

    def _asked(self, _widget: Any, request: Any, _buffers: Any) -> None:
        id = request.get("id") if isinstance(request, dict) else None
        self.send({"id": id, **self._desk.reply(request)})
