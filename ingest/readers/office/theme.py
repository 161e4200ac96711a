"""Colours of Office files: as numbers, by name, and as names of the file's theme with changes of lightness."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

from ragraph.ingest.common.unseen import FAINTEST, Colour, hex_colour

if TYPE_CHECKING:
    from lxml import etree

    from ragraph.ingest.readers.office.package import Package

_USUAL = {"dk1": "000000", "lt1": "FFFFFF", "dk2": "44546A", "lt2": "E7E6E6"}
"""The first colours of a theme, for files without one."""

_ALIASES = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}
_NAMES = {
    **{"background1": "lt1", "text1": "dk1", "background2": "lt2", "text2": "dk2", "light1": "lt1", "dark1": "dk1"},
    **{"light2": "lt2", "dark2": "dk2"},
}
_WORDS = {"white": "FFFFFF", "black": "000000", "red": "FF0000", "blue": "0000FF", "yellow": "FFFF00"}
_WORDS |= {"green": "008000", "cyan": "00FFFF", "magenta": "FF00FF", "lightGray": "C0C0C0", "darkGray": "808080"}


class Theme:
    """The colours of a theme, by their names: dk1, lt1, accent1 and so on."""

    def __init__(self, root: etree._Element | None) -> None:
        self._colours: dict[str, Colour | None] = {name: hex_colour(value) for name, value in _USUAL.items()}
        scheme = next(root.iter("{*}clrScheme"), None) if root is not None else None
        for entry in scheme if scheme is not None else ():
            for colour in entry:
                value = colour.get("lastClr") or colour.get("val")
                self._colours[str(entry.tag).rpartition("}")[2]] = hex_colour(value)

    @classmethod
    def of(cls, package: Package) -> Theme:
        """Return the first theme of a file."""
        names = sorted(name for name in package.names if "/theme/theme" in name and name.endswith(".xml"))
        return cls(package.xml(names[0]) if names else None)

    def named(self, name: str, names: dict[str, str] | None = None) -> Colour | None:
        """Return the colour of a name; ``names`` are those that a slide maps to others."""
        name = (names or {}).get(name, name)
        return self._colours.get(_ALIASES.get(name) or _NAMES.get(name) or name)

    def drawn(self, fill: etree._Element | None, names: dict[str, str] | None = None) -> tuple[Colour | None, float]:
        """Return the colour of a ``solidFill``, None if it is unknown, and its opacity from 0 to 1."""
        for colour in fill if fill is not None else ():
            kind, value = str(colour.tag).rpartition("}")[2], _value(colour)
            found = (
                hex_colour(value) if kind == "srgbClr"
                else self.named(value, names) if kind == "schemeClr"
                else hex_colour(colour.get("lastClr") or _WORDS.get({"window": "white"}.get(value, "black")))
                if kind == "sysClr"
                else hex_colour(_WORDS.get(value)) if kind == "prstClr"
                else None
            )  # fmt: skip
            opacity = 1.0
            for change in colour:
                name, amount = str(change.tag).rpartition("}")[2], _share(_value(change))
                if name == "alpha":
                    opacity = amount
                elif found is not None:
                    found = _changed(found, name, amount)
            return found, opacity
        return None, 1.0


def is_faint(opacity: float) -> bool:
    """Return True if nobody sees something of an opacity."""
    return opacity <= FAINTEST


def tinted(colour: Colour, tint: float) -> Colour:
    """Return a colour made lighter (tint 0 to 1) or darker (-1 to 0), as sheets do it."""
    hue, light, saturation = colorsys.rgb_to_hls(*colour)
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return colorsys.hls_to_rgb(hue, min(max(light, 0.0), 1.0), saturation)


def _changed(colour: Colour, name: str, amount: float) -> Colour:
    hue, light, saturation = colorsys.rgb_to_hls(*colour)
    if name in ("lumMod", "lumOff"):
        light = light * amount if name == "lumMod" else light + amount
        return colorsys.hls_to_rgb(hue, min(max(light, 0.0), 1.0), saturation)
    if name == "shade":
        return colour[0] * amount, colour[1] * amount, colour[2] * amount
    if name == "tint":
        red, green, blue = (1 - (1 - part) * amount for part in colour)
        return red, green, blue
    return colour


def _value(element: etree._Element) -> str:
    return next((str(value) for name, value in element.attrib.items() if str(name).rpartition("}")[2] == "val"), "")


def _share(value: str) -> float:
    """Return a share from its thousandths of a percent."""
    try:
        return float(value.rstrip("%")) / (100 if value.endswith("%") else 100_000)
    except ValueError:
        return 1.0
