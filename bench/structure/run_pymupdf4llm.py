"""Run pymupdf4llm on files; started by ``peers`` with the Python of the peers' environment.

    python run_pymupdf4llm.py < [["in.pdf", "out.json", [pages]], ...]

Reads all pages, or the given ones, counted from 1; the others are then empty. Writes the processor time and its page
chunks: boxes in its order, each with class, box and Markdown. No character recognition, because every file has its
text. pymupdf4llm is under the AGPL and not a part of ragraph.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Convert the files named on standard input."""
    import pymupdf4llm  # type: ignore[import-not-found]

    for source, target, wanted in json.load(sys.stdin):
        start = time.process_time()
        try:
            chunks = pymupdf4llm.to_markdown(
                source,
                page_chunks=True,
                use_ocr=False,
                header=True,
                footer=True,
                pages=[number - 1 for number in wanted] if wanted else None,
            )
        except Exception as error:  # a file it cannot read is a result too
            Path(target).write_text(json.dumps({"seconds": 0.0, "error": repr(error)}), encoding="utf-8")
            continue
        seconds = time.process_time() - start
        pages = [
            [
                {
                    "class": box["class"],
                    "box": list(box["bbox"]),
                    "text": chunk["text"][box["pos"][0] : box["pos"][1]] if box["pos"] else "",
                }
                for box in chunk["page_boxes"]
            ]
            for chunk in chunks
        ]
        if wanted:
            read = dict(zip(wanted, pages, strict=True))
            pages = [read.get(number, []) for number in range(1, max(wanted) + 1)]
        Path(target).write_text(json.dumps({"seconds": seconds, "pages": pages}), encoding="utf-8")
        print(target, round(seconds, 1), flush=True)


if __name__ == "__main__":
    main()
