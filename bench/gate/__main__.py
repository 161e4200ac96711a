"""The gate: fail if a figure of the readers falls below the committed ones.

    [RAGRAPH_DATA=../shared/data] python -m bench.gate [--wild DIR] [--repositories DIR] [PART ...]
        [--write [WHY]]

First the golden library, of all formats, against bench/gate/golden.json: no figure of a document may fall at all.
This needs the repository alone and takes a second. Then the PDF reader against bench/gate/baseline.json: no figure may
fall by more than .01. It reads the documents that have the truth of their sources, and the labelled pages, of the half
that rules are made on, as they are and stripped. Files of the lists in $RAGRAPH_DATA/wild come from --wild (default
$RAGRAPH_WILD), those of public repositories from --repositories (default $RAGRAPH_REPOSITORIES). Kinds whose files are
missing are left out. Without RAGRAPH_DATA there is only the golden library. PART limits the run to files with that in
their path; only kinds that these files fill are compared.

--write stores the figures as the new baselines. If some fall, it needs a reason, which goes into the log of the file.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from bench.gate import golden
from bench.gate.baseline import BASELINE, Baseline, compare
from bench.gate.figures import Places, expected, jobs, measure


def main() -> int:
    """Return 0, or 1 if a figure falls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="of paths of files; default all files")
    parser.add_argument("--wild", type=Path, help="folder of the files of the lists in $RAGRAPH_DATA/wild")
    parser.add_argument(
        "--repositories",
        type=Path,
        default=os.environ.get("RAGRAPH_REPOSITORIES"),
        help="folder of the files of public repositories; bench/structure/labels/README.md says which",
    )
    parser.add_argument("--write", nargs="?", const="", metavar="WHY", help="store the figures as the new baseline")
    parser.add_argument("--processes", type=int, default=2, help="number of processes that read files")
    chosen = parser.parse_args()
    falls = False
    if not chosen.parts:
        gone = {key: {"counted": 1.0} for key in Baseline.load(golden.BASELINE).figures}
        falls = compare(golden.BASELINE, {**gone, **golden.figures()}, chosen.write, most=0.0)
    if not os.environ.get("RAGRAPH_DATA"):
        print("RAGRAPH_DATA is not set: no labelled pages to measure")
        return int(falls)
    data = Path(os.environ["RAGRAPH_DATA"])
    wild = chosen.wild or Path(os.environ.get("RAGRAPH_WILD", data / "wild"))
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", Path(tempfile.gettempdir()) / "ragraph-bench"))
    start = time.monotonic()
    places = Places(data, wild, chosen.repositories, cache)
    wanted, lost = jobs(places)
    full = expected(wanted)
    if chosen.parts:
        wanted = [job for job in wanted if any(part in str(job.path) for part in chosen.parts)]
    found = measure(places, wanted, chosen.processes)
    found = {key: figures for key, figures in found.items() if figures["counted"] == full[key]}
    pages = int(sum(figures["counted"] for figures in found.values()))
    print(f"{pages} pages in {time.monotonic() - start:.0f} s")
    if lost:
        print(f"{len(lost)} files are not there, and left out: {', '.join(lost[:5])} ...")
    return int(compare(BASELINE, found, chosen.write) or falls)


if __name__ == "__main__":
    sys.exit(main())
