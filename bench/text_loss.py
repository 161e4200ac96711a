"""Share of a file's text that is missing in the result: the measure for "does ingestion lose text"."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from lxml import etree, html

if TYPE_CHECKING:
    from pathlib import Path

_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_WORD = re.compile(r"\w+")
_LEFT_LIMIT = 8000  # maximum leftover characters in which joined words are searched: difflib is quadratic
_GLUED = 3  # shorter matches of leftovers are random

_HTML_HIDDEN = frozenset({"head", "script", "style", "template", "noscript"})
_HTML_INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "mark",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "tt",
        "u",
        "var",
        "wbr",
    ]
)
_JATS_HIDDEN = frozenset(
    [
        "journal-meta",
        "article-id",
        "article-categories",
        "pub-date",
        "history",
        "counts",
        "volume",
        "issue",
        "issue-id",
        "fpage",
        "lpage",
        "elocation-id",
        "self-uri",
        "related-article",
        "custom-meta-group",
        "object-id",
        "institution-id",
        "contrib-id",
        "copyright-year",
        "copyright-holder",
        "article-version",
        "supplement",
        "isbn",
        "role",
        "email",
        "address",
        "bio",
        "tex-math",
        "annotation",
        "license_ref",
        "free_to_read",
        "alt-title",
    ]
)
_JATS_INLINE = frozenset(
    [
        "bold",
        "italic",
        "sup",
        "sub",
        "sc",
        "monospace",
        "underline",
        "strike",
        "overline",
        "roman",
        "sans-serif",
        "ext-link",
        "uri",
        "email",
        "styled-content",
        "named-content",
        "inline-formula",
        "abbrev",
        "target",
        "etal",
    ]
)


def words(text: str) -> list[str]:
    """Return the words of a text: letters and digits after compatibility normalisation, without break hints."""
    return _WORD.findall(unicodedata.normalize("NFKC", text.translate(_INVISIBLE)))


def missing_words(source_text: str, rendered_text: str) -> Counter[str]:
    """Return the missing words of the source with the number of times, in any order."""
    return Counter(words(source_text)) - Counter(words(rendered_text))


def missing_share(source_text: str, rendered_text: str) -> float:
    """Return the share of the source's word characters that the rendered text lacks: 0.0 none, 1.0 all.

    Words are compared as a multiset, so text that only moved (a footnote after its paragraph) is not missing. The
    leftovers of both sides are then compared in order without white space, so words that were only cut or joined
    ("ChoiJR" for "Choi JR") are not missing either.
    """
    source, rendered = words(source_text), words(rendered_text)
    total = sum(map(len, source))
    if not total:
        return 0.0
    left = _in_order(source, Counter(source) - Counter(rendered))
    right = _in_order(rendered, Counter(rendered) - Counter(source))
    lost = len(left)
    if left and right and len(left) <= _LEFT_LIMIT and len(right) <= _LEFT_LIMIT:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        lost -= sum(block.size for block in blocks if block.size >= _GLUED)
    return lost / total


def jats_text(path: Path) -> str:
    """Return the visible text of a JATS article; formulas once, as MathML or plain text if stated."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    return _visible(etree.fromstring(path.read_bytes().lstrip(), parser), _JATS_HIDDEN, _JATS_INLINE)


def html_text(data: bytes) -> str:
    """Return the visible text of an HTML page, with a lenient parser."""
    parser = html.HTMLParser(huge_tree=True, remove_comments=True, encoding="utf-8")
    root = html.document_fromstring(data, parser=parser)
    return _visible(root, _HTML_HIDDEN, _HTML_INLINE)


def _visible(root: etree._Element, hidden: frozenset[str], inline: frozenset[str]) -> str:
    parts: list[str] = []
    skipped = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = etree.QName(element).localname if isinstance(element.tag, str) else ""
        space = "" if name in inline else " "
        if event == "start":
            skipped += name in hidden
            parts.append(space if skipped else space + (element.text or ""))
        else:
            skipped -= name in hidden
            parts.append(space if skipped else space + (element.tail or ""))
    return "".join(parts)


def _in_order(items: list[str], chosen: Counter[str]) -> str:
    found = []
    for item in items:
        if chosen[item] > 0:
            chosen[item] -= 1
            found.append(item)
    return "".join(found)
