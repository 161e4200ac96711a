"""Memory of a process that reads a PDF: its peak by number of pages, with each file read in a separate process.

    python -m bench.pdf_memory [FILE ...] [--pages 250 1000]

Without files, text of this many pages is generated: 40 lines of prose, a note, and a table on every tenth page.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

_SYLLABLES = [first + vowel + last for first in "bdfklmnprs" for vowel in "aeiou" for last in ("n", "")]
PROSE, ROWS = 40, 12
"""Lines of a page, and rows of the table on every tenth."""


def _words(random: Random) -> str:
    """Return a line of twelve words; ten thousand words there are."""
    return " ".join(f"{_SYLLABLES[n // 100]}{_SYLLABLES[n % 100]}" for n in random.choices(range(10_000), k=12))


def make(path: Path, pages: int) -> None:
    """Write a PDF of this many pages; the same bytes for the same number, except for dates."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(595, 842), invariant=1)
    for number in range(1, pages + 1):
        canvas.setFont("Times-Roman", 11)
        table = number % 10 == 0
        for line in range(PROSE - (ROWS if table else 0)):
            canvas.drawString(72, 770 - 15 * line, _words(Random(number * 100 + line)))
        for row in range(ROWS if table else 0):
            for column in range(4):
                canvas.drawRightString(200 + 90 * column, 770 - 15 * (PROSE - row), f"{row * 1000 + number:,}")
        canvas.setFont("Times-Roman", 8)
        canvas.drawString(72, 80, f"{number} Note of page {number}.")
        canvas.drawString(297, 40, str(number))
        canvas.showPage()
    canvas.save()


def read(path: Path) -> None:
    """Read a file in this process and print pages, seconds of processor time and the peak in MB."""
    from ragraph.ingest.readers import ReadOptions
    from ragraph.ingest.readers.pdf.reader import PdfReader

    start = time.process_time()
    draft = PdfReader().read(path, ReadOptions(layout="rules", ocr=False))
    took = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{path.name}: {len(draft.pages)} pages, {took:.1f} s, peak {peak:.0f} MB", flush=True)


def main() -> None:
    """Print the peak for each file or number of pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--pages", nargs="*", type=int, default=[250, 1000])
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.here:
        read(chosen.files[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        files = list(chosen.files)
        for pages in chosen.pages if not files else ():
            files.append(Path(folder) / f"made-{pages}.pdf")
            make(files[-1], pages)
        for path in files:
            subprocess.run([sys.executable, "-m", "bench.pdf_memory", "--here", str(path)], check=True)


if __name__ == "__main__":
    main()
