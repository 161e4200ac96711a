"""Run opendataloader-pdf on files; started by ``peers`` with the Python of the peers' environment.

    python run_opendataloader.py [--tags] < [["in.pdf", "out.json"], ...]

Writes the processor time and its own JSON. Its defaults are its best settings for files without tags, including page
headers and footers, so that they can be separated from the body. With --tags it uses the structure tree.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Convert the files named on standard input in one run of Java; its time is divided by their pages."""
    import opendataloader_pdf  # type: ignore[import-not-found]

    jobs = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        copies = {f"{number:05d}": job for number, job in enumerate(jobs)}
        for name, (source, *_) in copies.items():
            (Path(folder) / f"{name}.pdf").symlink_to(Path(source).resolve())
        start = _time()
        failed = ""
        try:
            opendataloader_pdf.convert(
                input_path=[str(Path(folder) / f"{name}.pdf") for name in copies],
                output_dir=str(Path(folder) / "out"),
                format="json",
                quiet=True,
                image_output="off",
                include_header_footer=True,
                use_struct_tree="--tags" in sys.argv,
            )
        except Exception as error:  # a file it cannot read is a result too
            failed = repr(error)
        seconds = _time() - start
        made = {name: Path(folder) / "out" / f"{name}.json" for name in copies}
        documents = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in made.items() if path.exists()}
    pages = sum(document["number of pages"] for document in documents.values())
    for name, (_, target, *_) in copies.items():
        result: dict[str, object] = {"error": failed or "it made nothing of the file"}
        if name in documents:
            document = documents[name]
            result = {"seconds": seconds * document["number of pages"] / pages, "document": document}
        Path(target).write_text(json.dumps(result), encoding="utf-8")


def _time() -> float:
    """Return the processor time of the programs started and ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
