"""Run PageIndex's offline mode on files; started by ``peers`` with the Python of the peers' environment.

    python run_pageindex.py < [["in.pdf", "out.json"], ...]

Writes the processor time and its tree of titles with their pages: statistics of the layout, without a model.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def main() -> None:
    """Read the files named on standard input."""
    from pageindex import page_index_flash  # type: ignore[import-not-found]

    for source, target, *_ in json.load(sys.stdin):
        start = time.process_time()
        try:
            tree = page_index_flash(source, summary=False, optimize=False)
        except Exception as error:  # a file it cannot read is a result too
            Path(target).write_text(json.dumps({"seconds": 0.0, "error": repr(error)}), encoding="utf-8")
            continue
        result = {"seconds": time.process_time() - start, "title": tree.get("doc_title"), "tree": tree["structure"]}
        Path(target).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()
