"""Run opendataloader-pdf on files; started by ``peers`` with the Python of the peers' own environment.

    python run_opendataloader.py [--tags] < [["in.pdf", "out.json"], ...]

Writes the processor time taken and its own JSON. Its defaults are its best settings for files without tags, running
heads and feet included so that they can be told from the body; with --tags it follows the structure tree.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Convert the files named on standard input, one run of Java for each."""
    import opendataloader_pdf  # type: ignore[import-not-found]

    for source, target in json.load(sys.stdin):
        with tempfile.TemporaryDirectory() as folder:
            start = _time()
            try:
                opendataloader_pdf.convert(
                    input_path=[source],
                    output_dir=folder,
                    format="json",
                    quiet=True,
                    image_output="off",
                    include_header_footer=True,
                    use_struct_tree="--tags" in sys.argv,
                )
                made = next(Path(folder).glob("*.json"))
                result = {"document": json.loads(made.read_text(encoding="utf-8"))}
            except Exception as error:  # a file it cannot read is a result too
                result = {"error": repr(error)}
            seconds = _time() - start
        Path(target).write_text(json.dumps({"seconds": seconds, **result}), encoding="utf-8")
        print(target, round(seconds, 1), flush=True)


def _time() -> float:
    """Return the processor time of the programs started and ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
