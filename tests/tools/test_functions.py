"""A function of the user as a tool: its schema, what a call is checked against, which names it may have."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

import jupyter_history
from jupyter_history.errors import BadInput, NotFound
from jupyter_history.tools.calling import Caller
from jupyter_history.tools.tools import REGISTERED, Tool, Toolbox


class Point(BaseModel):
    x: float
    y: float


def look(word: str, most: int = 3, how: Literal["near", "exact"] = "near") -> str:
    """Look a word up.

    In the dictionary of the house.

    Args:
        word: What is looked for.
        most: At most so many.
    """
    return f"{word}, {most}, {how}"


def text(result: Any) -> str:
    return str(result.content[0]["text"])


def test_the_schema_comes_from_name_docstring_and_hints() -> None:
    made = Tool("look", look).definition
    assert made["name"] == "look"
    assert made["description"] == "Look a word up.\n\nIn the dictionary of the house."
    schema = made["input_schema"]
    assert schema["properties"]["word"] == {"type": "string", "description": "What is looked for."}
    assert schema["properties"]["how"]["enum"] == ["near", "exact"]
    assert (schema["required"], schema["additionalProperties"]) == (["word"], False)


def test_hints_may_be_models_and_annotated() -> None:
    def move(to: Point, speed: Annotated[float, Field(gt=0)]) -> float:
        return to.x * speed

    tool = Tool("move", move)
    assert tool.call({"to": {"x": 2, "y": 0}, "speed": 3}) == 6
    with pytest.raises(BadInput, match="speed: Input should be greater than 0"):
        tool.call({"to": {"x": 2, "y": 0}, "speed": 0})


def test_a_default_is_the_functions_own() -> None:
    assert Tool("look", look).call({"word": "a"}) == "a, 3, near"


@pytest.mark.parametrize("arguments", [{}, {"word": "a", "colour": "red"}, {"word": "a", "most": "many"}])
def test_arguments_that_do_not_fit_are_one_line(arguments: dict[str, Any]) -> None:
    result = Caller({"look": Tool("look", look)}).run("look", arguments)
    assert result.failed
    assert text(result).startswith("The arguments of look do not fit: ")
    assert "\n" not in text(result)


def test_the_decorator_registers_and_the_function_stays_what_it_was() -> None:
    made = jupyter_history.tool(look)
    assert made is look
    assert made("a") == "a, 3, near"
    assert "look" in REGISTERED


def test_a_tool_defined_again_takes_the_place_of_the_old_one() -> None:
    box = Toolbox()
    box.add(lambda: 1, name="one")
    box.add(lambda: 2, name="one")
    assert box["one"].call({}) == 2
    assert len(box) == 1


def test_tools_come_in_one_order_whatever_the_order_they_were_made_in() -> None:
    box = Toolbox()
    for name in ("b", "a", "c"):
        box.add(lambda: 1, name=name)
    assert list(box.pick()) == ["a", "b", "c"]
    assert list(box.pick(["c", "a"])) == ["a", "c"]


def test_what_cannot_be_a_tool_is_said_when_it_is_made() -> None:
    def many(*words: str) -> None: ...

    def strange(what: object, lock: asyncio.Lock) -> None: ...

    box = Toolbox()
    for function, name, words in [
        (many, None, "has no name for a call"),
        (strange, None, "type that JSON cannot carry"),
        (look, "recall", "has a tool 'recall' of its own"),
        (look, "two words", "is no name for a tool"),
        (3, None, "cannot be called"),
    ]:
        with pytest.raises(BadInput, match=words):
            box.add(function, name=name)  # type: ignore[type-var]
    with pytest.raises(NotFound, match="none: `@tool`"):
        box.pick(["look"])


def test_an_async_function_runs_while_the_kernels_loop_runs() -> None:
    async def slowly(word: str) -> str:
        await asyncio.sleep(0.01)
        return word.upper()

    caller = Caller({"slowly": Tool("slowly", slowly)})

    async def cell() -> str:
        return text(caller.run("slowly", {"word": "done"}))

    # in a thread of its own: a browser that other tests opened keeps a loop running in this one
    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(lambda: asyncio.run(cell())).result() == "DONE"


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("no\nsuch thing"), "ValueError: no such thing"), (SystemExit(1), "SystemExit: 1")],
)
def test_an_error_is_one_line_and_never_a_traceback(error: BaseException, line: str) -> None:
    def fail() -> None:
        raise error

    result = Caller({"fail": Tool("fail", fail)}).run("fail", {})
    assert (result.failed, text(result)) == (True, line)


def test_rule_20_a_key_in_an_error_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ValueError("sent sk-ant-0123456789abcdef to the server")

    assert "sk-ant" not in text(Caller({"fail": Tool("fail", fail)}).run("fail", {}))


def test_an_unknown_tool_is_an_error_that_names_the_others() -> None:
    assert text(Caller({"look": Tool("look", look)}).run("lok", {})) == "There is no tool 'lok'; there are look."
