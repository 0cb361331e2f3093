"""Files that go with a prompt: text under its name, images as images, anything else one line."""

from __future__ import annotations

import codecs
from io import BytesIO
from pathlib import Path

import pytest
from IPython.core.error import UsageError
from PIL import Image

from jupyter_history.errors import BadInput
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.attaching import attached
from jupyter_history.session.session import Session
from jupyter_history.tools.attached import attach
from jupyter_history.tools.files import Named, read


def picture(kind: str, size: tuple[int, int] = (20, 10)) -> bytes:
    out = BytesIO()
    Image.new("RGB", size, "red").save(out, kind)
    return out.getvalue()


def test_a_text_file_goes_before_the_prompt_under_its_name(session: Session, script: Scripted, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("$`x` {y}\n")
    session.send("sum up", files=[tmp_path / "notes.md"])
    texts = [block["text"] for block in script.requests[0]["messages"][-1]["content"]]
    assert texts == ["notes.md:\n$`x` {y}\n\n\n", "sum up"]


@pytest.mark.parametrize(
    "data",
    [
        "Eulé".encode(),
        "Eulé".encode("utf-8-sig"),
        "Eulé".encode("utf-16"),
        codecs.BOM_UTF16_BE + "Eulé".encode("utf-16-be"),
        "Eulé".encode("utf-32"),
    ],
)
def test_text_is_utf_8_or_what_its_mark_says(data: bytes) -> None:
    assert read(Named("a.txt", data)).sent["text"] == "a.txt:\nEulé\n\n"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "BMP", "TIFF"])
def test_an_image_file_goes_as_an_image(kind: str) -> None:
    assert read(picture(kind)).sent == attach("", [picture(kind)]).content[0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"%PDF-1.7 text", "a.x is a PDF. Nothing was sent; extract its text"),
        ("Eulé".encode("latin-1"), "a.x is neither UTF-8 text nor an image"),
        (b"PK\x03\x04\x00\x00", "a.x is neither UTF-8 text nor an image"),
        (codecs.BOM_UTF16_LE + b"x", "a.x is neither UTF-8 text nor an image"),
        (b"\x89PNG\r\n\x1a\n", "a.x is not an image that can be read"),
    ],
)
def test_another_file_is_one_line_and_sends_nothing(
    session: Session, script: Scripted, tmp_path: Path, data: bytes, why: str
) -> None:
    (tmp_path / "a.x").write_bytes(data)
    with pytest.raises(BadInput) as caught:
        session.send("what?", files=[tmp_path / "a.x"])
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)
    assert not script.requests


def test_a_value_that_is_no_file_is_told_how_it_goes_in() -> None:
    with pytest.raises(BadInput, match=r"^data is no file but dict\..*\$`expression`"):
        read(Named("data", {}))


def test_a_long_file_is_cut_with_a_note_and_counts_in_whole() -> None:
    one, other = (attach("?", files=[Named("a", f"{'x' * 50_000}{end}{'x' * 50_000}".encode())]) for end in "yz")
    assert one is not None
    assert other is not None
    assert "of 100,001 characters left out" in one.content[0]["text"]
    assert one.notes[0].startswith("`a` was cut: 30,000 of its 100,001 characters were sent")
    assert one.content == other.content
    assert one.settings != other.settings, "what was left out belongs to the question too"


def test_an_image_made_smaller_is_said_wherever_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(picture("PNG", (4000, 100)))
    names = {"wide": Image.new("RGB", (4000, 100)), "small": Image.new("RGB", (40, 10))}
    made = attached("$`wide` $`small`", ["photo.png", "small"], names, tmp_path, ["photo.png"])
    assert made is not None
    assert made.notes == tuple(
        f"`{name}` was made smaller: 4000x100 to 2000x50" for name in ("photo.png", "photo.png", "wide")
    )


def test_a_file_that_is_not_there_is_named_by_its_option(tmp_path: Path) -> None:
    (tmp_path / "notes.md").touch()
    with pytest.raises(
        UsageError, match=r"^--file: there is no file and no variable 'note\.md'; did you mean notes\.md"
    ):
        attached("what?", (), {}, tmp_path, ["note.md"])
