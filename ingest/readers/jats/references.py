"""Entries of a JATS reference list as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers.jats.inline import InlineReader, person
from ragraph.ingest.readers.markup.inline import Inline, join
from ragraph.ingest.readers.markup.xml import attribute, local, words

if TYPE_CHECKING:
    from lxml import etree

_CITATIONS = frozenset({"mixed-citation", "element-citation", "citation", "nlm-citation", "product"})
_READER = InlineReader()


def reference(ref: etree._Element) -> tuple[Inline, dict[str, Any]]:
    """Return the text of a ``ref`` and its stated fields: ``{"ids": {"doi": …}, "entry": {"authors": […], …}}``."""
    parts = [
        _citation(child) for child in ref.iter(*_CITATIONS) if not any(True for _ in child.iterancestors(*_CITATIONS))
    ]
    parts += [_READER.read(child) for child in ref if local(child) == "note"]
    ids: dict[str, str] = {}
    for identifier in ref.iter("pub-id"):
        ids.setdefault(identifier.get("pub-id-type") or "other", words(identifier))
    text = join(parts, " ") if parts else _READER.read(ref)
    data: dict[str, Any] = {"ids": ids} if ids else {}
    cited = next(ref.iter(*_CITATIONS), None)
    if cited is not None and (entry := _entry(cited)):
        data["entry"] = entry
    return text, data


def _entry(cited: etree._Element) -> dict[str, Any]:
    """Return the fields of a citation, named after CSL's variables or our own; of repeated fields the first."""

    def first(*names: str) -> str:
        return next((said for name in names for found in cited.iter(name) if (said := words(found))), "")

    title = first("article-title", "chapter-title", "part-title", "data-title")
    source = first("source")
    start, end = first("fpage", "elocation-id"), first("lpage")
    fields = {
        "authors": [name for found in _people(cited) if (name := _named(found))],
        "year": first("year"),
        "title": title or source,
        "container": source if title else "",
        "volume": first("volume"),
        "issue": first("issue"),
        "pages": f"{start}-{end}" if start and end else start or first("page-range"),
        "isbn": first("isbn"),
        "url": next((link for found in cited.iter("ext-link", "uri") if (link := attribute(found, "href"))), ""),
    }
    return {name: value for name, value in fields.items() if value} if title or source else {}


def _people(cited: etree._Element) -> list[etree._Element]:
    """Return the authors, or the editors if nobody else is named."""
    groups = list(cited.iter("person-group"))
    wanted = (
        [group for group in groups if group.get("person-group-type", "author") == "author"] or groups[:1] or [cited]
    )
    return [found for group in wanted for found in group.iter("name", "string-name", "collab")]


def _named(person: etree._Element) -> str:
    """Return "Surname, Given", or the name unchanged."""
    parts = {local(child): words(child) for child in person if local(child)}
    if "surname" not in parts:
        return words(person)
    return ", ".join(filter(None, (parts["surname"], parts.get("given-names", ""))))


def _citation(element: etree._Element) -> Inline:
    """Return a citation: mixed ones contain their punctuation, in element citations it is added between the parts."""
    loose = (element.text or "") + "".join(child.tail or "" for child in element)
    if loose.strip():
        return _READER.read(element)
    parts: list[Inline] = []
    children = [child for child in element if local(child)]
    index = 0
    while index < len(children):
        child = children[index]
        name = local(child)
        if name in ("name", "string-name", "collab", "etal"):
            people = []
            while index < len(children) and local(children[index]) in ("name", "string-name", "collab", "etal"):
                people.append(_person(children[index]))
                index += 1
            parts.append(Inline(", ".join(filter(None, people))))
            continue
        index += 1
        if name == "person-group":
            loose = (child.text or "") + "".join(part.tail or "" for part in child)
            people = [_person(part) for part in child if local(part)]
            parts.append(_READER.read(child) if loose.strip() else Inline(", ".join(filter(None, people))))
        elif name in ("volume", "issue", "fpage", "lpage"):
            numbers = {
                local(other): words(other)
                for other in children
                if local(other) in ("volume", "issue", "fpage", "lpage")
            }
            if name == next(iter(numbers)):
                parts.append(Inline(_place(numbers)))
        elif name == "pub-id":
            kind = child.get("pub-id-type") or ""
            parts.append(Inline(f"{kind}:{words(child)}" if kind else words(child)))
        elif name in ("month", "day") and parts:
            parts[-1] = Inline(f"{parts[-1].text} {words(child)}", parts[-1].marks)
        else:
            parts.append(_READER.read(child))
    ended = [
        Inline(part.text if part.text[-1:] in ".?!" else f"{part.text}.", part.marks) for part in parts if part.text
    ]
    return join(ended, " ")


def _place(numbers: dict[str, str]) -> str:
    """Return "12(3): 45-67" from the available numbers."""
    text = numbers.get("volume", "")
    if numbers.get("issue"):
        text += f"({numbers['issue']})"
    pages = "-".join(filter(None, (numbers.get("fpage"), numbers.get("lpage"))))
    return f"{text}: {pages}" if text and pages else text or pages


def _person(element: etree._Element) -> str:
    if local(element) == "name":
        return person(element)
    return words(element) or ("et al" if local(element) == "etal" else "")
