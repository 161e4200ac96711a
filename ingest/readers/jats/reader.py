"""JATS (and NLM) articles, read completely: the format states the structure, so nothing has to be guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from ragraph.errors import DamagedFileError, EmptyFileError
from ragraph.ingest.readers.jats.blocks import Walker
from ragraph.ingest.readers.jats.front import front, metadata
from ragraph.ingest.readers.markup.builder import DraftBuilder
from ragraph.ingest.readers.markup.xml import local, parse_xml, words
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft
    from ragraph.ingest.readers import ReadOptions

_SUB_ARTICLES = ("sub-article", "response")


class JatsReader:
    """Reads ``.nxml`` and ``.xml`` files whose root is an ``article``.

    Every ``xref`` becomes a relation to the anchor that it names. Sections are containers that begin with their
    heading. Figures, tables, notes, references, affiliations and formulas have their ids as anchors.
    """

    name = "jats"
    version = 7

    def read(self, path: Path, options: ReadOptions) -> Draft:
        """Return the draft of an article.

        Raises:
            EmptyFileError: the file has no bytes, or the article has no text.
            DamagedFileError: not well-formed XML (the message names the line), or not an article.
        """
        root = parse_xml(path.read_bytes(), path.name)
        article = root if local(root) == "article" else root.find(".//{*}article")
        if article is None:
            raise DamagedFileError(f"{path.name} is XML with the root <{local(root)}>, not a JATS article")
        _drop_namespace(article)
        builder = DraftBuilder(f"{self.name}/{self.version}")
        _article(article, builder, Walker(builder))
        _anchor_leftovers(article, builder)
        if not builder.nodes:
            raise EmptyFileError(f"{path.name} is a JATS article without any text; nothing to read")
        return builder.build(metadata(article))


def _article(article: etree._Element, builder: DraftBuilder, walker: Walker) -> None:
    with builder.inside(ComponentType.FRONT_MATTER):
        for meta in article.iterfind("front/article-meta"):
            front(meta, builder, walker)
        for notes in article.iterfind("front/notes"):
            walker.section(notes, 1)
    with builder.inside(ComponentType.BODY_MATTER):
        for body in article.iterchildren("body"):
            builder.pend(body.get("id"))
            walker.blocks(body, 1)
        for floats in article.iterchildren("floats-group", "floats-wrap"):
            with builder.inside(ComponentType.CONTAINER):
                walker.blocks(floats, 1)
    with builder.inside(ComponentType.BACK_MATTER):
        for back in article.iterchildren("back"):
            builder.pend(back.get("id"))
            walker.blocks(back, 1)
        for sub in article.iterchildren(*_SUB_ARTICLES):
            _sub_article(sub, builder, walker)


def _sub_article(article: etree._Element, builder: DraftBuilder, walker: Walker) -> None:
    """Add a letter, response or translation in the same file as a section of its own."""
    title = article.find(".//title-group/article-title")
    with builder.inside(ComponentType.SECTION, words(title) if title is not None else None):
        builder.pend(article.get("id"))
        for meta in (*article.iterfind("front-stub"), *article.iterfind("front/article-meta")):
            front(meta, builder, walker)
        for part in article.iterchildren("body", "back", "floats-group"):
            walker.blocks(part, 2)
        for sub in article.iterchildren(*_SUB_ARTICLES):
            _sub_article(sub, builder, walker)


def _drop_namespace(article: etree._Element) -> None:
    """Remove the namespace of JATS elements if a file uses one; MathML and others keep theirs."""
    space = etree.QName(article).namespace
    if space:
        for element in article.iter(f"{{{space}}}*"):
            element.tag = etree.QName(element).localname


def _anchor_leftovers(article: etree._Element, builder: DraftBuilder) -> None:
    """Add targets without a node of their own to the node of the nearest element around them, or before."""
    wanted = builder.wanted_anchors()
    if not wanted:
        return
    owners = {anchor: node for node in builder.nodes for anchor in node.anchors}
    last = None
    for element in article.iter(etree.Element):
        name = element.get("id")
        if name is None:
            continue
        if name in wanted:
            around = (owners.get(ancestor.get("id") or "") for ancestor in element.iterancestors())
            owner = next((node for node in around if node is not None), last)
            if owner is not None:
                owner.anchors.append(name)
        else:
            last = owners.get(name, last)
