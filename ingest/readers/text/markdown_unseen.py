"""What HTML hides within Markdown: pieces of it may hide the blocks and words of Markdown between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree, html

from ragraph.ingest.common.unseen import leave_out
from ragraph.ingest.readers.html.fragments import seen_part, sheets_of, without_comments
from ragraph.ingest.readers.html.inline import hidden
from ragraph.ingest.readers.html.unseen import remove_unseen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

_HTML = ("html_block", "html_inline")
_HIDING = re.compile(r"\b(?:style|hidden)\b|<\s*(?:template|noscript|dialog|datalist)\b", re.IGNORECASE)
_MOST = 200_000
"""Tokens above which blocks between pieces of HTML are not looked at."""


def remove_unseen_tokens(tokens: Sequence[Token]) -> None:
    """Empty the tokens of a Markdown document, in place, that HTML around them hides, and the hidden parts of HTML."""
    flat = list(_flat(tokens))
    pieces = [one for one in flat if one.type in _HTML]
    if not pieces:
        return
    sheets = [sheet for one in pieces for sheet in sheets_of(one.content)]
    if (sheets or any(_HIDING.search(one.content) for one in pieces)) and len(flat) <= _MOST:
        _empty_hidden(flat)
    for one in pieces:
        one.content = seen_part(one.content, sheets) if one.type == "html_block" else without_comments(one.content)


def _flat(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        if token.children:
            yield from _flat(token.children)


def _empty_hidden(flat: list[Token]) -> None:
    """Empty the tokens that hidden elements hold: a page with a mark for each token shows which those are."""
    page: list[str] = []
    for place, token in enumerate(flat):
        if token.type in _HTML:
            # the mark is before the piece, so that it is hidden only by what is open around the piece
            page.append(f'<tt data-token="{place}">x</tt>{without_closed_comments(token.content)}')
        elif token.nesting and token.tag:
            page.append(f"<{'/' if token.nesting < 0 else ''}{token.tag}>")
        elif token.content and not token.children:
            page.append(f'<tt data-token="{place}">x</tt>')
    try:
        root = html.document_fromstring("".join(page))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    remove_unseen(root)
    for mark in root.iter("tt"):
        marked = str(mark.get("data-token", ""))
        if not marked.isdigit() or int(marked) >= len(flat):
            continue
        if mark.text and not any(hidden(one) for one in (mark, *mark.iterancestors())):
            continue
        token = flat[int(marked)]
        leave_out(re.sub(r"<[^<>]*>", " ", token.content))
        token.content = ""


def without_closed_comments(content: str) -> str:
    """Return a piece of HTML without comments, which are counted elsewhere."""
    return re.sub(r"<!--.*?(?:-->|\Z)", "", content, flags=re.DOTALL)
