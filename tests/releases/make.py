"""Make the store of a release that later versions have to upgrade: a backup of a small store, packed.

    python tests/releases/make.py 0.1.0

Run it on the commit that is released, and commit the file beside this one. What is in it is never made anew.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from ingest_tools import WordModel  # noqa: E402

import ragraph  # noqa: E402
from ragraph import server  # noqa: E402

EXAMPLES = HERE.parent.parent / "examples" / "documents"
NOTES = "# Of wages\n\nWages are paid by the day; see [Of rent](#of-rent).\n\n## Of rent\n\nRent is paid by the year.\n"


def main() -> None:
    """Write ``VERSION.ragraph`` beside this file."""
    (version,) = sys.argv[1:]
    target = HERE / f"{version}.ragraph"
    with tempfile.TemporaryDirectory(prefix="ragraph-release-") as folder:
        home = Path(folder) / "home"
        notes = Path(folder) / "wages.md"
        notes.write_text(NOTES)
        try:
            with ragraph.open(home=home) as store:
                store.ingest([EXAMPLES / "field-guide.docx"], collection="guides", model=WordModel())
                store.ingest([notes], tags=["economy"], model=WordModel())
                store.backup(Path(folder) / "store.ragraph")
        finally:
            server.stop(home)
        with ZipFile(Path(folder) / "store.ragraph") as stored, ZipFile(target, "x", ZIP_DEFLATED) as packed:
            for entry in stored.infolist():
                packed.writestr(entry.filename, stored.read(entry), compresslevel=9)
    print(f"{target}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
