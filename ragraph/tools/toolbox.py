"""Tools by name: their arguments and results as JSON Schema, and calls with arguments from outside."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from ragraph.base.notices import collect
from ragraph.errors import (
    ArgumentError,
    AssetError,
    ComponentNotFoundError,
    DocumentNotFoundError,
    EntityNotFoundError,
    ModelNotFoundError,
    NodeNotFoundError,
    QuoteNotFoundError,
    RagraphError,
    reworded,
)
from ragraph.tools.bodies import Answered
from ragraph.tools.reading import ReadingTools
from ragraph.tools.writing import WritingTools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ragraph.schema.pictures import Picture
    from ragraph.tools.readable import Readable, ReadableAndWritable

READING = (
    *("list_documents", "outline", "search", "context", "read_section", "read_page", "follow", "cite", "page_image"),
    "entity",
)
WRITING = ("ingest", "update", "delete")
DESTRUCTIVE = ("update", "delete")

_LOOK: dict[type[RagraphError], str] = {
    DocumentNotFoundError: "list_documents returns the ids",
    ComponentNotFoundError: "outline returns the sections",
    NodeNotFoundError: "search, read_section and read_page return the ids of passages",
    ModelNotFoundError: "use mode text, which needs no vectors",
    EntityNotFoundError: "search for its name in the query",
    AssetError: "read it with read_section",
    QuoteNotFoundError: "quote word for word",
}
"""Advice after an error, where tools differ from Python."""


@dataclass(frozen=True)
class Answer:
    """Result of a tool: the structured result, and a picture if the tool returns one."""

    body: BaseModel
    picture: Picture | None = None

    @property
    def text(self) -> str:
        """The result as JSON without blanks and without what is empty: a model reads every character of it."""
        body = self.body.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Tool:
    """A tool: its name and its function, whose docstring is the description for models."""

    name: str
    function: Callable[..., Any] = field(repr=False)
    omitted: tuple[str, ...] = ()
    """Arguments that are not offered."""

    @property
    def description(self) -> str:
        """Its description for models."""
        return inspect.getdoc(self.function) or ""

    def of(self, tools: object) -> Tool:
        """Return the same tool of other tools, such as those of another store."""
        found = Tool(self.name, getattr(tools, self.name))
        found.__dict__["arguments"] = self.arguments  # so that its model is made once
        return found

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The pydantic model that checks its arguments."""
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {
            name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
            for name, parameter in inspect.signature(self.function).parameters.items()
            if name not in self.omitted
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid"), **fields)

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """Its arguments as JSON Schema."""
        return _plain(self.arguments.model_json_schema())

    def call(self, arguments: Mapping[str, Any]) -> Answer:
        """Call it with arguments in the form of JSON.

        Raises:
            ArgumentError: the arguments are not valid.
            RagraphError: an error of the store.
        """
        try:
            given = self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            raise _refused(self, error) from None
        with collect() as said:
            made = self.function(**{name: getattr(given, name) for name in self.arguments.model_fields})
        if isinstance(made, Answered):
            made.notices = said
        return Answer(*made) if isinstance(made, tuple) else Answer(made)


def reading_tools(store: Readable) -> dict[str, Tool]:
    """Return the tools that read a store, by name."""
    tools = ReadingTools(store)
    return {name: Tool(name, getattr(tools, name)) for name in READING}


def writing_tools(store: ReadableAndWritable) -> dict[str, Tool]:
    """Return the tools that change a store, by name."""
    tools = WritingTools(store)
    return {name: Tool(name, getattr(tools, name)) for name in WRITING}


def error_line(error: RagraphError) -> str:
    """Return an error in the form of a tool: its name and one line, with advice for users of tools."""
    line = reworded(error, _LOOK, error.argument)
    return f"{type(error).__name__}: {' '.join(line.split())}".encode("utf-8", "replace").decode()


def _refused(tool: Tool, error: ValidationError) -> ArgumentError:
    """Return the first error in the arguments as one line."""
    first = error.errors(include_url=False, include_context=False)[0]
    name = str(first["loc"][0]) if first["loc"] else tool.name
    if first["type"] == "extra_forbidden":
        return ArgumentError(
            f"{tool.name} takes no {name!r}", hint=f"it takes {', '.join(tool.arguments.model_fields)}"
        )
    if first["type"] == "missing":
        return ArgumentError(f"{tool.name} needs {name}", hint=str(tool.arguments.model_fields[name].description))
    given = repr(first["input"])
    given = given if len(given) <= 60 else f"{given[:60]}…"
    return ArgumentError(f"{name}: {first['msg']}, not {given}")


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in few words, because a model reads all of it in each conversation.

    Titles repeat names. An argument that may be null may also be left out, so its null is not mentioned.
    """

    def cleaned(value: Any, *, names: bool = False) -> Any:
        if isinstance(value, dict):
            kept = {
                key: cleaned(item, names=key in ("properties", "$defs"))
                for key, item in value.items()
                if names or (key not in ("title", "additionalProperties") and (key, item) != ("default", None))
            }
            return kept if names else _joined(kept)
        return [cleaned(item) for item in value] if isinstance(value, list) else value

    plain: dict[str, Any] = cleaned(schema)
    return plain


def _joined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return alternatives as a list of types, without null."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if not kinds or any(not isinstance(kind.get("type"), str) for kind in kinds):
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    types = [kind["type"] for kind in kinds]
    merged = {key: value for kind in kinds for key, value in kind.items() if key != "type"}
    return {"type": types if len(types) > 1 else types[0], **merged, **rest}
