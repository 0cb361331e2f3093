"""Pages that were sent once are sent again byte for byte, whatever the machine's zlib would make of them today."""

from __future__ import annotations

import base64
import importlib
from collections.abc import Callable

import pytest

from jupyter_history.model.client import Client
from jupyter_history.session.session import Session

LONG = "On this day the assay gave a reading close to what the team had expected from the model. " * 40


def images(session: Session) -> list[bytes]:
    """Of the request that was sent for the newest turn."""
    blocks = [block for m in session.request()["messages"] for block in m["content"] if block["type"] == "image"]
    return [base64.b64decode(block["source"]["data"]) for block in blocks]


def test_rule_16_another_zlib_does_not_change_the_bytes_of_a_page_that_was_sent(
    opened: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(model="offline", client=Client())
    for _ in range(6):
        session.send(LONG)
    sent = images(session)
    assert sent
    draw = importlib.import_module("jupyter_history.pages.draw")
    monkeypatch.setattr(draw, "LEVEL", 9)
    draw.painted.cache_clear()
    assert images(opened(model="offline", client=Client())) == sent
