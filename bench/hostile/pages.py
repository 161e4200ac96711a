"""Hostile PDF files and images."""

from __future__ import annotations

import io
import struct
import zlib
from typing import TYPE_CHECKING

from bench.hostile.basics import (
    CATALOG,
    FONT,
    HELVETICA,
    PAGE,
    docx,
    locked_pdf,
    paragraphs,
    pdf_objects,
    pdf_stream,
    pdf_text,
    pdf_with,
)

if TYPE_CHECKING:
    from bench.hostile.basics import Around, Make


def _text(at: Around, content: bytes = b"", **changed: bytes) -> bytes:
    """A page with the word and more content; objects as ``o6=...``."""
    return pdf_with(
        pdf_text(f"{at.word} stands here") + b"\n" + content, {int(name[1:]): body for name, body in changed.items()}
    )


def _many_pages(number: int, word: str) -> bytes:
    objects = {1: CATALOG, 4: pdf_stream(pdf_text(word)), 5: HELVETICA}
    kids = b" ".join(b"%d 0 R" % n for n in range(6, 6 + number))
    objects[2] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, number)
    return pdf_objects(objects | dict.fromkeys(range(6, 6 + number), PAGE % FONT))


def _outline(number: int) -> dict[int, bytes]:
    """Titles, each below the one before it."""
    found = {6: b"<</First 7 0 R/Last 7 0 R/Count %d>>" % number}
    for n in range(7, 7 + number):
        found[n] = b"<</Title(t)/Parent %d 0 R/Dest[3 0 R/Fit]/First %d 0 R/Last %d 0 R/Count 1>>" % (
            n - 1,
            n + 1,
            n + 1,
        )
    found[7 + number] = b"<</Title(end)/Parent %d 0 R/Dest[3 0 R/Fit]>>" % (6 + number)
    return found


def _tags(depth: int) -> dict[int, bytes]:
    """A tree of tags, each in the one before it."""
    found = {6: b"<</Type/StructTreeRoot/K 7 0 R>>"}
    for n in range(7, 7 + depth):
        found[n] = b"<</Type/StructElem/S/Sect/P %d 0 R/K %d 0 R>>" % (n - 1, n + 1)
    found[7 + depth] = b"<</Type/StructElem/S/P/P %d 0 R/Pg 3 0 R/K 0>>" % (6 + depth)
    return found


def _page(entries: bytes, box: bytes = b"[0 0 612 792]") -> bytes:
    return b"<</Type/Page/Parent 2 0 R/MediaBox%s/Contents 4 0 R/Resources<<%s>>%s>>" % (box, FONT, entries)


def _catalog(entries: bytes) -> bytes:
    return b"<</Type/Catalog/Pages 2 0 R%s>>" % entries


def _bomb(times: int) -> bytes:
    """A content stream packed several times over."""
    content = b"q Q " * (25 << 20)
    for _ in range(times):
        content = zlib.compress(content, 9)
    return b"<</Length %d/Filter[%s]>>stream\n%s\nendstream" % (len(content), b"/FlateDecode" * times, content)


def _image(entries: bytes, content: bytes) -> dict[str, bytes]:
    resources = b"%s/XObject<</I 6 0 R>>" % FONT
    return {"o3": PAGE % resources, "o6": pdf_stream(content, b"/Type/XObject/Subtype/Image" + entries)}


def _cut(content: bytes, share: float) -> bytes:
    return content[: int(len(content) * share)]


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _png(width: int, height: int, data: bytes, *more: bytes) -> bytes:
    head = _chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _picture(kind: str) -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("L", (400, 300), 255).save(out, kind)
    return out.getvalue()


def _tiff(entries: list[tuple[int, int, int, int]], following: int) -> bytes:
    body = b"".join(struct.pack("<2H2I", *entry) for entry in entries)
    return struct.pack("<2sHI", b"II", 42, 8) + struct.pack("<H", len(entries)) + body + struct.pack("<I", following)


def _frames(number: int) -> bytes:
    """A TIFF of very many small pages."""
    entries = [
        (256, 3, 1, 1),
        (257, 3, 1, 1),
        (258, 3, 1, 8),
        (262, 3, 1, 1),
        (273, 4, 1, 4),
        (278, 3, 1, 1),
        (279, 4, 1, 1),
    ]
    size = 2 + 12 * len(entries) + 4
    body = struct.pack("<H", len(entries)) + b"".join(struct.pack("<2H2I", *entry) for entry in entries)
    return struct.pack("<2sHI", b"II", 42, 8) + b"".join(
        body + struct.pack("<I", 8 + size * (n + 1) if n + 1 < number else 0) for n in range(number)
    )


LINES = b"".join(
    b"%d %d m %d %d l S " % (x % 600, y % 700, x % 600 + 5, y % 700)
    for x, y in zip(range(150_000), range(0, 450_000, 3), strict=True)
)

# fmt: off
FILES: dict[str, Make] = {
    "locked.pdf": lambda at: locked_pdf(),
    "half.pdf": lambda at: _cut(_text(at), 0.5),
    "most.pdf": lambda at: _cut(_text(at), 0.95),
    "head-only.pdf": lambda at: b"%PDF-1.7\n",
    "noise.pdf": lambda at: b"%PDF-1.7\n" + bytes(range(256)) * 4000,
    "wrong-xref.pdf": lambda at: _text(at).replace(b"00000 n", b"00077 n").replace(b"startxref\n", b"startxref\n99"),
    "no-xref.pdf": lambda at: pdf_objects({1: CATALOG, 2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>", 3: PAGE % FONT, 4: pdf_stream(pdf_text(at.word)), 5: HELVETICA}, xref=False),
    "xref-loop.pdf": lambda at: (lambda whole: whole.replace(b"/Root 1 0 R", b"/Root 1 0 R/Prev %d" % whole.rfind(b"xref\n0")))(_text(at)),
    "xref-size.pdf": lambda at: _text(at).replace(b"/Size 6", b"/Size 2147483647").replace(b"xref\n0 6", b"xref\n0 2147483647"),
    "pages-loop.pdf": lambda at: _text(at, o2=b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>"),
    "pages-count.pdf": lambda at: _text(at, o2=b"<</Type/Pages/Kids[3 0 R]/Count 1000000000>>"),
    "pages-negative.pdf": lambda at: _text(at, o2=b"<</Type/Pages/Kids[3 0 R]/Count -1>>"),
    "no-pages.pdf": lambda at: _text(at, o2=b"<</Type/Pages/Kids[]/Count 0>>"),
    "catalog-loop.pdf": lambda at: _text(at, o1=b"1 0 R"),
    "length-lies.pdf": lambda at: _text(at, o4=pdf_stream(pdf_text(at.word), length=4_000_000_000)),
    "length-of-itself.pdf": lambda at: _text(at, o4=b"<</Length 4 0 R>>stream\n" + pdf_text(at.word) + b"\nendstream"),
    "flate-bomb.pdf": lambda at: _text(at, o4=_bomb(1)),
    "flate-bombs.pdf": lambda at: _text(at, o4=_bomb(3)),
    "filters.pdf": lambda at: _text(at, o4=b"<</Length 20/Filter[" + b"/ASCIIHexDecode" * 20_000 + b"]>>stream\n41414141414141414141\nendstream"),
    "form-loop.pdf": lambda at: _text(at, b"/X Do", o3=PAGE % (FONT + b"/XObject<</X 6 0 R>>"), o6=pdf_stream(b"/X Do /X Do", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")),
    "saves.pdf": lambda at: _text(at, b"q " * 1_000_000),
    "brackets.pdf": lambda at: _text(at, b"[" * 300_000),
    "dictionaries.pdf": lambda at: _text(at, o6=b"<</A" * 100_000 + b">>" * 100_000),
    "huge-page.pdf": lambda at: _text(at, o3=_page(b"", b"[0 0 1e9 1e9]")),
    "flat-page.pdf": lambda at: _text(at, o3=_page(b"", b"[0 0 0 0]")),
    "inverse-page.pdf": lambda at: _text(at, o3=_page(b"", b"[612 792 0 0]")),
    "numbers.pdf": lambda at: _text(at, o3=_page(b"", b"[0 0 6.1.2 --9]")),
    "rotated.pdf": lambda at: _text(at, o3=_page(b"/Rotate 37/UserUnit 1e9")),
    "huge-letters.pdf": lambda at: _text(at, b"BT /F1 1e30 Tf 1e38 0 0 1e38 0 0 Tm (huge) Tj ET"),
    "outside-page.pdf": lambda at: _text(at, b"BT /F1 9 Tf 1e7 -1e7 Td (far) Tj ET " * 1000),
    "operators.pdf": lambda at: _text(at, b"BT /F1 1 Tf 1 1 Td (a) Tj ET " * 400_000),
    "lines.pdf": lambda at: _text(at, LINES),
    "boxes.pdf": lambda at: _text(at, b"".join(b"%d %d 3 3 re S " % (x, y) for x in range(0, 600, 3) for y in range(0, 780, 3))),
    "one-word.pdf": lambda at: _text(at, b"BT /F1 1 Tf 10 10 Td (" + b"x" * (5 << 20) + b") Tj ET"),
    "contents.pdf": lambda at: _text(at, o3=PAGE.replace(b"/Contents 4 0 R", b"/Contents[" + b"4 0 R " * 100_000 + b"]") % FONT),
    "pages-20000.pdf": lambda at: _many_pages(20_001, at.word),
    "pages-3000.pdf": lambda at: _many_pages(3000, at.word),
    "outline-loop.pdf": lambda at: _text(at, o1=_catalog(b"/Outlines 6 0 R"), o6=b"<</First 7 0 R/Last 7 0 R/Count 1>>", o7=b"<</Title(a)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Dest[3 0 R/Fit]>>"),
    "outline-deep.pdf": lambda at: _text(at, o1=_catalog(b"/Outlines 6 0 R"), **{f"o{n}": body for n, body in _outline(20_000).items()}),
    "names-loop.pdf": lambda at: _text(at, o1=_catalog(b"/Names<</Dests 6 0 R/EmbeddedFiles 6 0 R>>"), o6=b"<</Kids[6 0 R 6 0 R]/Limits[(a)(z)]>>"),
    "labels.pdf": lambda at: _text(at, o1=_catalog(b"/PageLabels<</Nums[0<</S/R/St 2147483647>> 1<</S/a/St 999999999>>]>>")),
    "roman.pdf": lambda at: _text(at, o1=_catalog(b"/PageLabels<</Nums[0<</S/r/St 1000000000/P(\\000\\033[31m)>>]>>")),
    "labels-loop.pdf": lambda at: _text(at, o1=_catalog(b"/PageLabels 6 0 R"), o6=b"<</Kids[6 0 R]>>"),
    "tags-loop.pdf": lambda at: _text(at, o1=_catalog(b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R"), o6=b"<</Type/StructTreeRoot/K 7 0 R>>", o7=b"<</Type/StructElem/S/Sect/P 6 0 R/K[7 0 R 7 0 R]>>"),
    "tags-deep.pdf": lambda at: _text(at, o1=_catalog(b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R"), **{f"o{n}": body for n, body in _tags(20_000).items()}),
    "roles-loop.pdf": lambda at: _text(at, o1=_catalog(b"/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R"), o6=b"<</Type/StructTreeRoot/RoleMap<</A/B/B/A>>/K 7 0 R>>", o7=b"<</Type/StructElem/S/A/P 6 0 R/Pg 3 0 R/K 0>>"),
    "handler.pdf": lambda at: pdf_with(pdf_text(at.word), {6: b"<</Filter/Nobody.Knows/V 99>>"}, b"/Encrypt 6 0 R"),
    "script.pdf": lambda at: _text(at, o1=_catalog(b"/OpenAction<</S/JavaScript/JS(app.launchURL\\(\"" + at.address.encode() + b"\"\\))>>")),
    "launch.pdf": lambda at: _text(at, o1=_catalog(b"/OpenAction<</S/Launch/F(/bin/sh)>>"), o3=_page(b"/Annots[<</Subtype/Link/Rect[0 0 600 800]/A<</S/URI/URI(" + at.secret.as_uri().encode() + b")>>>>]")),
    "file-stream.pdf": lambda at: _text(at, o6=b"<</Length 0/F(" + str(at.secret).encode() + b")>>stream\n\nendstream", o3=_page(b"").replace(b"/Contents 4 0 R", b"/Contents[4 0 R 6 0 R]")),
    "image-lies.pdf": lambda at: _text(at, b"/I Do", **_image(b"/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB", b"x")),
    "image-bomb.pdf": lambda at: _text(at, b"q 600 0 0 700 0 0 cm /I Do Q", **_image(b"/Width 20000/Height 20000/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/FlateDecode", zlib.compress(b"\0" * 400_000_000, 9))),
    "image-noise.pdf": lambda at: _text(at, b"q 600 0 0 700 0 0 cm /I Do Q", **_image(b"/Width 900/Height 900/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode", bytes(range(256)) * 40)),
    "image-jpx.pdf": lambda at: _text(at, b"q 600 0 0 700 0 0 cm /I Do Q", **_image(b"/Width 900/Height 900/Filter/JPXDecode", b"\0\0\0\x0cjP  \r\n\x87\n" + b"\xff" * 4000)),
    "image-often.pdf": lambda at: _text(at, b"q 9 0 0 9 0 0 cm /I Do Q " * 30_000, **_image(b"/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", b"abcd")),
    "type3-loop.pdf": lambda at: _text(at, b"BT /F2 9 Tf 72 300 Td (aaa) Tj ET", o3=PAGE % b"/Font<</F1 5 0 R/F2 6 0 R>>", o6=b"<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[9]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<</Font<</F2 6 0 R>>>>>>", o7=pdf_stream(b"9 0 d0 BT /F2 9 Tf (a) Tj ET")),
    "code-map.pdf": lambda at: _text(at, o5=HELVETICA[:-2] + b"/ToUnicode 6 0 R>>", o6=pdf_stream(b"1 begincodespacerange <0000><FFFF> endcodespacerange " + b"100 beginbfrange " + b"<0000><FFFF><D800> " * 20_000 + b"endbfrange")),
    "font-noise.pdf": lambda at: _text(at, o5=b"<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor 6 0 R>>", o6=b"<</Type/FontDescriptor/FontName/X/FontFile2 7 0 R>>", o7=pdf_stream(bytes(range(256)) * 400)),
    "control-letters.pdf": lambda at: pdf_with(pdf_text(at.word, "\x00\x07\x1b[31mred\x1b]0;title\x07"), {6: b"<</Title(\\000\\033[2J\\r\\n)/Author(\x1b[31m)>>"}, b"/Info 6 0 R"),
    "form-fields-loop.pdf": lambda at: _text(at, o1=_catalog(b"/AcroForm<</Fields[6 0 R]>>"), o6=b"<</T(a)/Kids[6 0 R]/Parent 6 0 R>>", o3=_page(b"/Annots[6 0 R 6 0 R]")),
    "layers-loop.pdf": lambda at: _text(at, o1=_catalog(b"/OCProperties<</OCGs[6 0 R]/D<</Order 7 0 R>>>>"), o6=b"<</Type/OCG/Name(x)>>", o7=b"[7 0 R 6 0 R]"),
    "object-streams.pdf": lambda at: _text(at, o6=pdf_stream(b"6 0 6 0", b"/Type/ObjStm/N 1000000/First 4/Extends 6 0 R")),
    "polyglot.pdf": lambda at: _text(at) + docx(paragraphs("inside")),
    "size.png": lambda at: _png(1 << 30, 1 << 30, zlib.compress(b"\0")),
    "bomb.png": lambda at: _png(12_000, 12_000, zlib.compress(b"\0" * (12_001 * 12_000), 9)),
    "text-bomb.png": lambda at: _png(4, 4, zlib.compress(b"\0" * 20), _chunk(b"zTXt", b"a\0\0" + zlib.compress(b"\0" * (200 << 20), 9))),
    "nothing.png": lambda at: _png(0, 0, b""),
    "cut.png": lambda at: _cut(_picture("png"), 0.6),
    "cut.jpg": lambda at: _cut(_picture("jpeg"), 0.5),
    "noise.jpg": lambda at: b"\xff\xd8\xff\xe0" + bytes(range(256)) * 200,
    "loop.tiff": lambda at: _tiff([(256, 3, 1, 9), (257, 3, 1, 9), (273, 4, 1, 8), (279, 4, 1, 4)], 8),
    "strips.tiff": lambda at: _tiff([(256, 4, 1, 60_000), (257, 4, 1, 60_000), (258, 3, 1, 8), (262, 3, 1, 1), (273, 4, 4_000_000_000, 8), (279, 4, 4_000_000_000, 8)], 0),
    "frames.tiff": lambda at: _frames(30_000),
    "empty.tiff": lambda at: _tiff([], 0),
}
