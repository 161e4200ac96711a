"""Font programs of Type 1, whose glyphs have names and are all squares."""

from __future__ import annotations


def type1(name: str, glyphs: dict[int, str]) -> tuple[bytes, int, int]:
    """Return a font program whose own encoding gives glyphs their codes, as fonts of TeX do.

    Returns:
        The program, and the lengths of its plain and its encrypted part in bytes.
    """
    lines = [
        f"%!PS-AdobeFont-1.0: {name}",
        "12 dict begin",
        "/FontInfo 1 dict dup begin end readonly def",
        f"/FontName /{name} def",
        "/PaintType 0 def",
        "/FontType 1 def",
        "/FontMatrix [0.001 0 0 0.001 0 0] readonly def",
        "/FontBBox {0 0 500 500} readonly def",
        "/Encoding 256 array",
        "0 1 255 {1 index exch /.notdef put} for",
        *(f"dup {code} /{glyph} put" for code, glyph in glyphs.items()),
        "readonly def",
        "currentdict end",
        "currentfile eexec\n",
    ]
    plain = "\n".join(lines).encode("ascii")
    # 0 500 hsbw 0 0 rmoveto 400 hlineto 400 vlineto -400 hlineto closepath endchar
    square = bytes([139, 248, 136, 13, 139, 139, 21, 248, 36, 6, 248, 36, 7, 252, 36, 6, 9, 14])
    drawn = b"".join(
        f"/{glyph} {len(square) + 4} RD ".encode() + _encrypted(b"\0\0\0\0" + square, 4330) + b" ND\n"
        for glyph in (".notdef", *glyphs.values())
    )
    private = (
        b"dup /Private 8 dict dup begin\n/RD {string currentfile exch readstring pop} executeonly def\n"
        b"/ND {noaccess def} executeonly def\n/NP {noaccess put} executeonly def\n/BlueValues [] def\n"
        b"/MinFeature {16 16} def\n/password 5839 def\n"
        + f"2 index /CharStrings {len(glyphs) + 1} dict dup begin\n".encode()
        + drawn
        + b"end\nend\nreadonly put\nnoaccess put\ndup /FontName get exch definefont pop\nmark currentfile closefile\n"
    )
    hidden = _encrypted(b"\0\0\0\0" + private, 55665)
    return plain + hidden + b"0" * 512 + b"\ncleartomark\n", len(plain), len(hidden)


def _encrypted(data: bytes, key: int) -> bytes:
    """Return data in the cipher of Type 1 fonts (Adobe Type 1 Font Format, chapter 7)."""
    found = bytearray()
    for byte in data:
        cipher = byte ^ (key >> 8)
        key = ((cipher + key) * 52845 + 22719) & 0xFFFF
        found.append(cipher)
    return bytes(found)
