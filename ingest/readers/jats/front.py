"""The front of a JATS article: its metadata, also as nodes."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from ragraph.base.inline import unmarked
from ragraph.ingest.draft import DraftMetadata
from ragraph.ingest.readers.jats.inline import InlineReader, person, reference_type
from ragraph.ingest.readers.jats.objects import ids
from ragraph.ingest.readers.markup.inline import Inline, InlineText, collapse, join
from ragraph.ingest.readers.markup.xml import attribute, local, words
from ragraph.schema.enums import ComponentType, ContentNodeType

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.jats.blocks import Walker
    from ragraph.ingest.readers.markup.builder import DraftBuilder

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DATE_KINDS = ("epub", "pub", "ppub", "collection", "epub-ppub")
_ABSTRACTS = {"executive-summary": ComponentType.EXECUTIVE_SUMMARY}
_STATEMENT_WORDS = 5
_INLINE = InlineReader()


def front(meta: etree._Element, builder: DraftBuilder, walker: Walker) -> None:
    """Add title, authors, affiliations, notes on authors, abstracts, keywords, funding and statements as nodes.

    Args:
        meta: an ``article-meta`` or the ``front-stub`` of a sub-article.
        builder: gets the nodes, within its current container.
        walker: adds the blocks of abstracts and notes.
    """
    sub = local(meta) == "front-stub"
    _titles(meta, builder, sub=sub)
    affiliations = [found for found in meta.iter("aff") if next(found.iterancestors("contrib"), None) is None]
    for contributor in meta.iter("contrib"):
        _author(contributor, builder)
    for affiliation in affiliations:
        _affiliation(affiliation, builder)
    for notes in meta.iterchildren("author-notes"):
        for note in notes:
            if local(note) in ("fn", "corresp"):
                walker.note(note)
            else:
                walker.block(note, 1)
    for abstract in meta.iter("abstract", "trans-abstract"):
        kind = _ABSTRACTS.get(abstract.get("abstract-type") or "", ComponentType.ABSTRACT)
        walker.section(abstract, 1, kind)
    for keywords in meta.iterchildren("kwd-group"):
        _keywords(keywords, builder, walker)
    for funding in meta.iterchildren("funding-group"):
        with builder.inside(ComponentType.SECTION, "Funding"):
            for part in funding:
                whole = local(part) in ("funding-statement", "open-access")
                inline = _INLINE.read(part) if whole else join([_INLINE.read(child) for child in part], ", ")
                if inline.text:
                    builder.add(ContentNodeType.PARAGRAPH, inline, anchors=ids(part))
    for statement in meta.iter("custom-meta"):
        name, value = statement.find("meta-name"), statement.find("meta-value")
        if name is not None and value is not None and len(words(value).split()) >= _STATEMENT_WORDS:
            out = InlineText()
            out.open("bold")
            out.text(f"{words(name)}:")
            out.close("bold")
            inline = _INLINE.read(value)
            text = out.finish().text
            builder.add(ContentNodeType.PARAGRAPH, Inline(f"{text} {inline.text}", inline.shifted(len(text) + 1)))
    with builder.inside(ComponentType.COPYRIGHT_PAGE):
        for part in (*meta.iterfind("permissions/*"), *meta):
            if local(part) in ("copyright-statement", "license"):
                walker.paragraph(part, ContentNodeType.PARAGRAPH, 1)


def metadata(root: etree._Element) -> DraftMetadata:
    """Return the metadata of an article; keywords, identifiers, journal and dates are in ``extra``."""
    meta = root.find("front/article-meta")
    if meta is None:
        meta = root.find("front-stub")
    journal = root.find("front/journal-meta")
    language = attribute(root, "lang")
    if meta is None:
        return DraftMetadata(language=language)
    identifiers = {found.get("pub-id-type") or "other": words(found) for found in meta.iterchildren("article-id")}
    title = meta.find("title-group/article-title")
    abstract = next((found for found in meta.iterchildren("abstract") if not found.get("abstract-type")), None)
    if abstract is None:
        abstract = meta.find("abstract")
    doi = identifiers.get("doi")
    source = journal.find(".//journal-title") if journal is not None else None
    return DraftMetadata(
        title=_INLINE.read(title, markdown=False, breaks=False).text if title is not None else None,
        abstract=_abstract_text(abstract) if abstract is not None else None,
        authors=[name for name in (_name(found) for found in _authors(meta)) if name],
        publication_date=_published(meta),
        language=language,
        source=words(source) if source is not None else None,
        uri=f"https://doi.org/{doi}" if doi else None,
        extra=_extra(root, meta, journal, identifiers),
    )


def _authors(meta: etree._Element) -> list[etree._Element]:
    found = [e for group in meta.iterchildren("contrib-group") for e in group.iter("contrib")]
    return [e for e in found if e.get("contrib-type", "author") == "author"]


def _titles(meta: etree._Element, builder: DraftBuilder, *, sub: bool) -> None:
    group = meta.find("title-group")
    for part in group.iter("article-title", "subtitle", "trans-title", "trans-subtitle") if group is not None else ():
        main = local(part) == "article-title"
        kind = ContentNodeType.TITLE if main else ContentNodeType.SUBTITLE
        if sub:
            kind = ContentNodeType.HEADING if main else ContentNodeType.SUBHEADING
        inline = _INLINE.read(part, markdown=False, breaks=False)
        if inline.text:
            builder.add(kind, inline, anchors=[part.get("id")], level=1 if sub else None)


def _name(contributor: etree._Element) -> str:
    for part in contributor.iter("name", "string-name", "collab", "anonymous"):
        if local(part) == "name":
            return person(part)
        return collapse(part.text or "") if local(part) == "collab" and len(part) else words(part) or "Anonymous"
    return ""


def _author(contributor: etree._Element, builder: DraftBuilder) -> None:
    """Add an author with references to affiliations, notes and awards; other elements become data."""
    out = InlineText(markdown=False)
    out.text(_name(contributor))
    for part in contributor.iterchildren("degrees"):
        out.text(f", {words(part)}")
    for found in contributor.iterchildren("xref"):
        for anchor in (found.get("rid") or "").split() or (None,):
            out.mark(reference_type(found.get("ref-type")), anchor, words(found))
    data: dict[str, Any] = {}
    for name in ("role", "email", "address", "bio", "on-behalf-of"):
        stated = [_INLINE.read(part, markdown=False).text for part in contributor.iterchildren(name)]
        if stated:
            data[name.replace("-", "_")] = "; ".join(stated)
    orcid = next((words(part) for part in contributor.iterchildren("contrib-id")), None)
    if orcid:
        data["orcid"] = orcid
    kind = contributor.get("contrib-type") or "author"
    if kind != "author":
        data["contribution"] = kind
    inline = out.finish()
    if inline.text or inline.marks:
        builder.add(ContentNodeType.AUTHOR, inline, anchors=ids(contributor), data=data)
    for part in contributor.iterchildren("aff"):
        _affiliation(part, builder)


def _affiliation(element: etree._Element, builder: DraftBuilder) -> None:
    out = InlineText(markdown=False)
    out.text(element.text)
    for child in element:
        if local(child) == "label" or (local(child) == "sup" and out.empty):
            out.text(words(child))  # the number that authors refer to is printed, so it is text
            out.space()
            out.text(child.tail)
        else:
            _INLINE.child(child, out)
    builder.add(ContentNodeType.PARAGRAPH, out.finish(), anchors=ids(element), data={"role": "affiliation"})


def _keywords(group: etree._Element, builder: DraftBuilder, walker: Walker) -> None:
    with builder.inside(ComponentType.SECTION, walker.title_of(group) or "Keywords"):
        inline = ", ".join(_INLINE.read(word).text for word in group.iter("kwd", "compound-kwd"))
        title = walker.title_of(group)
        if inline:
            builder.add(
                ContentNodeType.PARAGRAPH,
                f"**{title.rstrip(':')}:** {inline}" if title else inline,
                data={"role": "keywords"},
            )


def _abstract_text(abstract: etree._Element) -> str:
    parts = [
        _INLINE.read(part).text
        for part in abstract.iter("title", "p")
        if part.getparent() is not abstract or local(part) == "p"
    ]
    return "\n\n".join(unmarked(part) for part in parts if part)


def _published(meta: etree._Element) -> date | None:
    """Return the date of publication, of the most relevant kind with a day, else the first day of the year."""
    dates = {found.get("date-type") or found.get("pub-type") or "pub": found for found in meta.iterchildren("pub-date")}
    ordered = [dates[kind] for kind in _DATE_KINDS if kind in dates] + list(dates.values())
    exact = [found for found in ordered if found.find("day") is not None]
    for found in [*exact, *ordered]:
        parsed = _date(found)
        if parsed is not None:
            return parsed
    return None


def _date(element: etree._Element) -> date | None:
    parts = {local(child): words(child) for child in element if local(child)}
    month = parts.get("month", "1").lower()
    number = _MONTHS.index(month[:3]) + 1 if month[:3] in _MONTHS else int(month) if month.isdecimal() else 1
    try:
        return date(int(parts.get("year", "")), number, int(parts.get("day", "1")))
    except ValueError:
        return None


def _extra(
    root: etree._Element, meta: etree._Element, journal: etree._Element | None, identifiers: dict[str, str]
) -> dict[str, Any]:
    extra: dict[str, Any] = {"article_type": root.get("article-type"), "ids": identifiers}
    extra["keywords"] = [words(found) for found in meta.iter("kwd")]
    extra["subjects"] = [words(found) for found in meta.iterfind("article-categories//subject")]
    places = {
        name.replace("-", "_"): words(found)
        for name in ("volume", "issue", "fpage", "lpage", "elocation-id")
        for found in meta.iterchildren(name)
    }
    if journal is not None:
        places["issn"] = ", ".join(words(found) for found in journal.iter("issn"))
        places["publisher"] = ", ".join(words(found) for found in journal.iter("publisher-name"))
    extra["journal"] = {name: value for name, value in places.items() if value}
    extra["license"] = next((attribute(found, "href") or words(found) for found in meta.iter("license")), None)
    history = {found.get("date-type") or "other": _date(found) for found in meta.iterfind("history/date")}
    extra["history"] = {kind: found.isoformat() for kind, found in history.items() if found is not None}
    return {name: value for name, value in extra.items() if value}
