"""Any value as content that may be sent: text, JSON, bounded tables, images within the limits."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from jupyter_history.errors import BadInput
from jupyter_history.tools import imaging, results


def png(width: int, height: int, mode: str = "RGB") -> bytes:
    out = BytesIO()
    Image.new(mode, (width, height)).save(out, "PNG")
    return out.getvalue()


def size(block: dict[str, Any]) -> tuple[int, int]:
    with Image.open(BytesIO(base64.b64decode(block["source"]["data"]))) as image:
        return image.size


@dataclass
class Fit:
    slope: float
    names: list[str]


class Odd:
    def __repr__(self) -> str:
        return "<Odd>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is {x} $y", "as it is {x} $y"),
        ({"a": [1, 2.5, None, True]}, '{"a": [1, 2.5, null, true]}'),
        (Fit(1.5, ["a"]), '{"slope": 1.5, "names": ["a"]}'),
        (None, "(nothing was returned)"),
        ("", "(empty)"),
        ("  \n", "(empty)"),
        ([], "[]"),
        (Odd(), "<Odd>"),
        ([Odd()], "[<Odd>]"),
        (b"\x00\x01", "(2 bytes that are not an image)"),
        ("half \ud83d", "half \ufffd"),
        ({3, 1, 2}, "[1, 2, 3]"),
    ],
)
def test_a_value_is_text(value: Any, text: str) -> None:
    assert results.blocks(value) == [{"type": "text", "text": text}]


def test_a_table_is_bounded_and_says_what_was_cut() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({f"c{n}": range(1000) for n in range(30)})
    text = results.text(frame)
    first, *rest = text.splitlines()
    assert first.startswith(
        "[1,000 rows x 30 columns; shown: the first 20 and the last 10 of 1,000 rows and the first 20"
    )
    assert "c29" in first
    assert len(rest) == 31
    assert results.text(pandas.Series([1, 2])).startswith("[2 rows x 1 columns]")
    assert len(results.text(pandas.DataFrame({"long": ["x" * 10_000]}))) < 500


def test_a_figure_is_an_image() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots()
    for value in (figure, axes):
        (block,) = results.blocks(value)
        assert block["source"]["media_type"] == "image/png"


def test_images_among_words_keep_their_order() -> None:
    made = results.blocks(["before", Image.new("RGB", (8, 8)), "after"])
    assert [block["type"] for block in made] == ["text", "image", "text"]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "CMYK", "F", "I"])
def test_an_image_of_any_mode_is_within_the_limits(mode: str) -> None:
    (block,) = results.blocks(Image.new(mode, (3000, 20)))
    assert size(block) == (2000, 13)


def test_an_image_of_too_many_bytes_is_made_smaller() -> None:
    noise = Image.effect_noise((1900, 1900), 200).convert("RGB")
    block = imaging.drawn(
        Image.merge("RGB", [noise.getchannel(0), Image.effect_noise((1900, 1900), 99), noise.getchannel(2)])
    )
    assert len(block["source"]["data"]) <= 5_000_000


def test_an_image_within_the_limits_is_sent_byte_for_byte() -> None:
    data = png(40, 30)
    assert base64.b64decode(imaging.block(data)["source"]["data"]) == data


def test_the_media_type_is_what_the_bytes_say() -> None:
    out = BytesIO()
    Image.new("RGB", (4, 4)).save(out, "JPEG")
    assert imaging.block(out.getvalue(), "picture.png")["source"]["media_type"] == "image/jpeg"
    for kind, said in (("GIF", "image/gif"), ("WEBP", "image/webp"), ("BMP", "image/png"), ("TIFF", "image/png")):
        out = BytesIO()
        Image.new("RGB", (4, 4)).save(out, kind)
        assert imaging.block(out.getvalue())["source"]["media_type"] == said


@pytest.mark.parametrize("data", [b"", b"not an image", png(50, 50)[:60], b"\x89PNG\r\n\x1a\nrest"])
def test_what_is_no_image_says_so_and_which(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"^fig\.png "):
        imaging.block(data, "fig.png")


def test_a_long_text_keeps_its_ends_and_says_how_to_get_the_rest() -> None:
    whole = "start " + "x" * 100_000 + " end"
    kept: list[str] = []

    def keep(text: str) -> str:
        kept.append(text)
        return "r12"

    short = results.shortened(whole, 1000, keep)
    assert kept == [whole]
    assert short.startswith("start ")
    assert short.endswith(" end")
    assert 'of 100,010 characters left out; recall(result="r12") shows all' in short
    assert len(short) < 1200
    assert results.shortened("short", 1000, keep) == "short"
