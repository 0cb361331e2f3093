"""The estimate: linear in the text, exact for images, corrected by what the server measured."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transcripts import call, image, result, text, thinking

from jupyter_history.context.picture import picture
from jupyter_history.context.tokens import Calibration, Estimator, text_tokens
from jupyter_history.pages import image_size, image_tokens
from jupyter_history.transcript import Message


def test_english_costs_about_a_token_for_three_characters_with_the_newer_tokenizer() -> None:
    prose = "The committee agreed that the results of the second trial were clear enough to go on. " * 20
    assert 2.8 < len(prose) / text_tokens(prose, "new") < 4.0
    assert text_tokens(prose, "old") < text_tokens(prose, "new")


def test_a_script_is_counted_by_its_own_weight() -> None:
    assert text_tokens("漢字", "new") == pytest.approx(2 * 1.10)
    assert text_tokens("かな", "new") == pytest.approx(2 * 0.85)
    assert text_tokens("한글", "new") == pytest.approx(2 * 1.46)
    assert text_tokens("🙂", "new") == pytest.approx(2.63)
    assert text_tokens("é", "old") == pytest.approx(1.54)


def test_one_blank_is_free_and_a_run_of_them_counts_once() -> None:
    assert text_tokens("a b") == text_tokens("a\x01b")
    assert text_tokens("a    b") == pytest.approx(text_tokens("a b") + 0.841)
    assert text_tokens("한 b") == pytest.approx(text_tokens("한") + text_tokens("b"))


@given(st.text(max_size=300), st.text(max_size=300))
def test_text_on_a_new_line_costs_what_it_costs_alone(a: str, b: str) -> None:
    assert text_tokens(f"{a}\n{b}") == pytest.approx(text_tokens(a) + text_tokens(b) + text_tokens("\n"))


@pytest.mark.parametrize(
    ("width", "height", "tier", "tokens"),
    [
        (896, 1344, "standard", 1536),
        (896, 1344, "high", 1536),
        (1568, 784, "standard", 1568),
        (1932, 1932, "high", 4761),
        (1, 1, "standard", 1),
        (2576, 1456, "high", 4784),
    ],
)
def test_image_tokens_are_the_providers_own_figures(width: int, height: int, tier: str, tokens: int) -> None:
    assert image_tokens(width, height, tier) == tokens


def test_an_image_over_the_tiers_limits_is_shrunk_as_the_provider_does() -> None:
    assert image_size(1240, 1754, "standard") == (924, 1307)
    assert image_size(2000, 2000, "standard") == (1092, 1092)
    assert image_size(2000, 2000, "high") == (1932, 1932)


@given(st.integers(1, 9000), st.integers(1, 9000), st.sampled_from(["standard", "high"]))
def test_no_image_costs_more_than_its_tiers_limit(width: int, height: int, tier: str) -> None:
    assert 1 <= image_tokens(width, height, tier) <= (1568 if tier == "standard" else 4784)


def test_an_image_tells_its_size_without_being_decoded() -> None:
    assert (picture(image(801, 602)).width, picture(image(801, 602)).height) == (801, 602)
    unknown = picture({"type": "image", "source": {"type": "url", "url": "https://example.org/x.png"}})
    assert unknown.width == 0
    assert Estimator().content(({"type": "image", "source": {"type": "url", "url": "u"}},)).images == 1568


def test_images_inside_a_tool_result_are_counted() -> None:
    weight = Estimator().content((result("a", [image(800, 600), text("two")]),))
    assert (weight.count, weight.side, weight.images) == (1, 800, image_tokens(800, 600, "standard"))


def test_a_message_is_weighed_once_and_anew_when_its_content_differs() -> None:
    estimator = Estimator()
    first = Message("user", (text("one"),), "a00000", 0)
    assert estimator.message(first) is estimator.message(Message("user", (text("one"),), "a00000", 0))
    assert (
        estimator.message(Message("user", (text("one two three"),), "a00000", 0)).text > estimator.message(first).text
    )


def test_thinking_counts_and_its_signature_does_not() -> None:
    estimator = Estimator()
    signed = {**thinking("I see"), "signature": "s" * 5000}
    assert estimator.content((signed,)).text == estimator.content((thinking("I see"),)).text
    assert estimator.content((signed,)).thinking


def test_tools_cost_their_definitions_and_the_providers_own_prompt() -> None:
    estimator = Estimator()
    assert estimator.tools([]) == 0
    assert estimator.tools([call("x")]) > 300


def test_the_first_measured_request_sets_the_ratio_and_later_ones_move_it() -> None:
    once = Calibration().learn(1500, 1000.0)
    assert once.ratio == 1.5
    assert once.learn(1000, 1000.0).ratio == 1.25
    assert once.tokens(100.0, 40) == 190


def test_image_tokens_are_exact_so_only_text_is_calibrated() -> None:
    assert Calibration().learn(1200 + 1536, 1000.0, 1536).ratio == pytest.approx(1.2)


@given(st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 10**6), st.integers(0, 5000)), max_size=8))
def test_no_strange_figure_takes_the_calibration_out_of_its_clamps(figures: list[tuple[int, float, int]]) -> None:
    calibration = Calibration()
    for measured, estimated, images in figures:
        calibration = calibration.learn(measured, estimated, images)
    assert 0.5 <= calibration.ratio <= 4.0
