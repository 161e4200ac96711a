"""Mark the headings of a Word file in the way that docling recognises.

A paragraph may state its outline level itself. Its style may have the name of a heading in another language than
English. A heading may be alone in a table that draws a frame around it.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml import etree

_CALLED = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|títol|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|naslov|címsor"
    r"|titlu|başlık|заголовок|επικεφαλίδα|標題|标题|見出し|제목|antraštė|virsraksts|pealkiri|tiêu đề|judul)\s*([1-9])",
    re.IGNORECASE,
)
"""Names of heading styles, with their level, in the languages of office programs."""

_LONGEST = 250
"""Maximum letters of a paragraph that is a heading by its outline level; contracts give it to whole clauses."""

_STOPS = (".", ";")
"""Ends of a sentence; Chinese and Japanese ones end with "。"."""

_TITLE_WORDS = 5
"""Maximum words of a title with a full stop ("Definitions and interpretation."); longer lines are sentences."""

_OTHER = re.compile(r"caption|(?:intense )?quote|list(?: (?!paragraph).*)?", re.IGNORECASE)
"""Styles that are not headings at any level. "List Paragraph" is not among them: programs number headings in it."""

_LEVELS = 9


def state_headings(root: etree._Element, styles: etree._Element | None) -> None:
    """Give each heading of a document a style with its outline level, in place.

    Args:
        root: the main part of the document.
        styles: its styles; missing ones are added.
    """
    w = root.tag[: root.tag.index("}") + 1]
    if styles is None or not styles.tag.startswith(w):
        return
    known = {style.get(f"{w}styleId", ""): style for style in styles.findall(f"{w}style")}
    for style in known.values():
        name = style.find(f"{w}name")
        called = _CALLED.fullmatch(name.get(f"{w}val", "").strip()) if name is not None else None
        if called and style.get(f"{w}type") == "paragraph" and style.find(f"{w}pPr/{w}outlineLvl") is None:
            _set_level(style, w, int(called[1]) - 1)
    for stated in list(root.iter(f"{w}outlineLvl")):
        paragraph = next(stated.iterancestors(f"{w}p"), None)
        level = stated.get(f"{w}val", "")
        if paragraph is None or stated.getparent() is not paragraph.find(f"{w}pPr"):
            continue
        if level.isdecimal() and int(level) < _LEVELS and _may_head(_text(paragraph, w)):
            _restyle(paragraph, w, int(level), known, styles)
    _free(root, w, {key for key, style in known.items() if _level_of(style, w) < _LEVELS})


def _may_head(text: str) -> bool:
    """Return True if a text with an outline level is a title, not a clause or sentence that is only numbered."""
    is_sentence = text.endswith("。") or (text.endswith(_STOPS) and len(text.split()) > _TITLE_WORDS)
    return 0 < len(text) <= _LONGEST and not is_sentence


def _set_level(style: etree._Element, w: str, level: int) -> None:
    settings = style.find(f"{w}pPr")
    if settings is None:
        settings = style.makeelement(f"{w}pPr")
        style.append(settings)
    for old in settings.findall(f"{w}outlineLvl"):
        settings.remove(old)
    settings.append(settings.makeelement(f"{w}outlineLvl", {f"{w}val": str(level)}))


def _restyle(
    paragraph: etree._Element, w: str, level: int, known: dict[str, etree._Element], styles: etree._Element
) -> None:
    """Give a paragraph a style like its own with this level, if its own states none."""
    settings = paragraph.find(f"{w}pPr")
    if settings is None:
        return
    stated = settings.find(f"{w}pStyle")
    key = stated.get(f"{w}val", "") if stated is not None else ""
    old = known.get(key)
    name = old.find(f"{w}name") if old is not None else None
    if name is not None and _OTHER.fullmatch(name.get(f"{w}val", "").strip()):
        return
    if old is not None and old.find(f"{w}pPr/{w}outlineLvl") is not None:
        return
    new = f"Outline{level + 1}{key}"
    if new not in known:
        style = deepcopy(old) if old is not None else styles.makeelement(f"{w}style", {f"{w}type": "paragraph"})
        style.attrib.pop(f"{w}default", "")
        style.set(f"{w}styleId", new)
        name = style.find(f"{w}name")
        if name is None:
            name = style.makeelement(f"{w}name")
            style.insert(0, name)
        name.set(f"{w}val", f"outline {level + 1} {name.get(f'{w}val', '')}".strip())
        _set_level(style, w, level)
        styles.append(style)
        known[new] = style
    if stated is None:
        stated = settings.makeelement(f"{w}pStyle")
        settings.insert(0, stated)
    stated.set(f"{w}val", new)


def _level_of(style: etree._Element, w: str) -> int:
    """Return the outline level of a style; 9 is that of the text."""
    stated = style.find(f"{w}pPr/{w}outlineLvl")
    level = stated.get(f"{w}val", "") if stated is not None else ""
    return int(level) if level.isdecimal() and len(level) == 1 else _LEVELS


def _free(root: etree._Element, w: str, headings: set[str]) -> None:
    """Move headings out of tables with no other content, together with pictures, objects and formulas beside them."""
    for table in list(root.iter(f"{w}tbl")):
        held = [one for one in table.iter(f"{w}p") if any(part.tag != f"{w}pPr" for part in one)]
        texts = [one for one in held if _text(one, w)]
        parent = table.getparent()
        if len(texts) != 1 or parent is None or next(table.iterancestors(f"{w}tbl"), None) is not None:
            continue
        style = texts[0].find(f"{w}pPr/{w}pStyle")
        if style is None or style.get(f"{w}val", "") not in headings:
            continue
        for paragraph in held:
            table.addprevious(paragraph)
        parent.remove(table)


def _text(paragraph: etree._Element, w: str) -> str:
    return "".join(one.text or "" for one in paragraph.iter(f"{w}t")).strip()
