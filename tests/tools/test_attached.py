"""Images and values in a prompt: what is sent, what is kept, when a rerun asks again."""

from __future__ import annotations

import base64
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from IPython.core.error import UsageError
from PIL import Image

from jupyter_history.errors import BadInput
from jupyter_history.model.scripted import Scripted
from jupyter_history.notebook.attaching import attached
from jupyter_history.session.session import Session
from jupyter_history.tools.attached import attach
from jupyter_history.transcript import Maker

Opened = Callable[..., Session]


def picture(colour: str = "red", kind: str = "PNG") -> bytes:
    out = BytesIO()
    Image.new("RGB", (20, 10), colour).save(out, kind)
    return out.getvalue()


def content(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{k: v for k, v in block.items() if k != "cache_control"} for block in body["messages"][-1]["content"]]


def texts(names: dict[str, Any], prompt: str, folder: Path = Path()) -> list[str]:
    made = attached(prompt, (), names, folder)
    return [block.get("text", "<image>") for block in made.content] if made else [prompt]


def test_an_image_goes_before_the_text_byte_for_byte(session: Session, script: Scripted, tmp_path: Path) -> None:
    (tmp_path / "fig.png").write_bytes(picture(kind="JPEG"))
    session.send("what is it?", images=[tmp_path / "fig.png", Image.new("RGB", (5, 5))])
    first, second, words = content(script.requests[0])
    assert first["source"]["media_type"] == "image/jpeg", "by its bytes, not by its name"
    assert base64.b64decode(first["source"]["data"]) == picture(kind="JPEG")
    assert second["type"] == "image"
    assert words == {"type": "text", "text": "what is it?"}


@pytest.mark.parametrize("image", ["gone.png", b"no image", [1, 2], "text.png"])
def test_what_is_no_image_sends_nothing(session: Session, script: Scripted, tmp_path: Path, image: Any) -> None:
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(BadInput, match=r"Nothing was sent\."):
        session.send("what?", images=[tmp_path / image if isinstance(image, str) else image])
    assert not script.requests


def test_a_model_without_eyes_is_told_before_anything_is_sent(opened: Opened, script: Scripted) -> None:
    with pytest.raises(BadInput, match="sees no images"):
        opened(model="offline-text").send("what?", images=[picture()])
    assert not script.requests


def test_a_rerun_with_the_same_bytes_is_stored_and_with_others_asks(session: Session, script: Scripted) -> None:
    maker = Maker("nb", "cell")

    def run(data: bytes) -> tuple[bool, str]:
        ran = session.run(maker, "what?", {}, attached=attach("what?", [data]))
        return ran.stored, ran.turn.id

    (_, first), (stored, same), (asked, other) = run(picture()), run(picture()), run(picture("blue"))
    assert (stored, same) == (True, first)
    assert (asked, other != first) == (False, True)
    assert run(picture()) == (True, first)
    assert len(script.requests) == 2


def test_again_and_retry_send_the_same_image(session: Session, script: Scripted) -> None:
    session.send("what?", images=[picture()])
    session.again()
    assert content(script.requests[0]) == content(script.requests[1])
    script.error(400, "invalid_request_error", "no")
    with pytest.raises(Exception, match="no"):
        session.send("and this?", images=[picture("blue")])
    session.retry()
    assert content(script.requests[-1]) == content(script.requests[-2])


def test_values_are_put_into_the_text() -> None:
    names = {"x": 3, "word": "stuff", "data": {"a": 1}}
    assert texts(names, "x is $`x`, $`word.upper()`; $`data`.") == ['x is 3, STUFF; {"a": 1}.']


@pytest.mark.parametrize(
    "prompt", ["{x} {} {{x}}", "$x ${x} $5 and $6", "`x` and ``$x``", "$`", "$``", "$`x\ny`", "a $ `x` b", "$$x$$"]
)
def test_braces_and_dollars_alone_are_literal(prompt: str) -> None:
    assert texts({"x": 3}, prompt) == [prompt]


def test_a_backslash_makes_it_literal() -> None:
    assert texts({"x": 3}, r"write \$`x` for $`x`") == ["write $`x` for 3"]


def test_a_value_is_never_expanded_again() -> None:
    assert texts({"x": "$`y` {y} $y", "y": "no"}, "<$`x`>") == ["<$`y` {y} $y>"]


def test_an_image_value_stands_where_it_was_written() -> None:
    assert texts({"im": Image.new("RGB", (4, 4))}, "before $`im` after") == ["before ", "<image>", " after"]
    assert texts({"im": Image.new("RGB", (4, 4))}, "$`im`") == ["<image>"]


def test_a_table_is_bounded() -> None:
    pandas = pytest.importorskip("pandas")
    (text,) = texts({"df": pandas.DataFrame({"a": range(5000)})}, "look: $`df`")
    assert text.startswith("look: [5,000 rows x 1 columns; shown: the first 20")


@pytest.mark.parametrize("expression", ["gone", "1/0", "x +", "raise_()"])
def test_a_failing_expression_says_which(expression: str) -> None:
    def raise_() -> None:
        raise ValueError("two\nlines sk-ant-0123456789abcdef")

    with pytest.raises(UsageError) as caught:
        texts({"x": 1, "raise_": raise_}, f"look at $`{expression}`")
    text = str(caught.value)
    assert text.startswith(f"$`{expression}` failed (")
    assert text.endswith("nothing was sent")
    assert "\n" not in text
    assert "sk-ant" not in text


def test_the_prompt_is_kept_as_written_and_its_values_are_part_of_the_question(
    session: Session, script: Scripted
) -> None:
    maker, prompt = Maker("nb", "cell"), "x is $`x`"

    def run(x: int) -> tuple[bool, str]:
        ran = session.run(maker, prompt, {}, attached=attached(prompt, (), {"x": x}, Path()))
        return ran.stored, ran.turn.id

    (_, first), again, (asked, _) = run(1), run(1), run(2)
    assert again == (True, first)
    assert asked is False
    assert session.turn(first).prompt == prompt
    assert session.turn(first).messages[0].text == "x is 1"
    assert run(1) == (True, first), "the old value brings the old answer back"
    assert len(script.requests) == 2


def test_from_python_a_prompt_is_literal(session: Session, script: Scripted) -> None:
    session.send("x is $`x`")
    assert content(script.requests[0]) == [{"type": "text", "text": "x is $`x`"}]


def test_image_finds_a_variable_or_a_file_and_says_what_is_near(tmp_path: Path) -> None:
    (tmp_path / "fig.png").write_bytes(picture())
    names = {"shown": Image.new("RGB", (4, 4)), "path": "fig.png"}
    for written in ("shown", "path", "fig.png", str(tmp_path / "fig.png")):
        made = attached("what?", [written], names, tmp_path)
        assert made is not None
        assert [block["type"] for block in made.content] == ["image", "text"]
    with pytest.raises(UsageError, match=r"no file and no variable 'fi\.png'; did you mean fig\.png"):
        attached("what?", ["fi.png"], names, tmp_path)
