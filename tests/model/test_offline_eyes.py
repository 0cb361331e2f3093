"""The offline reader reads pages: from the pixels it received, as the tier shows them, and it says so."""

from __future__ import annotations

import base64
import io
from typing import Any

import pytest
from PIL import Image

from jupyter_history.errors import ModelError
from jupyter_history.model.client import Client
from jupyter_history.model.offline.passages import read
from jupyter_history.pages import draw

FILL = "The weather in Kyiv was mild that week, and nobody minded the long walk to the station. "


def image(png: bytes) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png).decode()}
    return {"type": "image", "source": source}


def asked(question: str, *content: dict[str, Any], model: str = "offline", before: str = "") -> str:
    text = [{"type": "text", "text": part} for part in (before, question) if part]
    messages = [{"role": "user", "content": [*content, *text]}]
    with Client().stream({"model": model, "max_tokens": 1_000, "messages": messages}) as stream:
        list(stream)
    return str(stream.content[0]["text"])


def request(picture: dict[str, Any], model: str) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": [picture, {"type": "text", "text": "codes?"}]}]}


def quotes(answer: str) -> list[str]:
    return [line[2:] for line in answer.splitlines() if line.startswith("> ") and not line.startswith("> — ")]


def test_a_fact_on_a_page_is_quoted_with_page_and_turn() -> None:
    pages = draw([("T000", "user", FILL), ("T001", "user", "The launch code is 7-ALPHA-93. " + FILL)])
    answer = asked("What is the launch code?", image(pages[0].png))
    assert quotes(answer) == ["The launch code is 7-ALPHA-93."]
    assert "— *message 1: page 1, T001, user*" in answer
    assert "Decoded exactly from the pixels" in answer
    assert "real models misread silently" in answer


def test_only_the_pixels_count() -> None:
    """The same page without its metadata, re-encoded: what is read is what the picture shows."""
    png = draw([("T000", "user", "The launch code is 7-ALPHA-93.")])[0].png
    stream = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").save(stream, "PNG")
    assert quotes(asked("What is the launch code?", image(stream.getvalue()))) == ["The launch code is 7-ALPHA-93."]


def test_a_sentence_over_the_end_of_a_page_is_whole() -> None:
    text = FILL * 139 + "The launch code of the northern site is 7-ALPHA-93. " + FILL * 3
    pages = draw([("T000", "user", text)])
    assert len(pages) == 2
    first = "".join(span.text for span in pages[0].spans)
    assert "7-ALPHA-93" not in first
    assert "The launch" in first
    answer = asked("What is the launch code of the northern site?", *[image(page.png) for page in pages])
    assert quotes(answer)[0] == "The launch code of the northern site is 7-ALPHA-93."
    assert "page 1, T000" in answer


def test_a_page_that_the_tier_shrinks_cannot_be_read_and_that_is_said() -> None:
    png = draw("The launch code is 7-ALPHA-93.")[0].png
    large = Image.new("1", (2_000, 2_000), 1)
    large.paste(Image.open(io.BytesIO(png)), (0, 0))
    stream = io.BytesIO()
    large.save(stream, "PNG")
    answer = asked("What is the launch code?", image(stream.getvalue()))
    assert quotes(answer) == []
    assert "2000x2000 pixels, shrunk to 1092x1092 pixels" in answer


def test_a_picture_that_is_no_page_is_named() -> None:
    stream = io.BytesIO()
    Image.new("RGB", (300, 200), "green").save(stream, "PNG")
    assert "an image of 300x200 pixels that is no page" in asked("What is it?", image(stream.getvalue()))


def test_a_damaged_page_is_named() -> None:
    png = draw("The launch code is 7-ALPHA-93.")[0].png
    assert "that is no page" in asked("What is it?", image(png[: len(png) // 2]))


def test_a_page_inside_a_tool_result_is_read_too() -> None:
    png = draw("The launch code is 7-ALPHA-93.")[0].png
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": [image(png)]}
    messages = [
        {"role": "user", "content": "What is the launch code?"},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]
    with Client().stream({"model": "offline", "max_tokens": 500, "messages": messages}) as stream:
        list(stream)
    assert quotes(stream.content[0]["text"]) == ["The launch code is 7-ALPHA-93."]


def test_a_sidecar_is_a_source_of_its_own() -> None:
    answer = asked("Which commit, 9f3a77b?", before="[page 2, exact strings] T004: 9f3a77b /tmp/a.txt; T005: 4711")
    assert quotes(answer) == ["T004: 9f3a77b /tmp/a.txt"]
    assert "sidecar of page 2" in answer


def test_a_reader_without_vision_refuses_a_page() -> None:
    with pytest.raises(ModelError, match="image input is not supported"):
        asked("What?", image(draw("text")[0].png), model="offline-text")


def test_the_blurry_reader_misreads_the_same_way_each_time_and_says_that_it_is_a_simulation() -> None:
    facts = "The launch codes are " + " and ".join(f"I{n}l0O-{n * 7919}" for n in range(20)) + "."
    png = draw(facts)[0].png
    first, again = (asked("What are the launch codes?", image(png), model="offline-blurry") for _ in range(2))
    assert first == again
    assert "simulation" in first
    exact, blurred = (
        " ".join(passage.text for passage in read(request(image(png), model)).passages)
        for model in ("offline", "offline-blurry")
    )
    wrong = sum(a != b for a, b in zip(blurred, exact, strict=True))
    assert 0 < wrong < len(exact) / 5


def test_the_blurry_reader_sees_text_clearly() -> None:
    answer = asked("What is the launch code?", before="The launch code is I1l0O-93.", model="offline-blurry")
    assert quotes(answer) == ["The launch code is I1l0O-93."]
    assert "simulat" not in answer
