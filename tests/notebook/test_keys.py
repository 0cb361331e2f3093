"""Keys never appear (rule 20)."""

from __future__ import annotations

import pytest

from jupyter_history.notebook.keys import HIDDEN, hide, looks_like_a_key


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("key sk-ant-api03-AbC_def-0123456789 was refused", "sk-ant"),
        ("{'x-api-key': 'my-own-key'}", "my-own-key"),
        ("Authorization: Bearer abc.def", "abc.def"),
        ("postgresql://me:pass word@host/db", "nothing"),
        ("postgresql://me:hush@host/db", "hush"),
    ],
)
def test_keys_are_hidden(text: str, secret: str) -> None:
    assert secret not in hide(text)


def test_the_key_of_this_process_is_hidden_in_any_form(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "plain-word-token")
    assert hide("said plain-word-token twice: plain-word-token") == f"said {HIDDEN} twice: {HIDDEN}"


@pytest.mark.parametrize(
    "text", ["the task-oriented approach", "ask-me-anything-you-want", "--model x", "risk-aversion-and-more"]
)
def test_prose_is_no_key(text: str) -> None:
    assert not looks_like_a_key(text)
    assert hide(text) == text
