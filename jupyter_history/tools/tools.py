"""The user's functions as tools: `@tool`, `session.tools.add(f)`; their schemas; one call of one of them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ..errors import BadInput, NotFound

F = TypeVar("F", bound=Callable[..., Any])

OURS = ("recall", "checkpoint", "rewind")
"""Names of the tools that a conversation has by itself."""
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Tool:
    """A function, as the model may call it. Sync or async; its hints say what JSON it takes."""

    name: str
    function: Callable[..., Any]

    @cached_property
    def definition(self) -> dict[str, Any]:
        """Name, description and JSON schema, as the Messages API takes them."""
        schema = self._arguments.json_schema()
        schema.pop("title", None)
        for field in schema.get("properties", {}).values():
            field.pop("title", None)
        return {"name": self.name, "description": self._doc[0] or self.name, "input_schema": schema}

    def call(self, arguments: Mapping[str, Any]) -> Any:
        """What the function returns (an awaitable where it is async). BadInput where the arguments do not fit."""
        import pydantic

        try:
            given = self._arguments.validate_python(dict(arguments))
        except pydantic.ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
            raise BadInput(f"The arguments of {self.name} do not fit: {wrong}.") from None
        return self.function(**given)

    @cached_property
    def _doc(self) -> tuple[str, dict[str, str]]:
        """The docstring's description, and those of the parameters."""
        text = inspect.getdoc(self.function) or ""
        import docstring_parser

        try:
            parsed = docstring_parser.parse(text)
        except docstring_parser.ParseError:
            return text, {}
        parts = [part for part in (parsed.short_description, parsed.long_description) if part]
        return "\n\n".join(parts), {each.arg_name: each.description or "" for each in parsed.params}

    @cached_property
    def _arguments(self) -> Any:
        """The parameters as a typed dictionary, which pydantic makes the schema of and checks calls against."""
        import typing

        import pydantic
        import typing_extensions

        try:
            hints = typing.get_type_hints(self.function, include_extras=True)
        except Exception as error:
            raise BadInput(f"The type hints of {self.name} cannot be read: {error}. It is not a tool.") from error
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise BadInput(
                    f"The parameter {str(parameter)!r} of {self.name} has no name for a call to use. Not a tool."
                )
            hint = hints.get(parameter.name, typing.Any)
            described = self._doc[1].get(parameter.name)
            if described:
                hint = typing.Annotated[hint, pydantic.Field(description=described)]
            fields[parameter.name] = (
                hint if parameter.default is parameter.empty else typing_extensions.NotRequired[hint]
            )
        make: Any = typing_extensions.TypedDict
        form = make(self.name, fields)
        form.__pydantic_config__ = pydantic.ConfigDict(extra="forbid")
        try:
            return pydantic.TypeAdapter(form)
        except pydantic.errors.PydanticUserError as error:
            why = str(error).split("\n")[0]
            raise BadInput(f"A parameter of {self.name} has a type that JSON cannot carry: {why} Not a tool.") from None


class Toolbox:
    """Tools by name. What is in `under` is in it too, unless a tool of its own has that name."""

    def __init__(self, under: Toolbox | None = None) -> None:
        self._own: dict[str, Tool] = {}
        self._under = under

    def add(self, function: F, *, name: str | None = None) -> F:
        """Let the model call this function. A tool of the same name gives way. BadInput where it cannot be one."""
        named = str(name or getattr(function, "__name__", type(function).__name__))
        if not callable(function):
            raise BadInput(f"{named} cannot be called; a tool is a function.")
        if not _NAME.fullmatch(named):
            raise BadInput(f"{named!r} is no name for a tool: letters, digits, _ and -, at most 64. Give `name=`.")
        if named in OURS:
            raise BadInput(f"Every conversation has a tool {named!r} of its own. Choose another name.")
        made = Tool(named, function)
        _ = made.definition  # what is wrong with it is said here, not in the middle of an answer
        self._own[named] = made
        return function

    def remove(self, name: str) -> None:
        """Take a tool away. NotFound lists those there are."""
        self._own.pop(self[name].name, None)

    def pick(self, names: Sequence[str] | None = None) -> dict[str, Tool]:
        """These tools, or all, by name; in one order always, so that the same tools are the same request."""
        return {name: self[name] for name in sorted(set(self if names is None else names))}

    def __getitem__(self, name: str) -> Tool:
        found = self._own.get(name) or (self._under._own.get(name) if self._under is not None else None)
        if found is None:
            known = ", ".join(sorted(self)) or "none: `@tool` above a function registers it"
            raise NotFound(f"There is no tool {name!r}; there are {known}.")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter({**(self._under._own if self._under is not None else {}), **self._own})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in list(iter(self))

    def __repr__(self) -> str:
        return f"<Tools: {', '.join(sorted(self)) or 'none'}>"


REGISTERED = Toolbox()
"""The tools of this process that `@tool` made; every session has them."""


def tool(function: F) -> F:
    """Let the models of all sessions in this process call `function`. It stays the function it was."""
    return REGISTERED.add(function)
