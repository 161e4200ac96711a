"""Says of the headings of a Word file, in the way that docling reads, that they are headings.

A paragraph may state its level in the outline itself, its style may be called a heading in another language than
English, and a heading may stand alone in a table that draws a frame around it.
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
"""Names of styles of headings, with their level, in the languages of office programs."""

_LONGEST = 250
"""Letters of a paragraph that is a heading by its level in the outline; contracts give it to whole clauses."""

_STOPS = (".", ";")
"""What a sentence ends with; a Chinese or Japanese one with "。"."""

_TITLE_WORDS = 5
"""Words up to which a line with a full stop may be a title ("Definitions and interpretation."); more are a sentence."""

_OTHER = re.compile(r"caption|(?:intense )?quote|list(?: (?!paragraph).*)?", re.IGNORECASE)
"""Names of styles of what is no heading, whatever its level; programs number headings in the style "List Paragraph"."""

_LEVELS = 9


def state_headings(root: etree._Element, styles: etree._Element | None) -> None:
    """Give each heading of a document a style that states its level in the outline, in place.

    Args:
        root: the main part of the document.
        styles: its styles; those that are needed are added.
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
    """Tell whether a text that states a level is a title, not a clause or sentence that is counted with them."""
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
    """Give a paragraph a style like its own with this level, where its own states none."""
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
    """Return the level in the outline that a style states; 9 is that of the text."""
    stated = style.find(f"{w}pPr/{w}outlineLvl")
    level = stated.get(f"{w}val", "") if stated is not None else ""
    return int(level) if level.isdecimal() and len(level) == 1 else _LEVELS


def _free(root: etree._Element, w: str, headings: set[str]) -> None:
    """Take headings out of tables that hold nothing else, and what stands beside them: pictures, objects, formulas."""
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
