"""Choose the pages from the names of files alone, so that everybody with the files chooses the same."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from bench.structure.labels.model import Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = {
    "annual report": 24,
    "book": 14,
    "paper": 13,
    "manual": 12,
    "contract": 11,
    "slides": 10,
    "standard": 8,
    "brochure": 8,
}
"""Number of pages of each kind."""
OF_A_FILE = 3
"""Maximum pages of one file, unless its kind has too few files."""
BLANK = 0.0005
"""A page is blank if a smaller share of its pixels differs from its most frequent colour."""

KINDS = {
    **dict.fromkeys(
        (
            *("31246-pdf.pdf", "41568-pdf.pdf", "mueller-report-vol-2.pdf", "mueller-report-appendix.pdf"),
            "Data-for-Development-Impact.pdf",
        ),
        "book",
    ),
    "NIST.SP.800-207.pdf": "standard",
    **dict.fromkeys(
        (
            *("2303.08559v2.pdf", "2310.05634v2.pdf", "2312.09390v1.pdf", "f1f5242528411b262be447e61e2eb10f.pdf"),
            # reports of research and of an inspection
            *("PG_2021.03.04_US-Views-on-China_FINAL.pdf", "PP_2019.01.17_Trump-economy_FINAL2.pdf"),
            "PP_2021.04.22_voting-access_REPORT.pdf",
            "Pew-Research-Center_Hispanic-Identity-Report_12.20.2017.pdf",
            "379f44022bb27aa53efd5d322c7b57bf.pdf",
        ),
        "paper",
    ),
    **dict.fromkeys(
        (
            *("nova_y70.pdf", "obs-productdesc-en.pdf", "stereo_headset.pdf"),
            # pages of a help site; description of a course
            *("8dfc21ec151fb9d3578fc32d5c4e5df9.pdf", "f8d3a162ab9507e021d83dd109118b60.pdf"),
        ),
        "manual",
    ),
    **dict.fromkeys(
        (
            # a complaint and a judgment of courts; filings whose exhibits are agreements
            *("3276a5b991c49cf5f9a4af0f7d6fce67.pdf", "7c3f6204b3241f142f0f8eb8e1fefe7a.pdf"),
            *("BLOCK_2022_8K_dated-2022-01-28.pdf", "INTEL_2023_8K_dated-2022-11-22.pdf"),
            *("PG_E_2023_EARNINGS-dated-2023-06-01.pdf", "SALESFORCE_2021_8K_dated-2021-07-21.pdf"),
        ),
        "contract",
    ),
    **dict.fromkeys(
        (
            *("0e94b4197b10096b1f4c699701570fbf.pdf", "c31e6580d0175ab3f9d99d1ff0bfa000.pdf"),
            *("bigdatatrends-120723191058-phpapp02_95.pdf", "efis-140411041451-phpapp01_95.pdf"),
            "caltraincapacitymountainview1-150701205750-lva1-app6891_95.pdf",
            "disciplined-agile-business-analysis-160218012713_95.pdf",
            "ecommerceopportunityindia-141124010546-conversion-gate01_95.pdf",
            "finalpresentationdeck-whatwhyhowofcertificationsocial-160324220748_95.pdf",
            "reportq32015-151009093138-lva1-app6891_95.pdf",
        ),
        "slides",
    ),
    **dict.fromkeys(
        (
            *("2024.ug.eprospectus.pdf", "NUS-Business-School-BBA-Brochure-2024.pdf", "camry_ebrochure.pdf"),
            *("ISEP_student_handbook_2020.pdf", "698bba535087fa9a7f9009e172a7f763.pdf"),
        ),
        "brochure",
    ),
}
"""Kinds of files by name; contracts of cuad are contracts, all others annual or other financial reports."""


class _File(NamedTuple):
    source: str
    name: str
    path: Path
    kind: str


def draw(data: Path, wild: Path) -> list[Page]:
    """Choose the pages.

    Args:
        data: folder of the data sets, with ``wild/*.txt``, ``books`` and ``cuad/pdf``.
        wild: folder with the files of the lists, each set in a folder of its own.
    """
    files = [file for file in _files(data, wild) if _length(file.path)]
    drawn = [page for kind, count in PAGES.items() for page in _of_kind([f for f in files if f.kind == kind], count)]
    drawn.sort(key=lambda pair: _key(f"order {pair[0].name} {pair[1]}"))
    return [_page(f"{number:03}", file, index) for number, (file, index) in enumerate(drawn)]


def _files(data: Path, wild: Path) -> Iterator[_File]:
    for source in ("financebench", "mmlongbench"):
        for name in (data / "wild" / f"{source}.txt").read_text(encoding="utf-8").split():
            path = wild / source / name
            yield _File(source, name, path, KINDS.get(path.name, "annual report"))
    for path in sorted((data / "books").rglob("*.pdf")):
        yield _File("books", path.relative_to(data / "books").as_posix(), path, KINDS[path.name])
    for path in sorted((data / "cuad" / "pdf").glob("*.[pP][dD][fF]")):
        yield _File("cuad", f"pdf/{path.name}", path, "contract")


def _of_kind(files: list[_File], count: int) -> list[tuple[_File, int]]:
    """Go through the files in the order of the hashes of their names; take the next page of each that is not blank.

    The pages of a file follow in the order of their own hashes.
    """
    files = sorted(files, key=lambda file: _key(file.name))
    most = max(OF_A_FILE, -(-count // len(files)))
    left = {file: _order(file) for file in files}
    drawn: list[tuple[_File, int]] = []
    taken: Counter[_File] = Counter()
    while left and len(drawn) < count:
        for file in list(left):
            while left[file] and _blank(file.path, left[file][0]):
                left[file].pop(0)
            if not left[file] or taken[file] == most:
                del left[file]
            elif len(drawn) < count:
                drawn.append((file, left[file].pop(0)))
                taken[file] += 1
    return drawn


def _order(file: _File) -> list[int]:
    return sorted(range(1, _length(file.path) + 1), key=lambda page: _key(f"{file.name} {page}"))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _length(path: Path) -> int:
    """Return the number of pages of a file, 0 if it cannot be opened."""
    import pypdfium2

    try:
        with pypdfium2.PdfDocument(path) as pdf:
            return len(pdf)
    except pypdfium2.PdfiumError:
        return 0


def _blank(path: Path, page: int) -> bool:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as pdf:
        shades: list[int] = pdf[page - 1].render(scale=0.5, grayscale=True).to_pil().histogram()
    return bool(1 - max(shades) / sum(shades) < BLANK)


def _page(number: str, file: _File, page: int) -> Page:
    import pypdfium2

    with pypdfium2.PdfDocument(file.path) as pdf:
        width, height = pdf[page - 1].get_size()
    return Page(
        number=number,
        source=file.source,
        file=file.name,
        sha256=hashlib.sha256(file.path.read_bytes()).hexdigest(),
        page=page,
        kind=file.kind,
        width=round(width, 1),
        height=round(height, 1),
    )
