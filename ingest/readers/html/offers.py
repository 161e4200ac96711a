"""Boxes on a web page that are not its text: cards of other texts, lines to them, the author, readers' comments.

They are recognised by structure: cards repeat, their headings are links, and they follow the text. Words, in several
languages, only distinguish lines of links with a label from other lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.tree import HEADINGS, named_by
from ragraph.ingest.readers.markup.xml import local, words

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.html.sizes import Size, Sizes

_LINES = frozenset({"p", "div", "li", "ul", "ol", "section", "aside", "blockquote", "figure", *HEADINGS})
_LONGEST_LINE = 300
"""Maximum letters of a line or short list that leads to other texts."""

_LED = 0.4
"""Minimum share of links in such a line: its label may be as long as the title of the target."""

_CARD = 600
"""Maximum letters of a card: a title, a few lines, a date."""

_SHORTEST_CARD = 12
"""Minimum letters of the title of a card."""

_WHOLLY = 0.9
"""Minimum share of links in the heading of a card."""

_LABEL = 80
"""Maximum letters of a label above cards or above a list of links."""

_BOX = 1500
"""Maximum letters of text about an author, or of an offer with a form."""

_TOLD = 40
"""Minimum letters of a sentence about an author; fewer are a name."""

_MEMBER = re.compile(r"[\w~.:]*(?:_|:|\.|->|(?<=[a-z\d])[A-Z])[\w~.:-]*(?:\(.*\))?|[\w~.:]+\(.*\)")
"""A name in a program, such as ``set_name``, ``Path.name`` or ``find()``: a list of them describes members."""

_OF_AUTHORS = frozenset({"author", "authors", "autor", "autore", "auteur", "authorbox", "autorenbox", "saboxplugin"})
_BY_READERS = re.compile(
    r"(?:(?:post|article|news|entry|user|reader)s?[-_]*)?"
    r"(?:comments|comment(?=.)|kommentare?|comentarios|commentaires|commenti|disqus|respond|replies)"
    r"(?:[-_]*(?:area|section|list|wrap|wrapper|container|form|block|thread|respond|box|modul|module|holder|notice))*"
)
"""Names of blocks with readers' comments; "comment" alone, for example of a match, may be the text."""

_ASKS = frozenset(
    {"newsletter", "donation", "donate", "paywall", "subscribe", "subscription", "signup", "spenden", "promotion"}
    | {"promo", "cta"}
)
"""Words in classes and ids of boxes about the author, and of boxes that ask readers for something."""

_OTHERS = re.compile(
    r"\W*(?:"
    r"das könnte (?:sie|dich|euch)|auch (?:interessant|lesen|auf)\b|(?:empfohlen|empfehlung)|schon gelesen|lesetipp"
    r"|mehr (?:zum|zur|zu|aus|von|über|artikel|interessante)"
    r"|(?:die )?meist(?:gelesen|geklickt|kommentiert)|viel gelesen"
    r"|weitere (?:aktuelle )?(?:artikel|beiträge|meldungen|nachrichten|themen|news)|neueste (?:artikel|beiträge)"
    r"|(?:ähnliche|verwandte|passende) (?:artikel|beiträge|themen|links|produkte)|lesen sie (?:auch|mehr|hier)"
    r"|related\b|you (?:may|might)|recommended|more (?:from|in|on|stories|articles|news)\b|read (?:more|next|also)\b"
    r"|most (?:read|popular|viewed)|trending|popular (?:posts|articles|stories|videos)|latest (?:news|posts|articles)"
    r"|explore further|(?:à )?lire (?:aussi|également)|à (?:lire|découvrir)\b|sur le même|articles (?:liés|similaires)"
    r"|(?:te|le|les) puede interesar|(?:lea|lee|leer|mire|mira|vea|puedes ver|entérese)(?: también| más| además)?:"
    r"|(?:lea|lee|leer|vea|ver) también|(?:notas?|noticias|temas|artículos) relacionad|lo (?:último|más)\b"
    r"|más (?:sobre|leíd|notici)|(?:leia|veja) (?:também|mais)|mais lidas|leggi (?:anche|tutto)|potrebbe"
    r"|articoli correlati|(?:czytaj|zobacz|przeczytaj) (?:też|także|również|więcej)|polecane"
    r"|lees (?:ook|meer)|gerelateerd"
    r"|(?:schlag(?:wörter|worte)|tags?|keywords|topics|themen|mots[- ]clés|etiquetas|abgelegt unter|filed under"
    r"|posted in|kategorien?|categor(?:y|ies|ía|ías)):"
    r"|関連記事|相关(?:阅读|新闻)|читайте (?:также|ещё)|другие (?:новости|статьи)"
    r")",
    re.IGNORECASE,
)
"""Beginnings of labels of links to other texts. "See also" is not one, because text follows it."""

_BACK = re.compile(
    r"\W*(?:zurück(?: (?:zu[rm]?|nach)\b.*)?|nach oben|(?:go )?back(?: to\b.*)?|(?:back to )?top"
    r"|retour\b.*|haut de page"
    r"|volver\b.*|arriba|voltar\b.*|indietro|torna\b.*|powrót\b.*|terug\b.*|назад|наверх)\W*",
    re.IGNORECASE,
)
"""Text of a link back to the previous page, or up."""

_SHARES = re.compile(
    r"(?:(?:diesen |den )?(?:artikel|beitrag|seite) )?(?:mit freunden )?(?:teilen|weitersagen)(?: (?:auf|mit|über))?\W*"
    r"|(?:be sociable, )?share(?: (?:this|on|with|via|article|post|page|story|it))*\W*"
    r"|partager(?: (?:sur|cet article))?\W*|comp[ae]rt(?:ir|e|ilhar)(?: (?:en|em|no))?\W*|condividi(?: su)?\W*",
    re.IGNORECASE,
)


def shares(element: etree._Element, size: Size) -> bool:
    """Return True if a line is nothing but the label of signs for sharing the page."""
    return 0 < size.letters < _LABEL and _SHARES.fullmatch(words(element)) is not None


def turns_back(element: etree._Element, size: Size) -> bool:
    """Return True if a block is nothing but a link back to the previous page, or up."""
    return (
        0 < size.letters < _LABEL and size.own < 2 and size.links == 1 and _BACK.fullmatch(words(element)) is not None
    )


def is_label(element: etree._Element, size: Size) -> bool:
    """Return True if a short line announces other texts."""
    return 0 < size.letters < _LABEL and _OTHERS.match(words(element)) is not None


def leads_on(element: etree._Element, size: Size) -> bool:
    """Return True if a line is a label and links to other texts."""
    return (
        local(element) in _LINES
        and 0 < size.letters < _LONGEST_LINE
        and size.density > _LED
        and _OTHERS.match(words(element)) is not None
    )


def is_box(element: etree._Element, size: Size, *, form: bool) -> bool:
    """Return True if a block after the text is about the author, or asks readers for something."""
    if size.letters >= _BOX:
        return False
    named = named_by(element)
    told = local(element) != "dl" and size.own >= _TOLD and is_by_authors(element)
    return told or (form and bool(named & _ASKS))


def is_by_authors(element: etree._Element) -> bool:
    """Return True if a block is named after the authors."""
    return bool(named_by(element) & _OF_AUTHORS)


def by_readers(element: etree._Element) -> bool:
    """Return True if a block after the text has readers' comments."""
    return any(_BY_READERS.fullmatch(name) for name in named_by(element, whole=True))


def is_column(element: etree._Element) -> bool:
    """Return True if a block is named as the column beside the text."""
    return any(re.fullmatch(r"(?:.*[-_])?sidebar", name) for name in named_by(element, whole=True))


class Cards:
    """The cards of a page: blocks with a title that is a link, and few words.

    Args:
        body: the page.
        sizes: letters and links of its elements.
    """

    def __init__(self, body: etree._Element, sizes: Sizes) -> None:
        self._size = sizes.of
        self._counts: dict[etree._Element, int] = {}
        for element in reversed(list(body.iter())):  # inner elements are counted before outer ones
            self._counts[element] = self._counted(element) if self._size(element).letters else 0

    def count(self, element: etree._Element) -> int:
        """Return the number of cards of which an element consists, 0 if it has anything else but labels."""
        return self._counts.get(element, 0)

    def _counted(self, element: etree._Element) -> int:
        shown = [child for child in element if self._size(child).letters and not hidden(child)]
        beside = self._size(element).letters - sum(self._size(child).letters for child in shown)
        if beside <= _LABEL and len(shown) > 0:
            counts = [self.count(child) for child in shown]
            rest = [one for one, number in zip(shown, counts, strict=True) if not number]
            total = sum(counts)
            only = len(rest) <= 1 + total and all(self._size(one).letters < _LABEL for one in rest)
            if only and total and (total > 1 or not self.is_card(element)):
                return total
        return int(self.is_card(element))

    def is_card(self, element: etree._Element) -> bool:
        """Return True if an element shows a title that is a link, and little else."""
        size = self._size(element)
        if not _SHORTEST_CARD <= size.letters <= _CARD or not size.links or local(element) in HEADINGS:
            return False
        titles = [one for one in element.iter() if local(one) in HEADINGS and self._size(one).letters]
        if any(_MEMBER.fullmatch(words(one)) for one in titles):
            return False
        if len(titles) > 2 or any("href" not in one.attrib for one in element.iter("{*}a") if self._size(one).letters):
            return False
        within = local(element) == "a" or any(local(one) == "a" for one in element.iterancestors())
        for title in titles:
            if self._size(title).letters >= _SHORTEST_CARD and (within or self._size(title).density >= _WHOLLY):
                return not any((one.get("href") or "").startswith("#") for one in element.iter("{*}a"))
        pictured = element.find(".//{*}img") is not None
        return not titles and pictured and size.linked >= _SHORTEST_CARD and size.density > _WHOLLY
