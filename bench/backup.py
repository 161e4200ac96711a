"""Back up and restore a large store; print how long each takes and whether the restored store is the same.

    python -m bench.backup --nodes 200000

The store is synthetic, with a vector of 384 numbers for each node and an index over them. Both stores are on throw-away
embedded servers of this machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import ragraph
from bench.store import fill
from bench.throwaway import throwaway_store
from ragraph import server


def main() -> None:
    """Run the benchmark; exit code 1 if the restored store differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as folder,
        throwaway_store() as store,
    ):
        filled = 0
        while filled < given.nodes:
            filled = fill(store, filled, min(filled + 20_000, given.nodes))
            print(f"{filled:,} nodes", file=sys.stderr)
        file, home = Path(folder) / "store.ragraph", Path(folder) / "home"
        saved = store.backup(file)
        try:
            begin = time.monotonic()
            restored = ragraph.restore(file, home=home)
            seconds = time.monotonic() - begin
            with ragraph.open(home=home) as other:
                report = other.verify(file)
        finally:
            server.stop(home)
    result = {
        "nodes": saved.rows["content_node"],
        "vectors": saved.rows["embedding"],
        "megabytes": round(saved.bytes / 1e6),
        "backup_s": round(saved.seconds, 1),
        "restore_s": round(seconds, 1),
        "verify_s": round(report.seconds, 1),
        "recall": report.recall[0].recall,
        "same": report.ok and restored.rows == saved.rows,
    }
    print(json.dumps(result) if given.json else "\n".join(f"{name:12} {value}" for name, value in result.items()))
    sys.exit(0 if result["same"] else 1)


if __name__ == "__main__":
    main()
