"""Signs of the fonts Symbol and Wingdings, which Office files state by the letters or numbers that stand for them."""

from __future__ import annotations

import re
from contextlib import suppress

_SYMBOL = {
    0x20: " !∀#∃%&∋()∗+,−./0123456789:;<=>?",
    0x40: "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_",
    0x60: "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
    0xA0: "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵",
    0xC0: "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓",
    0xE0: "◊⟨®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
    0xF1: "⟩∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
}
"""Encoding of the font Symbol, by the number of the first character of each row."""

_WINGDINGS = {
    0x21: "✏✂✁",
    0x28: "☎✆✉",
    0x36: "⌛",
    0x3E: "✇✍",
    0x41: "✌",
    0x43: "👍👎☜☞☝☟",
    0x4A: "☺😐☹",
    0x4E: "☠⚐",
    0x51: "✈☼",
    0x54: "❄",
    0x56: "✞",
    0x58: "✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓&&●❍■☐❑❑❒⬧⧫◆❖⬥⌧",
    0x7A: "⌘",
    0x7D: "❝❞",
    0x80: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿",
    0x9E: "·•▪○",
    0xA4: "◉◎",
    0xA7: "▪☐",
    0xAB: "★",
    0xB1: "⌖",
    0xB5: "✪✰",
    0xD5: "⌫⌦",
    0xD8: "➢",
    0xDC: "➲",
    0xDF: "←→↑↓↖↗↙↘←➔↑↓↖↗↙↘⇦⇨⇧⇩⇔⇕",
    0xFB: "✗✓☒☑",
}
"""Encoding of the font Wingdings in signs that most fonts have, by the number of the first character of each row."""

_WINGDINGS_2 = {
    0x4F: "✗✓☒☑☒☒", 0x69: "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿", 0x96: "•●", 0xA2: "■☐",
}  # fmt: skip
_WINGDINGS_3 = {
    0x21: "←→↑↓↖↗↙↘", 0x66: "←→↑↓↖↗↙↘↔↕", 0x70: "▲▼△▽◀▶◁▷◣◢◤◥", 0x7D: "▶◀",
}  # fmt: skip
_FONTS = {
    "symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "wingdings 3": _WINGDINGS_3,
}  # fmt: skip
_PRIVATE = range(0xE000, 0xF900)


def symbol(font: str, number: str) -> str:
    """Return the character of a symbol; an empty string if the font is not known and its number has no meaning.

    Args:
        font: name of the font.
        number: hexadecimal number; fonts of symbols begin at F000.
    """
    try:
        code = int(number, 16)
    except ValueError:
        return ""
    shown = _in_font(font, code)
    return shown if shown is not None else "" if code in _PRIVATE or code > 0x10FFFF or code < 0x20 else chr(code)


def shown_in(font: str, text: str) -> str:
    """Return a text as it is shown in a font: in those of signs, letters stand for signs. Others have it as it is."""
    if not is_of_signs(font):
        return text
    return "".join(sign if (sign := _in_font(font, ord(letter))) is not None else letter for letter in text)


def is_of_signs(font: str) -> bool:
    """Return True if letters of a font stand for signs that are known."""
    return _named(font) in _FONTS


def _named(font: str) -> str:
    return re.sub(r"[ -]?(?:mt|regular|\(\w+\))$", "", font.strip().lower())


def _in_font(font: str, code: int) -> str | None:
    """Return the sign that a font has for the number of a letter; None if it is not known."""
    place = code - 0xF000 if 0xF000 <= code <= 0xF0FF else code
    if 0x80 <= place <= 0x2122 and not 0xA0 <= place <= 0xFF:
        with suppress(UnicodeEncodeError):
            place = chr(place).encode("cp1252")[0]
    for first, row in _FONTS.get(_named(font), {}).items():
        if first <= place < first + len(row):
            return row[place - first]
    return None
