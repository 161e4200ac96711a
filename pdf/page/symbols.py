"""Signs of the fonts of symbols: what their codes show, where a file gives a letter or a private code for them.

Symbol, ZapfDingbats and Wingdings have encodings of their own, in which "4" is a tick and "a" an alpha. Many files
hand out the bare code for the text of such a sign, or that code in the private area of Unicode (U+F020 and on).
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from ragraph.pdf.patterns import UNKNOWN_LETTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragraph.pdf.model import Page, Word

_RARE = re.compile("[\u0530-\u1cff\u2c80-\u2dff\ua4d0-\ua6ff\ua800-\uabff]")
"""Letters of scripts that no other is mixed with in a word, but Latin, Greek and Cyrillic."""
_MIXES = frozenset({"LATIN", "GREEK", "CYRILLIC", "MODIFIER", "COMBINING"})
_MIXED = 3
"""Minimum number of words of two such scripts at which a page's letters are codes of a font that states no text."""
_PRIVATE = 0xF000
"""What is added to a code for its place in the private area."""


def _run(start: int, signs: str) -> dict[int, str]:
    """Return signs by their codes, which count up from a start; a blank is a code without a sign."""
    return {start + at: sign for at, sign in enumerate(signs) if sign != " "}


_GREEK = {
    **_run(0x41, "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"),
    **_run(0x61, "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"),
}
_SYMBOL = {
    **{code: chr(code) for code in range(0x20, 0x7F)},
    **_GREEK,
    **{0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x5C: "∴", 0x5E: "⊥", 0x7E: "∼"},
    **_run(0xA1, "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…  ↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"),
    **{0xF1: "〉", 0xF2: "∫"},
}
_ZAPF = {
    **_run(0x21, "✁✂✃✄☎✆✇✈✉☛☞✌✍✎✏✐✑✒✓✔✕✖✗✘✙✚✛✜✝✞✟✠✡✢✣✤✥✦✧★✩✪✫✬✭✮✯✰✱✲✳✴✵✶✷✸✹✺✻✼✽✾✿"),
    **_run(0x60, "❀❁❂❃❄❅❆❇❈❉❊❋●❍■❏❐❑❒▲▼◆❖◗❘❙❚❛❜❝❞"),
    **_run(0x80, "❨❩❪❫❬❭❮❯❰❱❲❳❴❵"),
    **_run(0xA1, "❡❢❣❤❥❦❧♣♦♥♠①②③④⑤⑥⑦⑧⑨⑩❶❷❸❹❺❻❼❽❾❿➀➁➂➃➄➅➆➇➈➉➊➋➌➍➎➏➐➑➒➓"),
    **_run(0xD4, "➔→↔↕➘➙➚➛➜➝➞➟➠➡➢➣➤➥➦➧➨➩➪➫➬➭➮➯ ➱➲➳➴➵➶➷➸➹➺➻➼➽➾"),
}
_WINGDINGS = {
    **_run(0x22, "✂✁"),
    **_run(0x28, "☎✆✉"),
    **{0x3F: "✍", 0x41: "✌", 0x4A: "☺", 0x4C: "☹", 0x4E: "☠", 0x51: "✈", 0x52: "☼", 0x54: "❄"},
    **_run(0x45, "☜☞☝☟"),
    **_run(0x58, "✠✡☪☯"),
    **_run(0x5E, "♈♉♊♋♌♍♎♏♐♑♒♓"),
    **_run(0x6C, "●❍■□"),
    **_run(0x71, "❑❒⬧⧫◆❖⬥⌧"),
    **{0x7A: "⌘", 0x7D: "❝", 0x7E: "❞"},
    **_run(0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿"),
    **_run(0x9E, "·•"),
    **{0xA1: "○", 0xA4: "◉", 0xA5: "◎", 0xA7: "▪", 0xA8: "◻", 0xAA: "✦", 0xAB: "★", 0xAC: "✶", 0xAD: "✴"},
    **{0xD5: "⌫", 0xD6: "⌦", 0xD8: "➢", 0xDC: "➲", 0xE8: "➔"},
    **_run(0xDF, "←→↑↓↖↗↙↘"),
    **_run(0xEF, "⇦⇨⇧⇩"),
    **_run(0xFB, "✗✓☒☑"),
}
_WINGDINGS_2 = {**_run(0x4F, "✗✓☒☑"), 0x97: "•", 0x98: "●", 0xA2: "■", 0xA3: "□"}
_WINGDINGS_3 = _run(0x66, "←→↑↓")

_FONTS: Mapping[str, tuple[Mapping[int, str], bool]] = {
    "zapfdingbats": (_ZAPF, True),
    "dingbats": (_ZAPF, True),
    "wingdings2": (_WINGDINGS_2, True),
    "wingdings3": (_WINGDINGS_3, True),
    "wingdings": (_WINGDINGS, True),
    "webdings": ({}, True),
    "symbol": (_SYMBOL, False),
}
"""Beginnings of names of fonts, small and without blanks, with the signs of their codes and whether all of these are
pictures; of Symbol, whose figures are figures, only letters are codes for sure."""


def has_unknown(page: Page) -> bool:
    """Return True if a page has letters for which the file gives no text, or words that no language has.

    A font without a map of its letters may hand out its own numbers of them, which read as letters of many scripts.
    """
    mixed = 0
    for word in page.words:
        if UNKNOWN_LETTER.search(word.text):
            return True
        mixed += not word.text.isascii() and _is_mixed(word.text)
    return mixed >= _MIXED


def _is_mixed(text: str) -> bool:
    if not _RARE.search(text):
        return False
    scripts = {unicodedata.name(sign, "?").split()[0] for sign in text if unicodedata.category(sign).startswith("L")}
    return len(scripts - _MIXES) > 1


def restore_signs(pages: Iterable[Page]) -> None:
    """Give words in fonts of symbols the signs that the page shows.

    A code of such a font whose sign is not known comes as one of the private area: a bullet still, and told of.

    Args:
        pages: with words that have the names of their fonts; their text changes.
    """
    for page in pages:
        for word in (*page.words, *page.sideways):
            known = _signs_of(word)
            if known is not None:
                # letters beside signs that are read already are of another font, which the parser joined to the word
                are_codes = word.text.isascii()
                word.text = "".join(_sign(character, *known, letters=are_codes) for character in word.text)


def _signs_of(word: Word) -> tuple[Mapping[int, str], bool] | None:
    name = word.font.name
    if not any(part in name for part in ("ing", "ymbol", "ING", "YMBOL")):
        return None
    plain = name.casefold().replace("-", "").replace(" ", "").replace("itc", "")
    return next((known for start, known in _FONTS.items() if plain.startswith(start)), None)


def _sign(character: str, signs: Mapping[int, str], pictures: bool, *, letters: bool) -> str:
    code = ord(character)
    if _PRIVATE + 0x20 <= code <= _PRIVATE + 0xFF:
        return signs.get(code - _PRIVATE, character)
    if pictures and 0x20 < code <= 0xFF:
        return signs.get(code, chr(_PRIVATE + code))
    if not pictures and letters and code in _GREEK:
        return _GREEK[code]
    return "•" if not pictures and code == 0xB7 else character
