"""What is known of the models."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jupyter_history.model import catalog
from jupyter_history.transcript import Usage


def test_the_catalog_and_the_events_import_neither_the_sdk_nor_its_http_layer() -> None:
    code = (
        "import sys, jupyter_history.model.catalog, jupyter_history.model.events, jupyter_history.model.client;"
        "print(sorted({'anthropic', 'httpx2', 'PIL', 'pydantic'} & set(sys.modules)))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        ("claude-sonnet-5-5", Usage(input=1_000_000, output=1_000_000), 12.0),
        ("claude-sonnet-5-5", Usage(cache_read=1_000_000), 0.10),
        ("claude-opus-4-8", Usage(cache_write=1_000_000, cache_write_1h=1_000_000), 16.25),
        ("claude-fable-5-1", Usage(input=1000, cache_read=1000, output=1000), 0.01 + 0.00025 + 0.05),
        ("offline", Usage(input=5000, output=5000), 0.0),
    ],
)
def test_a_request_costs_what_its_kinds_of_tokens_cost(model: str, usage: Usage, dollars: float) -> None:
    assert catalog.cost(model, usage) == pytest.approx(dollars)


def test_every_token_of_a_large_haiku_request_costs_five_times_as_much() -> None:
    small = catalog.cost("claude-haiku-5-5", Usage(input=50_000, cache_read=50_000, output=100))
    large = catalog.cost("claude-haiku-5-5", Usage(input=50_001, cache_read=50_000, output=100))
    assert small == pytest.approx(0.005 + 0.0005 + 0.00005)
    assert large == pytest.approx(5 * small, rel=1e-3)


def test_an_unknown_model_works_with_stated_defaults_and_no_price() -> None:
    entry = catalog.profile("qwen3:8b")
    assert (entry.known, entry.vision, entry.price) == (False, False, None)
    assert "32,000" in entry.note
    assert catalog.cost("qwen3:8b", Usage(input=10)) is None


def test_an_unknown_claude_is_taken_for_a_careful_claude() -> None:
    entry = catalog.profile("claude-opus-9")
    assert (entry.known, entry.vision, entry.window) == (False, True, 200_000)


@pytest.mark.parametrize("name", ["claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"])
def test_dated_and_prefixed_names_are_the_same_model(name: str) -> None:
    assert catalog.profile(name).price == catalog.profile("claude-haiku-4-5").price
    assert catalog.profile(name).id == name


def test_limits_of_the_server_override_the_table() -> None:
    try:
        catalog.learn(
            [
                {"id": "claude-opus-5", "max_input_tokens": 500_000, "max_tokens": None},
                {"id": "llama", "max_input_tokens": 8_192, "capabilities": {"image_input": {"supported": True}}},
            ]
        )
        assert catalog.profile("claude-opus-5").window == 500_000
        assert catalog.profile("claude-opus-5").max_output == 128_000
        assert (catalog.profile("llama").window, catalog.profile("llama").vision) == (8_192, True)
        assert "llama" in [entry.id for entry in catalog.models()]
    finally:
        catalog.forget()
    assert catalog.profile("claude-opus-5").window == 1_000_000


def test_the_default_model_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUPYTER_HISTORY_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert catalog.default_model() == "offline"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://localhost:11434")
    assert catalog.default_model() == "claude-sonnet-5-5"
    monkeypatch.setenv("JUPYTER_HISTORY_MODEL", "offline-4k")
    assert catalog.default_model() == "offline-4k"
