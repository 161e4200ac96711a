"""The character set of a text: stated, found from its bytes, or guessed with a warning.

Order: byte order mark, the set that the caller or the file names, UTF-8, UTF-16 without a mark, then a guess. A guess
takes windows-1252, as browsers do for unlabelled pages (https://encoding.spec.whatwg.org), unless the letters of the
whole text show another set.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragraph.base import notices
from ragraph.base.counts import many
from ragraph.errors import DamagedFileError
from ragraph.ingest.common.charset_asian import asian_charset, is_thai

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_AS_BROWSERS_DO = dict.fromkeys(("iso-8859-1", "latin-1", "latin1", "ascii", "us-ascii"), "cp1252")
"""Names that browsers read as windows-1252, because pages with these names use its quotes and dashes."""

_RUN = re.compile(rb"[\x80-\xff]{3,}")
_FIRST_LETTER = 0xC0
"""First byte of the letters of windows-1252, beyond its symbols."""

_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
"""Bytes that do not occur in text; escape (1b) is in logs of terminals."""

_WORD = re.compile(rb"[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*")
"""A word with letters beyond ASCII."""

_WRONG = re.compile("[\udc80-\udcff]")
"""Bytes that are not UTF-8, as ``surrogateescape`` decodes them."""

_WITHIN_WORDS = frozenset(b"\x92\x96\x97\xa0\xad\xb0\xb5\xb7")
"""Apostrophe, dashes, no-break space, soft hyphen, degree, micro and middle dot: also within words of windows-1252."""

_PUNCTUATION = frozenset("‘’“”„‚–—\xa0\xab\xbb\xad·°…«»№")
"""Characters that occur in every script, so they identify none."""

_NEVER_BEHIND = frozenset("‚„ˆ˜¤¡¿¦¨¯")
_NEVER_WITHIN = frozenset("‹›“”†‡‰¢£«»¬±")
"""Signs that are never behind a letter, and never between two: there, another set has letters."""

_WESTERN = {
    "French": "àâæçéèêëîïôœùûüÿ",
    "German": "äöüß",
    "Spanish": "áéíñóúü",
    "Portuguese": "àáâãçéêíóôõú",
    "Italian": "àèéìòù",
    "Swedish and Finnish": "åäöé",
    "Danish and Norwegian": "æøåé",
    "Dutch": "éëïöü",
    "Icelandic": "áðéíóúýþæö",
    "Catalan": "àçéèíïóòúü",
}
_CENTRAL = {
    "Polish": "ąćęłńóśźż",
    "Czech and Slovak": "áäčďéěíĺľňóôŕřšťúůýž",
    "Hungarian": "áéíóöőúüű",
    "Croatian and Slovenian": "čćđšž",
    "Romanian": "ăâîşţ",
}
_TURKISH = {"Turkish": "çğıöşüâîûi\u0307"}  # capital İ is two characters in small letters
_BALTIC = {"Lithuanian": "ąčęėįšųūž", "Latvian": "āčēģīķļņšūž", "Estonian": "äõöüšž"}
_LATIN_SETS: dict[str, dict[str, str]] = {
    "cp1252": _WESTERN,
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": _TURKISH,
    "cp1257": _BALTIC,
    "cp850": _WESTERN,
    "cp852": _CENTRAL,
    "mac_roman": _WESTERN,
}
"""Sets for Latin letters, the most likely first, and the letters beyond ASCII of their languages."""

_CYRILLIC = "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўђјљњћџѓќѕ", "оеаинтсрвл"
_VOWELS = re.compile("[аеёиоуыэюяіїєαεηιουωάέήίόύώϊϋ]")
_CASED = re.compile("[^\\W\\d_\u0590-\u06ff]{3,}")
"""Vowels of Cyrillic and Greek, and words in scripts that write them."""

_FINAL = re.compile("[םןץףך](?=[א-ת])")
"""A final letter of Hebrew within a word, where it never is."""
_SCRIPT_SETS = {
    "cp1251": _CYRILLIC,
    "koi8_u": _CYRILLIC,
    "cp866": _CYRILLIC,
    "iso8859_5": _CYRILLIC,
    "cp1253": ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", "αοιετσνηυρ"),
    "cp1255": ("אבגדהוזחטיךכלםמןנסעףפץצקרשת", "יוהלאתבשרמ"),
    "cp1256": ("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي", "الينموتربع"),
}
"""Single-byte sets for other scripts: their letters, and the ten that make up more than half of usual texts."""

_WIDE_SETS = ("cp932", "euc_jp", "gb18030", "big5", "euc_kr", "cp874")
"""Multi-byte sets, and Thai, among which charset-normalizer chooses."""

_CLEAR = 0.95
"""Minimum share of letters beyond ASCII that one language must explain for a set other than windows-1252."""

_MARGIN = 0.1
"""Minimum advantage of that share over the one in windows-1252."""

_NEAR = 0.8
"""Minimum share of another reading for a warning."""

_FEW_LETTERS = 4
"""Minimum letters within words that show a set other than windows-1252; fewer are symbols and names."""

_USUAL = 0.4
"""Minimum share of the ten usual letters for text of a script; chance gives a third."""

_ALONE = 0.3
"""The same for a short text that can be in no other set."""

_WIDE_ZEROS = 32
"""One zero byte in this many shows UTF-16, whose spaces have one in any script; fewer are damage and dropped later."""

_FEW_BYTES = 3
"""Maximum bytes of a cut character at the end of a UTF-8 file."""

_VALID_FOR_EACH_BAD = 10
"""Minimum characters beyond ASCII per invalid byte for a text that is UTF-8 with foreign bytes."""

_FEWEST_CLEAR = 2
"""Minimum characters, and no fewer than invalid bytes, if all are Latin letters or have three bytes: other sets hardly
ever spell these by chance."""

_CLEAR_CHARACTER = re.compile("[\u00c0-\u017f]|[\u0800-\uffff]")
_SIGNS_FOR_EACH_BAD = 3
"""Minimum characters per invalid byte if signs of Latin-1, such as £ and ½, are among them."""
_CLEAR_OR_SIGN = re.compile("[\u00a0-\u017f]|[\u0800-\uffff]")
_MIXED = re.compile("[A-Za-z][^\x00-\x7f\\W]|[^\x00-\x7f\\W][A-Za-z]")
"""A Latin letter beside one of another script."""

_BEYOND_ASCII = re.compile("[^\x00-\x7f]")

_ESCAPES = re.compile(rb"\x1b\$(?:[@BA]|\([CDGH]|\)C)")
"""Beginning of another set in the seven-bit sets of East Asia."""
_SEVEN_BIT_SETS = ("iso2022_kr", "iso2022_jp_2", "iso2022_jp_3")

_EVIDENCE_BYTES = 1 << 18
"""Bytes, from the first one beyond ASCII, that are examined for other scripts."""


_ASCII = bytes(range(0x80))
_UNASSIGNED = b"\x81\x8d\x8f\x90\x9d"
_WINDOWS = {byte: ord(bytes([byte]).decode("cp1252")) for byte in range(0x80, 0xA0) if byte not in _UNASSIGNED}
_WRONG_AS_WINDOWS = {0xDC00 + byte: _WINDOWS.get(byte, byte) for byte in range(0x80, 0x100)}


@dataclass(frozen=True)
class DecodedText:
    """The text of a file, the Python name of its character set, and a warning if the set is in doubt.

    ``guessed`` is True if nothing states the set, and it is not UTF-8.
    """

    text: str
    charset: str
    warning: str | None = None
    guessed: bool = False


def decode_text(data: bytes, charset: str | None = None, declared: Sequence[str] = ()) -> DecodedText:
    """Return the text of bytes.

    Args:
        data: content of the file or part.
        charset: set that the user names; None finds it. A byte order mark overrides it.
        declared: sets that the file itself states, the most trusted first; those that do not fit are skipped.

    Raises:
        DamagedFileError: the bytes are not in ``charset``, or not text in any known character set.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return DecodedText(data.decode(name, "replace"), name)
    if charset == "cp1252":  # as browsers read it, every byte is a character of it
        return DecodedText(_as_windows(data), charset, _doubt_of_named(data, charset))
    if charset:
        try:
            return DecodedText(data.decode(charset), charset, _doubt_of_named(data, charset))
        except UnicodeDecodeError as error:
            wrong = f"byte 0x{data[error.start]:02x} at {error.start:,} is not a character of it"
            raise DamagedFileError(
                f"the file is not in the character set {charset}: {wrong}. Name another with --charset."
            ) from error
    for name in declared:
        try:
            name = _AS_BROWSERS_DO.get(name.lower(), name)
            return DecodedText(data.decode(name), name)
        except (UnicodeDecodeError, LookupError):
            continue
    found = _found(data)
    return replace(found, guessed=found.charset != "utf-8")


def decode_bytes(data: bytes, charset: str | None = None, declared: Sequence[str] = ()) -> str:
    """Return the text of bytes, and warn if its character set is in doubt; see ``decode_text`` for the arguments."""
    found = decode_text(data, charset, declared)
    if found.warning:
        notices.warn(found.warning)
    if found.guessed and (names := _guessed.get()) is not None:
        names.append(found.charset)
    return found.text


_guessed: ContextVar[list[str] | None] = ContextVar("guessed", default=None)


@contextmanager
def guessed_charsets() -> Iterator[list[str]]:
    """Collect the character sets that ``decode_bytes`` guesses within a block, in the order of the texts."""
    names: list[str] = []
    token = _guessed.set(names)
    try:
        yield names
    finally:
        _guessed.reset(token)


def decode_file(path: Path, charset: str | None = None) -> str:
    """Return the text of a file, and warn if its character set is in doubt.

    Args:
        path: the file.
        charset: its character set; None finds it.

    Raises:
        DamagedFileError: the file is not text, or not in ``charset``.
    """
    return decode_bytes(path.read_bytes(), charset)


def _doubt_of_named(data: bytes, charset: str) -> str | None:
    """Return a warning if text that was read in the character set that the user named is UTF-8."""
    if data.isascii() or codecs.lookup(charset).name.startswith("utf"):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return f"the file is UTF-8, but was read as {charset}, which --charset names"


def _found(data: bytes) -> DecodedText:
    """Return the text of bytes for which no set is stated."""
    zeros = data.count(0)
    if zeros * _WIDE_ZEROS > len(data):
        return _wide(data)
    if data.isascii() and _ESCAPES.search(data):
        for name in _SEVEN_BIT_SETS:
            try:
                return DecodedText(data.decode(name), name, _guess(name))
            except UnicodeDecodeError:
                continue
    text, first, wrong = _as_utf8(data)
    if not wrong:
        return DecodedText(text, "utf-8")
    if first >= len(data) - _FEW_BYTES and _is_cut(data, first):
        warning = "the file ends within a character of UTF-8; that character is left out"
        return DecodedText(data[:first].decode("utf-8"), "utf-8", warning)
    if _is_mostly_utf8(data, wrong):
        warning = f"{many(wrong, 'byte')} of the file, which is UTF-8 otherwise, read as windows-1252"
        return DecodedText(text, "utf-8", warning)
    if (asian := asian_charset(data[:_EVIDENCE_BYTES])) is not None:
        return DecodedText(data.decode(asian, "replace"), asian, _guess(asian))
    runs = sum(len(run) for run in _RUN.findall(data) if max(run) >= _FIRST_LETTER)
    if 2 * runs > len(data.translate(None, _ASCII)) and not _is_latin(data):
        return _other_script(data)
    return _latin(data)


def _is_cut(data: bytes, place: int) -> bool:
    r"""Return True if a character of UTF-8 that begins at a place is cut by the end of the text.

    A single byte at the end of a text that is ASCII otherwise is a letter of another set, as in ``Gro\xdf``.
    """
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data[place:])
    except UnicodeDecodeError:
        return False
    return len(data) - place > 1 or not data[:place].isascii()


def _is_mostly_utf8(data: bytes, wrong: int) -> bool:
    """Return True if a text with so many wrong bytes is UTF-8 otherwise."""
    valid = _BEYOND_ASCII.findall(data.decode("utf-8", "ignore"))
    if len(valid) >= _VALID_FOR_EACH_BAD * wrong:
        return True
    if len(valid) >= _SIGNS_FOR_EACH_BAD * wrong and all(map(_CLEAR_OR_SIGN.match, valid)):
        return True
    return len(valid) >= max(_FEWEST_CLEAR, wrong) and all(map(_CLEAR_CHARACTER.match, valid))


def _as_utf8(data: bytes) -> tuple[str, int, int]:
    """Return bytes as UTF-8, the place of the first wrong byte, and the number of wrong bytes.

    Wrong bytes are read as windows-1252. The place is -1 if no byte is wrong.
    """
    text = data.decode("utf-8", "surrogateescape")
    wrong = _WRONG.findall(text)
    if not wrong:
        return text, -1, 0
    begin = len(text[: text.index(wrong[0])].encode())
    return text.translate(_WRONG_AS_WINDOWS), begin, len(wrong)


def _as_windows(data: bytes) -> str:
    """Return bytes as windows-1252 as browsers read it: the five unassigned bytes become controls."""
    return data.decode("latin-1").translate(_WINDOWS)


def _wide(data: bytes) -> DecodedText:
    """Return text with zero bytes: UTF-16 or UTF-32 without a byte order mark.

    Raises:
        DamagedFileError: it is neither.
    """
    for name in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        plain = sum(character.isprintable() or character in "\r\n\t\f" for character in text)
        ascii_or_space = sum(character.isspace() or character.isascii() for character in text)
        if "\0" not in text and plain == len(text) and ascii_or_space:
            return DecodedText(text, name, f"the file states no character set; it was read as {name.upper()}")
    raise DamagedFileError("the file holds zero bytes: it is no text in a known character set. Save it as UTF-8.")


def _is_latin(data: bytes) -> bool:
    """Return True if most letters in words with letters beyond ASCII are ASCII letters."""
    ascii_letters = others = 0
    for word in _WORD.findall(data):
        high = len(word.translate(None, _ASCII))
        others += high
        ascii_letters += len(word) - high
    return ascii_letters > others


def _latin(data: bytes) -> DecodedText:
    """Return text in Latin letters, in the set whose letters one language explains.

    A reading with characters where none can be, such as a low quote behind a letter, is wrong if another has none.
    """
    letters = Counter(_letters_in_words(data))
    western = _explained(letters, "cp1252")
    text = _as_windows(data)
    if not letters:
        return DecodedText(text, "cp1252")
    sample = data[:_EVIDENCE_BYTES]
    shares = {name: _explained(letters, name) for name in _LATIN_SETS if name != "cp1252"}
    near, share = max(shares.items(), key=lambda found: found[1])
    if share >= _CLEAR and share - western >= _MARGIN and letters.total() >= _FEW_LETTERS:
        return DecodedText(data.decode(near, "replace"), near, _guess(near, "cp1252" if western >= _NEAR else None))
    likely = [name for name, share in shares.items() if share >= max(_NEAR, western)]
    likely = [name for name in likely if not _misplaced(other := sample.decode(name, "replace")) and other not in text]
    if not _misplaced(_as_windows(sample)):
        near = near if western >= _CLEAR else max(likely, key=shares.__getitem__, default="")
        return DecodedText(text, "cp1252", _guess("cp1252", near) if near in likely else None)
    named = next((name for name in likely if shares[name] == 1), "") or _in_script(sample)
    if named:
        return DecodedText(data.decode(named, "replace"), named, _guess(named, "cp1252"))
    return DecodedText(text, "cp1252", _guess("cp1252", near if share >= max(_NEAR, western) else None))


def _misplaced(text: str) -> int:
    """Return how many characters beyond ASCII are where none can be: a capital or low quote behind a small letter."""
    count = 0
    for found in _BEYOND_ASCII.finditer(text):
        sign, place = found[0], found.start()
        before, behind = text[max(place - 1, 0) : place], text[place + 1 : place + 2]
        if "\x7f" < sign < "\xa0" or sign == "\ufffd":
            count += 1
        elif before.isalpha():
            count += sign in _NEVER_BEHIND or (sign in _NEVER_WITHIN and behind.isalpha())
            count += sign.isupper() and before.islower()
    return count


def _in_script(data: bytes) -> str:
    """Return the set of another script in which a text has only its letters, each where it can be; empty if none."""
    for name in _SCRIPT_SETS:
        text = data.decode(name, "replace")
        beyond = [sign for sign in text if sign > "\x7f" and sign not in _PUNCTUATION]
        known = beyond and all(sign.lower() in _SCRIPT_SETS[name][0] for sign in beyond)
        if known and not _MIXED.search(text) and not _misplaced(text):
            return name
    return ""


def _letters_in_words(data: bytes) -> Iterator[int]:
    """Yield the bytes beyond ASCII that are letters of words, in some set."""
    for found in _WORD.finditer(data):
        word = found[0]
        if len(word) < 2:
            continue
        for place, byte in enumerate(word):
            if byte <= 0x7F or byte in _WITHIN_WORDS:
                continue
            sign = _as_windows(word[place : place + 1])
            if 0 < place < len(word) - 1 or sign.isalpha() or (place and sign in _NEVER_BEHIND) or sign < "\xa0":
                yield byte


def _explained(letters: Counter[int], charset: str) -> float:
    """Return the highest share of letters in one language's alphabet, in a character set; 1 without letters."""
    if not letters:
        return 1.0
    read = {byte: bytes([byte]).decode(charset, "replace").lower() for byte in letters}
    return max(
        sum(count for byte, count in letters.items() if read[byte] in alphabet) / letters.total()
        for alphabet in _LATIN_SETS[charset].values()
    )


def _other_script(data: bytes) -> DecodedText:
    """Return text in other than Latin letters, in the set that its usual letters or charset-normalizer show.

    Raises:
        DamagedFileError: no set fits.
    """
    begin = _WORD.search(data).start()  # type: ignore[union-attr]  # there is one: its letters were counted
    sample = data[begin : begin + _EVIDENCE_BYTES]
    scores = ((_usual_letters(sample, name), not _is_shouted(sample, name), name) for name in _SCRIPT_SETS)
    (share, _, charset), (next_share, _, near), *_ = sorted(scores, reverse=True)
    if share >= _USUAL or share >= max(_ALONE, 3 * next_share):
        text = data.decode(charset, "replace")
        in_doubt = next_share >= _NEAR * share and data.decode(near, "replace") != text
        return DecodedText(text, charset, _guess(charset, near if in_doubt else None))
    if is_thai(sample):  # some words of other scripts are in its order by chance
        return DecodedText(data.decode("cp874", "replace"), "cp874", _guess("cp874"))
    from charset_normalizer import from_bytes

    found = from_bytes(sample, cp_isolation=list(_WIDE_SETS))
    best = found.best()
    if best is None and not _CONTROL.search(sample):
        return _latin(data)
    if best is None:
        raise DamagedFileError("the file is not text in any known character set. Save it as UTF-8.")
    return DecodedText(data.decode(best.encoding, "replace"), best.encoding, _guess(best.encoding))


def _usual_letters(data: bytes, charset: str) -> float:
    """Return the share of a script's usual letters among letters beyond ASCII, minus that of misplaced characters.

    Misplaced are characters that are not letters of the script, and capitals after small letters.
    """
    letters, usual = _SCRIPT_SETS[charset]
    text = data.decode(charset, "replace")
    total = common = wrong = 0
    before = " "
    for character in text:
        if character > "\x7f" and character not in _PUNCTUATION:
            total += 1
            common += character.lower() in usual
            wrong += character.lower() not in letters or (character.isupper() and before.islower())
        before = character
    wrong += len(_FINAL.findall(text))
    wrong += sum(len(word) for word in _CASED.findall(text) if not word.isascii() and not _VOWELS.search(word.lower()))
    return (common - 2 * wrong) / total if total else 0.0


def _is_shouted(data: bytes, charset: str) -> bool:
    """Return True if all letters of a script are capitals: that is rare, and more often text in another set."""
    return "".join(_BEYOND_ASCII.findall(data.decode(charset, "replace"))).isupper()


def _guess(charset: str, near: str | None = None) -> str:
    """Return the warning about a guessed character set."""
    other = f" ({_name(near)} is near)" if near else ""
    return f"the file states no character set; it was read as {_name(charset)}{other}. --charset names another"


def _name(charset: str) -> str:
    return f"windows-{charset[2:]}" if re.fullmatch(r"cp125\d|cp874", charset) else charset.replace("_", "-")
