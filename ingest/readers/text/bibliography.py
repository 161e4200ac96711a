"""Bibliographies beside a text, in BibTeX or CSL: metadata for its entries, and entries that it lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, FileTooLargeError
from ragraph.ingest.common.charset import decode_file
from ragraph.ingest.common.written import safe_yaml
from ragraph.schema.enums import ContentNodeType, RelationType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.docling.builder import DraftBuilder

Stated = dict[str, Any]
"""Metadata of an entry, as in JATS entries: ``{"entry": {"authors": [...], ...}, "ids": {"doi": ...}}``."""

ALL = "*"
"""All entries of the files, for ``\\nocite{*}`` in LaTeX."""

_MOST_BYTES = 20 << 20
_START = re.compile(r"@\s*(\w+)\s*[{(]\s*")
_FIELD = re.compile(r"[\s,]*([\w.:+-]+)\s*=\s*")
_BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
_WORD = re.compile(r"[^\s,{}()\"#]+")
_INHERITED = ("year", "date", "editor", "volume", "publisher", "isbn", "journal", "journaltitle", "booktitle")
_CONTAINERS = ("journal", "journaltitle", "booktitle", "maintitle")
_CSL = {"volume": "volume", "issue": "issue", "page": "pages", "ISBN": "isbn", "URL": "url", "publisher": "publisher"}
_IDS = {"DOI": "doi", "PMID": "pmid", "PMCID": "pmc"}


def read_beside(path: Path, names: Iterable[str], options: ReadOptions, warnings: list[str]) -> dict[str, Stated]:
    """Return the metadata in the bibliographies of a text, by key.

    Args:
        path: the text; files outside of its folder are not read.
        names: bibliographies as the text names them; without an ending they are BibTeX.
        options: options of the reader.
        warnings: gets a warning for each file that cannot be read.
    """
    found: dict[str, Stated] = {}
    words: dict[str, str] = {}
    folder = path.resolve().parent
    for name in dict.fromkeys(name.strip() for name in names):
        file = folder / (name if re.search(r"\.(?:bib|json|ya?ml)$", name) else f"{name}.bib")
        try:
            within = file.resolve().is_relative_to(folder) and file.stat().st_size <= _MOST_BYTES
            text = decode_file(file, options.charset) if within else None
            said = (
                None
                if text is None
                else bibtex(text, words)
                if file.suffix == ".bib"
                else csl(_data(text, file.suffix))
            )
        except (OSError, ValueError, RecursionError, DamagedFileError, FileTooLargeError):
            said = None
        if said is None:
            warnings.append(f"the bibliography {name} was not read")
        else:
            found |= said
    return found


def _data(text: str, suffix: str) -> Any:
    import yaml

    try:
        data = json.loads(text) if suffix == ".json" else safe_yaml(text)
    except yaml.YAMLError as error:
        raise ValueError from error
    return data.get("references") if isinstance(data, dict) else data


def bibtex(text: str, words: dict[str, str] | None = None) -> dict[str, Stated]:
    """Return the metadata of the entries in a BibTeX file, by key, in their order.

    Args:
        text: text of the file.
        words: abbreviations defined in previous files; those of this one are added.
    """
    entries: dict[str, dict[str, str]] = {}
    words = {} if words is None else words
    place = 0
    while (start := _START.search(text, place)) is not None:
        place = start.end()
        kind = start[1].casefold()
        if kind in ("comment", "preamble"):
            continue
        key = ""
        if kind != "string":
            comma = re.compile(r"([^\s,{}=]+)\s*,").match(text, place)
            if comma is None:
                continue
            key, place = comma[1], comma.end()
        fields: dict[str, str] = {}
        while (name := _FIELD.match(text, place)) is not None:
            value, place = _value(text, name.end(), words)
            fields.setdefault(name[1].casefold(), value)
        if key:
            entries.setdefault(key, fields)
        else:
            words |= fields
    return {key: _of_bibtex(_with_parent(fields, entries)) for key, fields in entries.items()}


def _with_parent(fields: dict[str, str], entries: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """Return the fields of an entry, with those of the volume to which it belongs if it names one."""
    parent = entries.get(fields.get("crossref", "").strip())
    if parent is None:
        return fields
    inherited = {name: value for name, value in parent.items() if name in _INHERITED}
    if "title" in parent:
        inherited["booktitle"] = parent.get("booktitle") or parent["title"]
    return {**inherited, **fields}


def _value(text: str, place: int, words: Mapping[str, str]) -> tuple[str, int]:
    """Return a value with its pieces joined, and its end."""
    pieces: list[str] = []
    while True:
        place = re.compile(r"\s*").match(text, place).end()  # type: ignore[union-attr]
        if text[place : place + 1] in ("{", '"'):
            end = _end(text, place)
            pieces.append(text[place + 1 : end - 1])
        elif (word := _WORD.match(text, place)) is not None:
            end = word.end()
            pieces.append(words.get(word[0].casefold(), word[0]))
        else:
            return "".join(pieces), place
        more = re.compile(r"\s*#").match(text, end)
        if more is None:
            return "".join(pieces), end
        place = more.end()


def _end(text: str, place: int) -> int:
    """Return the offset after the brace or quotation mark that closes the one here, or the end of the text."""
    if text[place] == "{":
        depth = 0
        for brace in _BRACES.finditer(text, place):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return brace.end()
        return len(text)
    depth = 0
    for mark in re.compile(r'\\.|[{}"]', re.DOTALL).finditer(text, place + 1):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == '"' and depth == 0:
            return mark.end()
    return len(text)


def _of_bibtex(fields: Mapping[str, str]) -> Stated:
    said = {name: _plain(value) for name, value in fields.items() if name not in ("author", "editor")}
    people = fields.get("author") or fields.get("editor") or ""
    authors = [_inverted(name) for name in re.split(r"\s+and\s+", people) if name.strip() and name.strip() != "others"]
    container = next((said[name] for name in _CONTAINERS if said.get(name)), "")
    is_arxiv = "arxiv" in (said.get("archiveprefix") or said.get("eprinttype") or "").casefold()
    return _stated(
        {
            "authors": authors,
            "year": (said.get("year") or said.get("date") or "")[:4],
            "title": said.get("title", ""),
            "container": container,
            "publisher": said.get("publisher") or said.get("school") or said.get("institution") or "",
            "volume": said.get("volume", ""),
            "issue": said.get("number") or said.get("issue") or "",
            "pages": re.sub(r"\s*-+\s*", "-", said.get("pages", "").replace("–", "-")),
            "isbn": said.get("isbn", ""),
            "url": fields.get("url", ""),
        },
        {
            "doi": said.get("doi", ""),
            "pmid": said.get("pmid", ""),
            "arxiv": said.get("eprint", "") if is_arxiv else "",
        },
    )


def _inverted(name: str) -> str:
    """Return "Surname, Given" of a name in any order; text in braces is one name."""
    name = name.strip()
    if name.startswith("{") and _end(name, 0) == len(name):
        return _plain(name)
    parts = [_plain(part) for part in name.split(",")]
    if len(parts) > 2:  # von Last, Jr, First
        return f"{parts[0]}, {parts[2]} {parts[1]}".strip()
    if len(parts) == 2:
        return f"{parts[0]}, {parts[1]}"
    said = parts[0].split()
    first = next((place for place, word in enumerate(said[:-1]) if place and word[0].islower()), len(said) - 1)
    return f"{' '.join(said[first:])}, {' '.join(said[:first])}" if first > 0 else parts[0]


def _plain(source: str) -> str:
    if re.search(r"[\\${}~]", source):
        source = _latex().latex_to_text(source)
    return " ".join(source.replace("{", "").replace("}", "").split())


@cache
def _latex() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="verbatim", keep_comments=False)


def csl(items: Any) -> dict[str, Stated]:
    """Return the metadata of CSL items, by key, in their order; also of those in pandoc's front matter."""
    found: dict[str, Stated] = {}
    for item in items if isinstance(items, list) else []:
        if not isinstance(item, Mapping) or not item.get("id"):
            continue
        people = item.get("author") or item.get("editor") or []
        names = [_person(person) for person in (people if isinstance(people, list) else [])]
        entry: dict[str, Any] = {ours: _text(item.get(theirs)) for theirs, ours in _CSL.items()}
        entry |= {
            "authors": [name for name in names if name],
            "year": _year(item.get("issued")),
            "title": _text(item.get("title")),
            "container": _text(item.get("container-title")),
        }
        found.setdefault(str(item["id"]), _stated(entry, {ours: _text(item.get(name)) for name, ours in _IDS.items()}))
    return found


def _text(value: Any) -> str:
    value = value[0] if isinstance(value, list) and value else value
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _person(person: Any) -> str:
    if not isinstance(person, Mapping):
        return ""
    particle = _text(person.get("non-dropping-particle"))
    family = " ".join(part for part in (particle, _text(person.get("family"))) if part)
    return ", ".join(part for part in (family, _text(person.get("given"))) if part) or _text(person.get("literal"))


def _year(issued: Any) -> str:
    """Return the year of a date in CSL or pandoc's form."""
    found = re.search(r"(?<!\d)\d{4}(?!\d)", json.dumps(issued, default=str))
    return found[0] if found else ""


def _stated(entry: dict[str, Any], ids: dict[str, str]) -> Stated:
    said = {
        "entry": {name: value for name, value in entry.items() if value},
        "ids": {name: value for name, value in ids.items() if value},
    }
    return {name: value for name, value in said.items() if value}


def add_entries(builder: DraftBuilder, stated: Mapping[str, Stated], wanted: Iterable[str] = ()) -> None:
    """Add metadata to the entries of a draft; if it has none, add cited or wanted entries at its end."""
    entries = [at for at, node in enumerate(builder.nodes) if node.type is ContentNodeType.BIBLIOGRAPHIC_ENTRY]
    for at in entries:
        node = builder.nodes[at]
        said = next((stated[name] for name in node.anchors if name in stated), {})
        builder.nodes[at] = node.model_copy(update={"data": {**node.data, **said}})
    cited = [item.anchor or "" for item in builder.relations if item.type is RelationType.REFERENCES_CITATION]
    keys = list(stated) if ALL in wanted else [key for key in dict.fromkeys([*cited, *wanted]) if key in stated]
    if entries or not keys:
        return
    last = builder.nodes[-1].type if builder.nodes else None
    if last not in (ContentNodeType.HEADING, ContentNodeType.SUBHEADING):  # pandoc puts them below the last heading
        builder.node("references", ContentNodeType.HEADING, "References", level=1)
    for key in keys:
        text = printed(stated[key])
        builder.node(
            f"entry/{key}",
            ContentNodeType.BIBLIOGRAPHIC_ENTRY,
            text,
            anchors=[key],
            marker=f"[{key}]",
            data=stated[key],
        )


def printed(stated: Stated) -> str:
    """Return an entry in words: authors, year, title, container, volume and pages, publisher, DOI."""
    said, ids = stated.get("entry", {}), stated.get("ids", {})
    authors = "; ".join(said.get("authors", ()))
    year = f"({said['year']})" if said.get("year") else ""
    volume = said.get("volume", "") + (f"({said['issue']})" if said.get("issue") else "")
    place = ", ".join(part for part in (said.get("container"), volume, said.get("pages")) if part)
    parts = [
        " ".join(part for part in (authors, year) if part),
        said.get("title", ""),
        place,
        said.get("publisher", ""),
    ]
    where = f"https://doi.org/{ids['doi']}" if "doi" in ids else said.get("url", "")
    return " ".join([*(f"{part.rstrip('.')}." for part in parts if part), where]).strip()
