"""Rule 20: a key is in no file that was written, no output and no error, whatever a server says."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_history import transfer
from jupyter_history.errors import ChatError
from jupyter_history.model.scripted import Scripted
from jupyter_history.session.session import Session

KEY = "sk-ant-api03-hush-hush-hush-hush-hush-hush-hush-hush-AA"


def test_a_key_is_in_no_file_and_no_error(
    session: Session, script: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    session.send("one")
    script.error(401, "authentication_error", f"invalid x-api-key: {KEY}")
    with pytest.raises(ChatError) as told:
        session.send("two")
    script.error(400, "invalid_request_error", f"strange header {KEY}")
    with pytest.raises(ChatError) as again:
        session.again()
    assert "hush" not in f"{told.value} {again.value} {session.turns()} {session!r}"
    assert len(session.store.failed(session.id)) == 2
    for suffix in transfer.FORMATS:
        transfer.write(session.store.bundle(session.id), tmp_path / f"out{suffix}")
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) >= 4
    for path in written:
        assert b"hush" not in path.read_bytes(), path
