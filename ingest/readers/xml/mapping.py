"""Mappings of XML vocabularies to HTML: which element of a page each element is."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mapping:
    """How the elements of a vocabulary become those of a page.

    Attributes:
        tags: element to element of HTML. An element that is not named stays transparent: its content is read. "line" is
            a line of verse, "alt" the text of a picture, "entry" one of a bibliography.
        headings: elements that are the heading of the element around them.
        sections: elements that are one level deeper.
        notes: elements that are a note at their place; a link leads to them.
        boxes: elements set apart from the text.
        dropped: elements whose content is not text: metadata, index terms, binary data.
        ids: attributes that name an element, the first that it has.
        links: attributes with the address of a link; "#" is put before those that only name an element.
    """

    tags: dict[str, str] = field(default_factory=dict)
    headings: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    notes: frozenset[str] = frozenset()
    boxes: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ("id",)
    links: tuple[str, ...] = ("href",)


DOCBOOK = Mapping(
    tags={
        **dict.fromkeys(("para", "simpara", "formalpara", "releaseinfo", "msgtext", "synopsis"), "p"),
        **dict.fromkeys(("itemizedlist", "simplelist", "calloutlist", "segmentedlist"), "ul"),
        **dict.fromkeys(("orderedlist", "procedure", "substeps"), "ol"), "equation": "div",
        **dict.fromkeys(("listitem", "member", "step", "callout"), "li"),
        **dict.fromkeys(("variablelist", "glosslist", "glossentry", "qandaset"), "dl"),
        **dict.fromkeys(("term", "glossterm", "question"), "dt"), **dict.fromkeys(("glossdef", "answer"), "dd"),
        **dict.fromkeys(("programlisting", "screen", "literallayout", "address", "cmdsynopsis", "funcsynopsis"), "pre"),
        **dict.fromkeys(("table", "informaltable"), "table"), "row": "tr", "tr": "tr", "td": "td", "th": "th",
        "thead": "thead", "tbody": "tbody", "tfoot": "tfoot", "entry": "td", "caption": "caption",
        "emphasis": "em", "citetitle": "cite", **dict.fromkeys(("link", "ulink", "xref"), "a"),
        **dict.fromkeys(("literal", "code", "command", "filename", "option", "varname", "function", "replaceable"),
        "code"),
        "superscript": "sup", "subscript": "sub", "quote": "q", **dict.fromkeys(("blockquote", "epigraph"),
        "blockquote"),
        **dict.fromkeys(("figure", "informalfigure", "mediaobject"), "figure"), "imagedata": "img",
        "textobject": "alt", **dict.fromkeys(("biblioentry", "bibliomixed"), "entry"),
    },
    headings=frozenset({"title"}),
    sections=frozenset(
        {"book", "part", "chapter", "appendix", "preface", "article", "section", "sect1", "sect2", "sect3", "sect4",
        "sect5"}
        | {"simplesect", "refentry", "refsection", "refsect1", "refsect2", "bibliography", "glossary", "dedication",
        "topic"}
        | {"set", "reference", "colophon", "acknowledgements", "bibliodiv", "glossdiv", "example", "partintro"}
    ),
    notes=frozenset({"footnote"}),
    boxes=frozenset({"note", "tip", "warning", "caution", "important", "danger", "sidebar", "abstract", "annotation"}),
    dropped=frozenset({"indexterm", "info", "articleinfo", "bookinfo", "chapterinfo", "sectioninfo", "sect1info",
    "remark",
                       "colspec", "spanspec", "refmeta", "titleabbrev", "anchor"}),
    ids=("id",),
    links=("href", "url", "linkend"),
)  # fmt: skip

JOINED = {
    "menuchoice": (" → ", " → ", ""),
    "keycombo": ("+", "+", ""),
    "cmdsynopsis": (" ", " ", ""),
    "funcprototype": ("(", ", ", ");"),
}
"""Elements of DocBook whose own elements a page joins: what is behind the first one, behind the others, at the end."""

TEI = Mapping(
    tags={
        **dict.fromkeys(("p", "ab", "sp", "stage", "speaker", "byline", "dateline", "salute", "signed", "opener",
        "closer",
                         "trailer", "argument", "docImprint", "titlePart", "docAuthor", "docDate"), "p"),
        "list": "ul", "item": "li", "label": "p", "table": "table", "row": "tr", "cell": "td",
        **dict.fromkeys(("quote", "cit", "epigraph"), "blockquote"), "q": "q", "hi": "em", "emph": "em",
        "title": "cite",
        "ref": "a", "ptr": "a", "lg": "p", "l": "line", "lb": "br", "figure": "figure", "figDesc": "alt",
        "formula": "p", "code": "code", "biblStruct": "entry", "bibl": "span", "listBibl": "ol", "eg": "pre",
        "graphic": "img", "del": "s",
    },
    headings=frozenset({"head"}),
    sections=frozenset({"div", "div1", "div2", "div3", "div4", "div5", "div6", "div7"}),
    notes=frozenset({"note"}),
    boxes=frozenset({"floatingText"}),
    dropped=frozenset({"teiHeader", "fw", "facsimile", "surface", "standOff", "gap"}),
    ids=("id",),
    links=("target",),
)  # fmt: skip

FICTION_BOOK = Mapping(
    tags={
        "p": "p", "subtitle": "p", "text-author": "p", "date": "p", "poem": "blockquote", "stanza": "p", "v": "line",
        "cite": "blockquote", "epigraph": "blockquote", "emphasis": "em", "strong": "strong", "strikethrough": "s",
        "sub": "sub", "sup": "sup", "code": "code", "a": "a", "image": "img", "table": "table", "tr": "tr", "td": "td",
        "th": "th", "annotation": "blockquote",
    },
    headings=frozenset({"title"}),
    sections=frozenset({"section", "body"}),
    dropped=frozenset({"description", "binary", "stylesheet", "empty-line"}),
    ids=("id",),
    links=("href",),
)  # fmt: skip

ANY = Mapping(
    tags={
        **dict.fromkeys(("p", "para", "paragraph", "text", "description", "abstract", "summary", "body-text"), "p"),
        **dict.fromkeys(("list", "ul", "items"), "ul"), "ol": "ol", **dict.fromkeys(("item", "li", "listitem"), "li"),
        **dict.fromkeys(("b", "bold", "strong"), "strong"), **dict.fromkeys(("i", "it", "italic", "em", "emph"), "em"),
        **dict.fromkeys(("table",), "table"), **dict.fromkeys(("tr", "row"), "tr"),
        **dict.fromkeys(("td", "cell", "entry"), "td"), "th": "th", "br": "br", "lb": "br", "sup": "sup", "sub": "sub",
        **dict.fromkeys(("pre", "codeblock", "listing"), "pre"), "code": "code", "a": "a", "blockquote": "blockquote",
    },
    headings=frozenset({"title", "head", "heading", "h", "headline", "h1", "h2", "h3", "h4", "h5", "h6"}),
    notes=frozenset({"footnote", "fn"}),
    links=("href", "url"),
)  # fmt: skip
"""XML of no known vocabulary: what names usually mean; an element with text of its own is a paragraph otherwise."""
