"""A warm cache is honest: what a rewrite costs, when it has paid, and when `auto` waits for it."""

from collections.abc import Callable

import pytest
from transcripts import plain_turn, tool_turn

from jupyter_history.context import Cache, Policy, plan
from jupyter_history.context.economics import rewrite
from jupyter_history.model.catalog import Price, Profile
from jupyter_history.transcript import Message

Make = Callable[..., Profile]


def price(read: float) -> Price:
    return Price(2.0, 10.0, 2.0 * read, 2.0 * 1.25, 4.0)


def half_full(turns: int = 8) -> list[Message]:
    return [message for k in range(turns) for message in tool_turn(k)]


@pytest.mark.parametrize(("read", "turns"), [(0.10, 29), (0.05, 60), (0.025, 122)])
def test_the_break_even_is_the_published_table(read: float, turns: float) -> None:
    cost = rewrite(20_000, 50_000, price(read), cached=70_000, before_edit=0, now=0, limit=0, growth=0)
    assert cost.pays_after == pytest.approx(turns, abs=1.5)
    assert cost.cost == pytest.approx(50_000 * 2 * (1.25 - read) / 1e6)


def test_only_what_is_cached_behind_the_edit_is_lost() -> None:
    cost = rewrite(20_000, 50_000, price(0.1), cached=30_000, before_edit=25_000, now=0, limit=0, growth=0)
    assert cost.behind == 5_000
    cold = rewrite(20_000, 50_000, price(0.1), cached=0, before_edit=0, now=0, limit=0, growth=0)
    assert (cold.behind, cold.cost, cold.pays_after, cold.waits) == (0, 0.0, 0.0, False)


def test_without_a_price_nothing_is_claimed_and_nothing_waits() -> None:
    cost = rewrite(20_000, 50_000, None, cached=70_000, before_edit=0, now=0, limit=100_000, growth=1.0)
    assert (cost.cost, cost.pays_after, cost.waits) == (None, None, False)
    assert "no price is known" in str(cost)


def test_a_free_model_has_nothing_to_wait_for() -> None:
    cost = rewrite(9, 50, Price(0, 0, 0, 0, 0), cached=70_000, before_edit=0, now=0, limit=100, growth=1.0)
    assert not cost.waits
    assert str(cost) == "50 cached tokens are written anew, which is free for this model"


def test_auto_waits_while_the_cache_is_warm_and_the_rewrite_would_not_pay(model: Make) -> None:
    path = half_full()
    window = round(plan(path, "next", model()).rungs[0].before / 0.85) + 1_000
    roomy = model(window=window)
    warm = Cache(tokens=6_000, growth=3_000)
    waiting = plan(path, "next", roomy, cache=warm)
    assert waiting.overlays == ()
    assert waiting.rungs[0].why.startswith("waits: rewriting")
    assert plan(path, "next", roomy).overlays, "cold, it is free"
    assert plan(path, "next", roomy, cache=warm, policy=Policy.named("elision")).overlays, "asked for, it runs"
    assert plan(path, "next", roomy, cache=Cache(6_000, 1.0)).overlays, "many turns are left, so it pays"


def test_auto_does_not_wait_beyond_its_limit(model: Make) -> None:
    path = half_full()
    window = round(plan(path, "next", model()).rungs[0].before / 0.95) + 1_000
    made = plan(path, "next", model(window=window), cache=Cache(6_000, 3_000))
    assert made.overlays
    assert made.rewrite is not None
    assert made.rewrite.behind > 0


def test_a_rewrite_that_takes_back_next_to_nothing_is_not_worth_a_new_prefix(model: Make) -> None:
    path = [*tool_turn(0, 400), *(m for k in range(1, 9) for m in plain_turn(k, "word " * 300, "yes " * 200))]
    full = plan(path, "next", model(vision=False), policy=Policy.named("off")).tokens
    snug = model(vision=False, window=round(full / 0.85) + 1_000)
    made = plan(path, "next", snug, policy=Policy(rungs=("elision",), fresh_results=0.0))
    assert made.overlays == ()
    assert "too few for a new prefix" in made.rungs[0].why


def test_pages_that_only_grow_keep_their_sealed_pages_in_the_cache(model: Make) -> None:
    answer = "The nested mixture has its parameter on the boundary, so there is nothing to expand around. " * 30
    path = [m for k in range(50) for m in plain_turn(k, "go on", answer)]
    roomy = model(window=60_000)
    first = plan(path, "next", roomy)
    grown = [*path, *(m for k in range(60, 84) for m in plain_turn(k, "go on", answer))]
    second = plan(grown, "then", roomy, overlays=first.overlays, cache=Cache(first.tokens))
    assert second.rewrite is not None
    assert [overlay.kind for overlay in second.overlays] == ["snapshot"]
    sealed = sum(page.tokens() for page in first.pages if page.sealed)
    assert second.rewrite.behind <= first.tokens - sealed
