"""PDF files with letters at given positions, in scripts that no available font has.

The letters are those of Helvetica; a map of the file says which letters they stand for, as every PDF with text does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

Drawn = tuple[float, float, str]
"""A letter: its left edge and baseline in points from the lower left corner, and what it stands for."""

SIZE = 12.0
WIDTH = 6.0


def row(text: str, right: float, y: float) -> list[Drawn]:
    """Return letters in their order on the page from left to right, up to a right edge; blanks are drawn too."""
    return [(right - (len(text) - place) * WIDTH, y, sign) for place, sign in enumerate(text)]


def column(text: str, x: float, top: float) -> list[Drawn]:
    """Return letters under each other, as they are read."""
    return [(x, top - place * SIZE, sign) for place, sign in enumerate(text)]


def write_letters(path: Path, letters: list[Drawn], width: float = WIDTH, size: tuple[int, int] = (400, 500)) -> Path:
    """Write one page with letters, and return the file.

    Args:
        path: of the file.
        letters: in the order of the file.
        width: of each letter in the font, in points.
        size: of the page.
    """
    codes = {sign: code for code, sign in enumerate(dict.fromkeys(sign for _, _, sign in letters), start=33)}
    assert len(codes) < 220, "one font has no room for more letters"
    shown = "".join(f"1 0 0 1 {x:.2f} {y:.2f} Tm <{codes[sign]:02x}> Tj\n" for x, y, sign in letters)
    maps = "".join(f"<{code:02x}> <{sign.encode('utf-16-be').hex()}>\n" for sign, code in codes.items())
    unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Told def /CMapType 2 def\n"
        "1 begincodespacerange <00> <ff> endcodespacerange\n"
        f"{len(codes)} beginbfchar\n{maps}endbfchar\nendcmap end end"
    )
    widths = " ".join([f"{1000 * width / SIZE:.0f}"] * 223)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {size[0]} {size[1]}] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R >> >> >>",
        _stream(f"BT /F1 {SIZE} Tf\n{shown}ET"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 33 /LastChar 255"
        f" /Widths [{widths}] /Encoding /WinAnsiEncoding /ToUnicode 6 0 R >>",
        _stream(unicode),
    ]
    data = b"%PDF-1.7\n"
    places = []
    for number, item in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{item}\nendobj\n".encode("latin-1")
    start = len(data)
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    count = len(objects) + 1
    data += f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer << /Size {count} /Root 1 0 R >>\n".encode()
    data += f"startxref\n{start}\n%%EOF\n".encode()
    path.write_bytes(data)
    return path


def _stream(text: str) -> str:
    return f"<< /Length {len(text.encode('latin-1'))} >>\nstream\n{text}\nendstream"
