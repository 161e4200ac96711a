"""The gate of retrieval: fail if contexts or rankings hold less of the evidence than the committed figures say.

    RAGRAPH_DATA=../shared/data python -m bench.gate.evidence [CORPUS ...] [--write [WHY]]

Asks the default search and the default context of the documents that settings were chosen on, within each document and
over all of them, and compares the means with bench/gate/evidence.json. None may fall by more than .01. Vectors are
kept in ``RAGRAPH_BENCH_CACHE``; a first run takes five minutes. Once a change of a reader had lowered the means, and
nobody saw it for a day.

--write stores the figures as the new baseline. If some fall, it needs a reason, which goes into the log of the file.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.gate.baseline import compare
from bench.retrieval.cache import CachedModel, cache_folder
from bench.retrieval.data import corpora
from bench.retrieval.lines import BUDGETS
from bench.retrieval.measure import Measured
from bench.retrieval.ours import ContextLine
from bench.retrieval.settings import DEFAULT
from bench.retrieval.store import ingest, kept_store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.gate.figures import Figures

BASELINE = Path(__file__).parent / "evidence.json"
CORPORA = ("evidence_inference", "cuad_named", "cuad_txt")
"""Names of the corpora that are asked; contracts as PDF have the same questions as the text files."""


def main() -> int:
    """Return 0, or 1 if a figure falls."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"of {', '.join(CORPORA)}; default all")
    parser.add_argument("--write", nargs="?", const="", metavar="WHY", help="store the figures as the new baseline")
    chosen = parser.parse_args()
    if not os.environ.get("RAGRAPH_DATA"):
        sys.exit("Say where the data sets are: RAGRAPH_DATA=DIR")
    if unknown := set(chosen.corpora) - set(CORPORA):
        sys.exit(f"no such corpus: {', '.join(sorted(unknown))}; there are {', '.join(CORPORA)}")
    start = time.monotonic()
    found = figures(Path(os.environ["RAGRAPH_DATA"]), chosen.corpora or CORPORA)
    questions = int(sum(measures["counted"] for measures in found.values()))
    print(f"{questions} questions in {time.monotonic() - start:.0f} s")
    return int(compare(BASELINE, found, chosen.write))


def figures(data: Path, names: Sequence[str]) -> Figures:
    """Return the means of the default line, by corpus and scope.

    A figure is the share of the evidence in a context of 512, 1,024 or 2,048 tokens, or one of the ranking.
    """
    found: Figures = {}
    with kept_store() as store:
        model = CachedModel(cache_folder())
        for corpus in corpora(data, 0, development=True, names=names):
            line = ContextLine(DEFAULT, store, ingest(store, corpus, model))
            for whole in (False, True) if corpus.whole else (False,):
                asked = Measured.of(corpus, whole=whole)
                asked.ask(line)
                shares = zip(map(str, BUDGETS), asked.means()[DEFAULT], strict=True)
                means = {name: round(value, 4) for name, value in (*shares, *asked.ranks[DEFAULT].items())}
                found[asked.name] = {"counted": len(asked.questions), **means}
                print(asked.name, *(f"{name} {value:.3f}" for name, value in means.items()))
    return found


if __name__ == "__main__":
    sys.exit(main())
