"""Remove from a Word file what no person sees: hidden, transparent, tiny, off the page, in the colour behind it.

Where the background is not known (a picture, a table style), text stays. Source: ECMA-376 part 1, chapter 17.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragraph.ingest.common.unseen import SMALLEST_POINTS, WHITE, Colour, hex_colour, is_same, leave_out
from ragraph.ingest.readers.office.theme import Theme, is_faint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml import etree

    from ragraph.ingest.readers.office.package import Package

_HIGHLIGHTS = {"yellow": "FFFF00", "green": "00FF00", "cyan": "00FFFF", "magenta": "FF00FF", "blue": "0000FF"}
_HIGHLIGHTS |= {"red": "FF0000", "darkBlue": "000080", "darkCyan": "008080", "darkGreen": "008000", "black": "000000"}
_HIGHLIGHTS |= {"darkMagenta": "800080", "darkRed": "800000", "darkYellow": "808000", "darkGray": "808080"}
_HIGHLIGHTS |= {"lightGray": "C0C0C0", "white": "FFFFFF"}

_OFF = 8000
"""Twips (twentieths of a point) to the left or top that take text off the page; margins are narrower."""

_FAR = 25_000
"""Twips to the right or bottom that take text off the page; A3 is 23,811 long."""

_EMU = 635
"""Units of drawings in a twip."""

_BEHIND = 900 * _EMU
"""Size of a picture behind the text from which it may be the background of text."""

_SQUEEZED = 5
"""Width of letters in percent up to which they are lines."""

_FLAT = 20
"""Exact height of a line in twips up to which its letters are cut off."""

_PLAIN_TABLES = ("", "TableNormal", "TableGrid")
_TEXTS = ("t", "sym", "tab", "br", "cr", "noBreakHyphen", "footnoteReference", "endnoteReference", "commentReference")
_DRAWN = ("drawing", "pict", "object", "AlternateContent")
_VML = "{urn:schemas-microsoft-com:vml}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_AWAY = re.compile(r"(?:margin-)?(?:left|top)\s*:\s*-\s*(\d{3,})|(?:width|height)\s*:\s*0(?![.\d])", re.IGNORECASE)
_PLACED = re.compile(r"(?:margin-)?(?:left|top)\s*:\s*-\s*(\d{3,})", re.IGNORECASE)
_FITS = re.compile(r"mso-fit-shape-to-text\s*:\s*t", re.IGNORECASE)
_HIDES = re.compile(r"visibility\s*:\s*hidden|display\s*:\s*none|mso-hide\s*:\s*all", re.IGNORECASE)


class Unseen:
    """Removes unseen text from the parts of one file.

    Args:
        package: the file.
        main: root of the main document.
        styles: root of the styles, or None.
    """

    def __init__(self, package: Package, main: etree._Element, styles: etree._Element | None) -> None:
        self._w = w = main.tag[: main.tag.index("}") + 1]
        self._theme = Theme.of(package)
        self._styles = (
            {one.get(f"{w}styleId", ""): one for one in styles.iter(f"{w}style")} if styles is not None else {}
        )
        usual_runs = styles.iterfind(f"{w}docDefaults/{w}rPrDefault/{w}rPr") if styles is not None else ()
        self._defaults = list(usual_runs)
        usual = (one for one in self._styles.values() if one.get(f"{w}default") in ("1", "true"))
        self._usual = next((one.get(f"{w}styleId", "") for one in usual if one.get(f"{w}type") == "paragraph"), "")
        self._chains: dict[str, list[etree._Element]] = {}
        size = next(main.iter(f"{w}pgSz"), None)
        self._page = _number(size.get(f"{w}w")) or 12_240 if size is not None else 12_240
        page = main.find(f"{w}background")
        settings = package.xml("word/settings.xml")
        shown = settings is not None and settings.find(f"{w}displayBackgroundShape") is not None
        self._ground: Colour | None = WHITE
        if page is not None and shown:
            self._ground = None if len(page) else self._colour(page) or WHITE
        if any(self._covers(one) for one in main.iter("{*}anchor")):
            self._ground = None
        self.noted: set[str] = set()
        """Notes, as "footnote-2", whose marks were removed."""

    def remove(self, root: etree._Element) -> None:
        """Remove from a part, in place."""
        w = self._w
        for row in list(root.iter(f"{w}tr")):
            if self._is_on(row.find(f"{w}trPr/{w}hidden")):
                self._drop(row)
        for table in list(root.iter(f"{w}tbl")):
            if self._is_off(table.find(f"{w}tblPr")):
                self._drop(table)
        for drawn in list(root.iter(f"{w}drawing", f"{w}pict")):
            if self._is_unseen_shape(drawn):
                choices = next(drawn.iterancestors(f"{_MC}AlternateContent"), None)
                self._drop(drawn if choices is None else choices)
        for paragraph in list(root.iter(f"{w}p")):
            self._paragraph(paragraph)

    def _paragraph(self, paragraph: etree._Element) -> None:
        w = self._w
        settings = paragraph.find(f"{w}pPr")
        style = self._style_of(settings, "pStyle") or self._usual
        chain = [one for one in (settings, *self._parts(style, "pPr")) if one is not None]
        whole = self._is_gone(chain)
        removed = False
        ground: list[Colour | None] = []
        for run in list(self._runs(paragraph)):
            own = run.find(f"{w}rPr")
            layers = [own, *self._parts(self._style_of(own, "rStyle"), "rPr"), *self._parts(style, "rPr")]
            known = [one for one in (*layers, *self._defaults) if one is not None]
            vanished = self._is_on(self._first(known, "vanish"))
            if not (whole or vanished or self._is_faint(known)):
                colour = self._first(known, "color")
                stated = self._colour(colour) if colour is not None else None
                if stated is None:
                    continue
                behind = self._behind(known)
                if behind is None:
                    if not ground:
                        ground.append(self._background(paragraph, chain))
                    behind = ground[0]
                if not is_same(stated, behind):
                    continue
            removed = self._empty(run, drawings=vanished or whole) or removed
        if removed and not any("".join(str(one) for one in run.itertext()).strip() for run in self._runs(paragraph)):
            self._drop_emptied(paragraph)

    def _runs(self, paragraph: etree._Element) -> Iterator[etree._Element]:
        """Yield the runs of a paragraph, of formulas too, without those of text boxes in it."""
        for run in paragraph.iter(f"{self._w}r", "{http://schemas.openxmlformats.org/officeDocument/2006/math}r"):
            if next(run.iterancestors(f"{self._w}p"), None) is paragraph:
                yield run

    def _empty(self, run: etree._Element, *, drawings: bool) -> bool:
        """Remove the text of a run, and its pictures if these are hidden too; return True if there was any."""
        found = False
        for child in list(run):
            name = str(child.tag).rpartition("}")[2]
            if name in _TEXTS or (drawings and name in _DRAWN):
                found = True
                leave_out("".join(str(one) for one in child.itertext()))
                if name.endswith("Reference"):
                    self.noted.add(f"{name[:-9]}-{child.get(f'{self._w}id', '')}")
                run.remove(child)
        return found

    def _drop(self, element: etree._Element) -> None:
        parent, w = element.getparent(), self._w
        if parent is None:
            return
        copy = element.find(f"{_MC}Choice")
        leave_out(" ".join(str(one.text or "") for one in (element if copy is None else copy).iter(f"{w}t")))
        for name in ("footnote", "endnote", "comment"):
            for mark in element.iter(f"{w}{name}Reference"):
                self.noted.add(f"{name}-{mark.get(f'{w}id', '')}")
        parent.remove(element)

    def _drop_emptied(self, paragraph: etree._Element) -> None:
        """Remove a paragraph without text, so that its number or its list item goes; the last of a cell stays."""
        w, parent = self._w, paragraph.getparent()
        held = (f"{w}sectPr", f"{w}fldChar", f"{w}bookmarkStart", f"{w}commentRangeStart", f"{w}drawing", f"{w}pict")
        if parent is None or next(paragraph.iter(*held), None) is not None:
            return
        if len(parent.findall(f"{w}p")) > 1 or str(parent.tag) == f"{w}body":
            parent.remove(paragraph)

    # -- styles -----------------------------------------------------------------------------------------------

    def _style_of(self, properties: etree._Element | None, name: str) -> str:
        style = properties.find(f"{self._w}{name}") if properties is not None else None
        return style.get(f"{self._w}val", "") if style is not None else ""

    def _parts(self, style: str, name: str) -> list[etree._Element]:
        """Return the properties of a style, then those of the style it is based on, and so on."""
        if style not in self._chains:
            chain: list[etree._Element] = []
            at, seen = style, set()
            while at in self._styles and at not in seen:
                seen.add(at)
                chain.append(self._styles[at])
                at = self._style_of(self._styles[at], "basedOn")
            self._chains[style] = chain
        found = (one.find(f"{self._w}{name}") for one in self._chains[style])
        return [one for one in found if one is not None]

    def _first(self, layers: list[etree._Element], name: str) -> etree._Element | None:
        return next((found for one in layers if (found := one.find(f"{self._w}{name}")) is not None), None)

    def _is_on(self, setting: etree._Element | None) -> bool:
        return setting is not None and setting.get(f"{self._w}val", "1") not in {"0", "false", "off", "none"}

    def _colour(self, element: etree._Element, name: str = "color", themed: str = "themeColor") -> Colour | None:
        w = self._w
        if (theme := element.get(f"{w}{themed}")) is not None:
            changed = element.get(f"{w}{themed.replace('Color', '')}Tint") or element.get(
                f"{w}{themed.replace('Color', '')}Shade"
            )
            return (
                hex_colour(element.get(f"{w}{name}") or element.get(f"{w}val")) if changed else self._theme.named(theme)
            )
        return hex_colour(element.get(f"{w}{name}") or element.get(f"{w}val"))

    # -- what hides -------------------------------------------------------------------------------------------

    def _is_faint(self, layers: list[etree._Element]) -> bool:
        """Return True if letters are too small, too narrow or transparent."""
        w = self._w
        size, width = self._first(layers, "sz"), self._first(layers, "w")
        if size is not None and _number(size.get(f"{w}val"), SMALLEST_POINTS * 3) <= 2 * SMALLEST_POINTS:
            return True
        if width is not None and _number(width.get(f"{w}val"), 100) <= _SQUEEZED:
            return True
        fill = next((found for one in layers if (found := one.find("{*}textFill")) is not None), None)
        if fill is None:
            return False
        if fill.find("{*}noFill") is not None:
            return next((one for one in layers if one.find("{*}textOutline") is not None), None) is None
        # the attribute is how much is transparent there, not how opaque it is
        return (
            is_faint(1 - self._theme.drawn(fill.find("{*}solidFill"))[1])
            if fill.find(".//{*}alpha") is not None
            else False
        )

    def _is_gone(self, layers: list[etree._Element]) -> bool:
        """Return True if a paragraph has lines of no height, or is off the page."""
        w = self._w
        spacing = self._first(layers, "spacing")
        exact = spacing is not None and spacing.get(f"{w}lineRule") == "exact"
        if exact and 0 <= _number(spacing.get(f"{w}line"), _FLAT + 1) <= _FLAT:  # type: ignore[union-attr]
            return True
        indent = self._first(layers, "ind")
        for name in ("left", "start", "firstLine") if indent is not None else ():
            if _is_away(_number(indent.get(f"{w}{name}"))):  # type: ignore[union-attr]
                return True
        frame = self._first(layers, "framePr")
        return frame is not None and any(_is_away(_number(frame.get(f"{w}{name}"))) for name in ("x", "y"))

    def _is_off(self, settings: etree._Element | None) -> bool:
        """Return True if a table is off the page."""
        w = self._w
        if settings is None:
            return False
        indent, place = settings.find(f"{w}tblInd"), settings.find(f"{w}tblpPr")
        if indent is not None and _is_away(_number(indent.get(f"{w}w"))):
            return True
        return place is not None and any(_is_away(_number(place.get(f"{w}{name}"))) for name in ("tblpX", "tblpY"))

    def _is_unseen_shape(self, drawn: etree._Element) -> bool:
        for stated in drawn.iter("{*}docPr", "{*}cNvPr"):
            if stated.get("hidden") in ("1", "true"):
                return True
        for anchor in drawn.iter("{*}anchor", "{*}inline"):
            if anchor.get("hidden") in ("1", "true"):
                return True
            extent = anchor.find("{*}extent")
            sizes = [_number(extent.get(name)) for name in ("cx", "cy")] if extent is not None else [1e6, 1e6]
            # a box that fits its text grows with it, whatever size is stated: Word's own boxes of captions have none
            fits = next(anchor.iter("{*}spAutoFit"), None) is not None
            if min(sizes) <= 12_700 and not fits and next(anchor.iter("{*}txbxContent"), None) is not None:
                return True
            for name, size in (("positionH", sizes[0]), ("positionV", sizes[1])):
                place = anchor.find(f"{{*}}{name}")
                offset = place.find("{*}posOffset") if place is not None else None
                if place is None or offset is None:
                    continue
                at = _number(offset.text)
                before = 0 if place.get("relativeFrom") == "page" else _OFF * _EMU / 4
                if at + size <= -before or at >= (self._page if name == "positionH" else _FAR) * _EMU:
                    return True
        for shape in drawn.iter(f"{_VML}*"):
            style = shape.get("style") or ""
            fits = any(_FITS.search(box.get("style") or "") for box in shape.iter(f"{_VML}textbox"))
            away = (_PLACED if fits else _AWAY).search(style)
            if _HIDES.search(style) or (away is not None and (away[1] is None or int(away[1]) >= 400)):
                return next(drawn.iter(f"{self._w}t"), None) is not None
        return False

    # -- backgrounds ------------------------------------------------------------------------------------------

    def _behind(self, layers: list[etree._Element]) -> Colour | None:
        """Return the colour of the shade or the marker of a run, or None if it has none."""
        marked = self._first(layers, "highlight")
        if marked is not None and marked.get(f"{self._w}val") in _HIGHLIGHTS:
            return hex_colour(_HIGHLIGHTS[marked.get(f"{self._w}val", "")])
        return self._shade(self._first(layers, "shd"))

    def _shade(self, shade: etree._Element | None) -> Colour | None:
        if shade is None:
            return None
        w = self._w
        if shade.get(f"{w}val") == "solid":
            return hex_colour(shade.get(f"{w}color"))
        return self._colour(shade, "fill", "themeFill") if shade.get(f"{w}fill") not in (None, "auto") else None

    def _background(self, paragraph: etree._Element, chain: list[etree._Element]) -> Colour | None:
        """Return the colour behind a paragraph; None if it is not known."""
        w = self._w
        if (own := self._shade(self._first(chain, "shd"))) is not None:
            return own
        for around in paragraph.iterancestors():
            name = str(around.tag).rpartition("}")[2]
            if name == "tc":
                shade = around.find(f"{w}tcPr/{w}shd")
                if shade is not None and shade.get(f"{w}fill") not in (None, "auto"):
                    return self._shade(shade)
            elif name == "tbl":
                if self._style_of(around.find(f"{w}tblPr"), "tblStyle") not in _PLAIN_TABLES:
                    return None
                whole = self._shade(around.find(f"{w}tblPr/{w}shd"))
                if whole is not None:
                    return whole
            elif name == "wsp":
                drawn = around.find("{*}spPr")
                fill = drawn.find("{*}solidFill") if drawn is not None else None
                if fill is not None:
                    colour, opacity = self._theme.drawn(fill)
                    return colour if opacity >= 0.95 else None
                if drawn is None or drawn.find("{*}noFill") is None:
                    return None if around.find("{*}style") is not None else self._ground
            elif name in ("shape", "rect", "roundrect") and str(around.tag).startswith(
                "{urn:schemas-microsoft-com:vml"
            ):
                return (
                    hex_colour((around.get("fillcolor") or "").split(" ")[0]) if around.get("filled") != "f" else None
                )
        return self._ground

    def _covers(self, anchor: etree._Element) -> bool:
        """Return True if a picture behind the text may be the background of some of it."""
        extent = anchor.find("{*}extent")
        if anchor.get("behindDoc") not in ("1", "true") or extent is None:
            return False
        return min(_number(extent.get(name)) for name in ("cx", "cy")) >= _BEHIND


def _number(value: str | None, missing: float = 0) -> float:
    try:
        return float(value) if value is not None else missing
    except ValueError:
        return missing


def _is_away(twips: float) -> bool:
    return twips <= -_OFF or twips >= _FAR
