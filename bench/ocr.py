"""Reading scans: printed pages of real files turned into images, recognised, and compared with the words of the file.

The truth is the draft of our reader for the same pages with their own text, so that the figures show only what
recognition loses. Each page is scanned twice: as by a good scanner (200 dpi), and worse (150 dpi, strong JPEG
compression, noise, turned by 0.7 degrees).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pypdfium2
from PIL import Image
from rapidfuzz.distance import Indel, Levenshtein

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.schema.enums import ContentNodeType

PAGES = (
    ("docling/pdf/sources/multi_page.pdf", 1, 1, "one column"),
    ("docling/pdf/sources/amt_handbook_sample.pdf", 1, 1, "two columns, figures"),
    ("docling/pdf/sources/2305.03393v1-pg9.pdf", 1, 1, "paper with a table"),
    ("docling/pdf/sources/normal_4pages.pdf", 2, 2, "Korean, two columns"),
    ("books/nist/NIST.SP.800-207.pdf", 20, 20, "report, footnotes"),
    ("books/mueller/docs/mueller-report-vol-2.pdf", 21, 21, "report, many footnotes"),
    ("books/gitenberg/31246_ball/31246-pdf.pdf", 60, 60, "book, old type"),
)
_HEADINGS = {ContentNodeType.HEADING, ContentNodeType.TITLE}


class Scan(NamedTuple):
    """A way to scan."""

    name: str
    dpi: int
    quality: int
    angle: float
    noise: float


SCANS = (Scan("good", 200, 85, 0.0, 0.0), Scan("worse", 150, 40, 0.7, 9.0))


def main() -> None:
    """Print a table per page group and scan, and the means."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, default=os.environ.get("RAGRAPH_DATA"), help="default $RAGRAPH_DATA")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    given = parser.parse_args()
    if given.data is None:
        sys.exit("say where the files are: RAGRAPH_DATA=DIR make bench-ocr")
    rows: list[dict[str, Any]] = []
    print(f"{'file':<28} {'scan':<6} pages  s/page {'letters right':>13} blanks too  headings sure")
    for path, first, last, _ in PAGES:
        if given.only not in path:
            continue
        source = Path(given.data) / path
        if not source.exists():
            print(f"{path}: not there, left out")
            continue
        truth = PdfReader().read(source, ReadOptions(pages=(first, last), layout="rules"))
        for scan in SCANS:
            with tempfile.TemporaryDirectory() as folder:
                made = _scan(source, first, last, scan, Path(folder) / "scan.pdf")
                begin = time.perf_counter()
                draft = PdfReader().read(made, ReadOptions(layout="rules"))
                seconds = (time.perf_counter() - begin) / (last - first + 1)
            row = {"file": source.name, "scan": scan.name, "pages": last - first + 1, "seconds": seconds,
                   **_compare(truth, draft), "sure": draft.made_by["ocr"]["confidence"]}  # fmt: skip
            rows.append(row)
            print(
                f"{row['file'][:28]:<28} {row['scan']:<6} {row['pages']:>5} {seconds:>7.1f} {row['letters']:>13.2%} "
                f"{row['blanks']:>10.2%} {row['found']:>4}/{row['headings']:<4} {row['sure']}",
                flush=True,
            )
    for scan in SCANS:
        chosen = [row for row in rows if row["scan"] == scan.name]
        if chosen:
            mean = {key: sum(row[key] for row in chosen) / len(chosen) for key in ("seconds", "letters", "blanks")}
            found, headings = (sum(row[key] for row in chosen) for key in ("found", "headings"))
            print(
                f"{'mean':<28} {scan.name:<6} {'':>5} {mean['seconds']:>7.1f} {mean['letters']:>13.2%} "
                f"{mean['blanks']:>10.2%} {found:>4}/{headings:<4}"
            )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


def _scan(source: Path, first: int, last: int, scan: Scan, target: Path) -> Path:
    """Write pages of a file as images."""
    document = pypdfium2.PdfDocument(source)
    chance = np.random.default_rng(1)
    images = []
    for index in range(first - 1, last):
        image = document[index].render(scale=scan.dpi / 72).to_pil().convert("L")
        if scan.angle:
            image = image.rotate(scan.angle, fillcolor=255, resample=Image.Resampling.BICUBIC)
        if scan.noise:
            noisy = np.asarray(image, dtype=float) + chance.normal(0, scan.noise, (image.height, image.width))
            image = Image.fromarray(noisy.clip(0, 255).astype(np.uint8))
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=scan.quality)
        images.append(Image.open(buffer))
    images[0].save(target, save_all=True, append_images=images[1:], resolution=scan.dpi, quality=95)
    document.close()
    return target


def _compare(truth: Any, draft: Any) -> dict[str, Any]:
    """Return shares of letters right, without and with blanks, and how many headings are headings still."""
    lost = _blocks(truth), _blocks(draft)
    bare = ["".join(re.sub(r"\s", "", text) for text in texts) for texts in lost]
    spaced = [" ".join(" ".join(text.split()) for text in texts) for texts in lost]
    heads = [_normal(node.text) for node in truth.nodes if node.type in _HEADINGS]
    seen = [_normal(node.text) for node in draft.nodes if node.type in _HEADINGS]
    found = sum(any(Indel.normalized_similarity(head, other) > 0.85 for other in seen) for head in heads)
    return {
        "letters": 1 - Levenshtein.distance(*bare) / max(len(bare[0]), 1),
        "blanks": 1 - Levenshtein.distance(*spaced) / max(len(spaced[0]), 1),
        "headings": len(heads),
        "found": found,
    }


def _blocks(draft: Any) -> list[str]:
    """Return the texts of a draft in reading order."""
    return [node.text for node in draft.nodes if node.text]


def _normal(text: str) -> str:
    return re.sub(r"\W", "", text).lower()


if __name__ == "__main__":
    main()
