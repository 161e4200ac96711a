"""Make docs/reference/python.md from signatures and docstrings, as Markdown that needs no tool to be read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import griffe

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
WIDTH = 100
"""Characters of a signature above which each parameter gets a line."""
OPTIONS: griffe.GoogleOptions = {"returns_multiple_items": False, "returns_named_value": False, "warnings": False}
"""How docstrings are parsed: the text after ``Returns:`` is one, and names no value."""
STORE_PARTS = {
    "reading": "Read documents",
    "searching": "Search, and make contexts",
    "citing": "Cite",
    "writing": "Write documents",
    "jobs": "Jobs",
    "models": "Embedding models",
    "pictures": "Originals and pictures",
    "versions": "Earlier versions",
    "entities": "Entities",
    "works": "Cited works",
    "learning": "Tune and evaluate",
    "feedback": "Reviews and the log of queries",
    "keeping": "Back up and check",
    "store": "The store itself",
}
"""Headings of the methods of ``Store``, by the module that defines them."""
RESULTS = {
    "results": ("Hit", "Citation", "Node", "TocEntry", "PathEntry", "RelatedNode", "Relation", "Document", "Table"),
    "context": ("Context", "ContextDocument", "ContextBlock", "ContextPart", "SectionHit"),
    "pictures": ("Page", "Picture"),
}
"""Classes that the methods return, by the module of ``ragraph.schema``."""


def page() -> str:
    """Return the page."""
    ragraph = griffe.load("ragraph", search_paths=[ROOT], docstring_parser="google", docstring_options=OPTIONS)
    schema = griffe.load("schema", search_paths=[ROOT], docstring_parser="google", docstring_options=OPTIONS)
    lines = [
        "<!-- made by `make docs` from the docstrings -->",
        "# Python reference",
        "",
        "`import ragraph` gives `open`, `restore`, `Store` and the classes of the results; the other modules below are"
        " imported by name.",
        "",
        "## Open a store",
    ]
    opening = ragraph["store.opening"]
    lines += [*_function(opening["open"], "ragraph.open"), *_function(opening["restore"], "ragraph.restore")]
    lines += ["", "## Store", "", *_text(ragraph["store.store.Store"])]
    lines += _store(ragraph["store.store.Store"])
    lines += ["", "## Results"]
    for module, names in RESULTS.items():
        for name in names:
            lines += _class(schema[module][name], f"ragraph.{name}", level=3)
    for module in ("search", "filters"):
        lines += ["", f"## ragraph.{module}", "", *_text(ragraph[module])]
        for member in _public(ragraph[module]):
            if member.is_class:
                lines += _class(member, member.name, level=3)
            elif member.is_function:
                lines += _function(member, member.name)
    lines += [
        "",
        "## ragraph.errors",
        "",
        *_text(ragraph["errors"]),
        "",
        "| exception | SQLSTATE | |",
        "| --- | --- | --- |",
    ]
    for member in _public(ragraph["errors"]):
        if member.is_class:
            state = str(member.members["sqlstate"].value).strip("\"'") if "sqlstate" in member.members else ""
            summary = " ".join(member.docstring.value.partition("\n\n")[0].split()) if member.docstring else ""
            lines.append(f"| `{member.name}` | {state} | {summary.replace('``', '`')} |")
    return "\n".join(lines).replace("```\n\n```python\n", "\n").replace("\n\n\n", "\n\n") + "\n"


def _store(store: Any) -> Iterator[str]:
    found: dict[str, list[Any]] = {part: [] for part in STORE_PARTS}
    for name, member in store.all_members.items():
        if not name.startswith("_") and (member.is_function or "property" in member.labels) and member.docstring:
            defined = member.target if member.is_alias else member
            found[defined.filepath.stem].append(defined)
    for members in found.values():
        members.sort(key=lambda member: member.lineno or 0)
    yield from ["", "| | methods |", "| --- | --- |"]
    for part, members in found.items():
        links = ", ".join(f"[{member.name}](#store{member.name.lower()})" for member in members)
        yield f"| {STORE_PARTS[part]} | {links} |"
    for part, members in found.items():
        yield from ["", f"### {STORE_PARTS[part]}"]
        for member in members:
            yield from _function(member, f"Store.{member.name}", level=4)


def _public(module: Any) -> list[Any]:
    members = [member for name, member in module.members.items() if not name.startswith("_") and not member.is_alias]
    return sorted(members, key=lambda member: member.lineno or 0)


def _class(member: Any, name: str, *, level: int) -> Iterator[str]:
    yield from ["", f"{'#' * level} {name}", "", *_text(member)]
    fields = [
        item for item in _public(member) if item.is_attribute and item.annotation and "property" not in item.labels
    ]
    if fields:
        yield from ["", "| field | type | |", "| --- | --- | --- |"]
        for item in fields:
            meaning = _line(item.docstring.value if item.docstring else "").replace("|", "\\|")
            kind = str(item.annotation).replace("|", "\\|")
            yield f"| `{item.name}` | `{kind}` | {meaning} |"
    for item in _public(member):
        if (item.is_function or "property" in item.labels) and item.docstring:
            yield from _function(item, f"{member.name}.{item.name}", level=level + 1)


def _function(member: Any, name: str, *, level: int = 3) -> Iterator[str]:
    yield from ["", f"{'#' * level} {name}", "", "```python", *_signature(member), "```", "", *_text(member)]


def _signature(member: Any) -> list[str]:
    returns = f" -> {member.annotation}" if member.is_attribute else f" -> {member.returns}"
    if member.is_attribute:
        return [f"{member.name}{returns}"]
    parts: list[str] = []
    star = False
    for parameter in member.parameters:
        if parameter.name in {"self", "cls"}:
            continue
        prefix = {"variadic positional": "*", "variadic keyword": "**"}.get(parameter.kind.value, "")
        star = star or prefix == "*"
        if parameter.kind.value == "keyword-only" and not star:
            parts.append("*")
            star = True
        text = f"{prefix}{parameter.name}: {parameter.annotation}" if parameter.annotation else prefix + parameter.name
        parts.append(text + (f" = {parameter.default}" if parameter.default is not None and not prefix else ""))
    line = f"{member.name}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH:
        return [line]
    return [f"{member.name}(", *(f"    {part}," for part in parts), f"){returns}"]


def _text(member: Any) -> list[str]:
    lines: list[str] = []
    for section in member.docstring.parsed if member.docstring else ():
        kind = section.kind.value
        if kind == "text":
            lines += ["", *_prose(section.value)]
        elif kind in {"parameters", "other parameters", "attributes"}:
            lines += ["", *(f"- `{item.name}`: {_line(item.description)}" for item in section.value)]
        elif kind in {"returns", "yields"}:
            lines += ["", *(f"Returns: {_line(item.description)}" for item in section.value)]
        elif kind == "raises":
            lines += ["", *(f"- raises `{item.annotation}`: {_line(item.description)}" for item in section.value)]
        elif kind == "examples":
            lines += ["", *(part for _, example in section.value for part in ("```python", example, "```"))]
    return lines[1:]


def _prose(text: str) -> list[str]:
    """Return the text of a docstring as Markdown; what is set in from the margin is code."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        if block.startswith("    "):
            lines += ["", "```python", *(line.removeprefix("    ") for line in block.split("\n")), "```"]
        else:
            lines += ["", *(line.rstrip() for line in block.split("\n"))]
    return [
        re.sub(r":(?:class|func|meth|data):`~?([^`]+)`", r"`\1`", line).replace("``", "`")
        if "```" not in line
        else line
        for line in lines[1:]
    ]


def _line(text: str) -> str:
    return " ".join(text.split()).replace("``", "`")
