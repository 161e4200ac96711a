"""The account over corpora: how much text of real files is unaccounted. `RAGRAPH_DATA=... make bench-account`.

Each file is read in a process of its own, without a store. For each format: files, files with anything unaccounted,
share of letters, and what was left out and why. Every file with unaccounted letters is listed with its first words.
The time of the account is measured beside that of the reader, as processor time of the same process. Then some of the
files are ingested by the command line, for the share of the account in all that an ingestion costs.

    RAGRAPH_DATA=../data python -m bench.account --most 40 --ingested 1 --write
    RAGRAPH_PUBLIC=../public python -m bench.account --public --write

``RAGRAPH_PUBLIC`` has clones of other projects, whose test files ``account_files.txt`` lists by name and hash.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress

from bench.processes import RAGRAPH
from ragraph.errors import RagraphError
from ragraph.ingest.account.sources import account_of
from ragraph.ingest.common.unseen import collecting
from ragraph.ingest.readers import ReadOptions, reader_for

RESULTS = Path(__file__).parent / "results" / "account.md"
PUBLIC_RESULTS = RESULTS.with_name("account-public.md")
_SUFFIXES = frozenset(
    {".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".html", ".htm", ".epub", ".nxml", ".xml", ".eml"}
    | {".md", ".csv", ".txt", ".vtt", ".srt", ".jsonl", ".fb2", ".mht", ".rtf", ".msg", ".mbox", ".ipynb", ".rst"}
    | {".org", ".adoc", ".tex"}
)
PUBLIC = Path(__file__).parent / "account_files.txt"
REASONS = {
    "testRTFTIKA_2899.rtf": "verified: a Y that no person sees is left out; the account joins it with You",
    "skipped_1page.pdf": "verified: a font names wrong letters, of which PDFium and the reader take different ones",
    "skipped_2pages.pdf": "verified: a font names wrong letters, of which PDFium and the reader take different ones",
    "Data-for-Development-Impact.pdf": "verified: stored; PDFium joins a word of the text with one of a side note",
    "41568-pdf.pdf": "formulas: PDFium joins their digits in another way",
    "31246-pdf.pdf": "formulas: PDFium takes primes for 0 (570 for 57\u2032), and joins digits in another way",
}
"""Reasons of what is still unaccounted, by the end of the file's name, each verified in file and draft."""
_NAMED = 6
"""Unaccounted words listed for a file."""

console = Console(width=140, highlight=False)


@dataclass(frozen=True)
class Counted:
    """A file: its reader, its letters, what became of them, and processor seconds of reader and account."""

    path: str
    reader: str
    letters: int = 0
    unaccounted: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    furniture: int = 0
    samples: tuple[str, ...] = ()
    reading: float = 0.0
    counting: float = 0.0


def count(path: Path) -> Counted | None:
    """Return the account of a file; None if it is refused or its format is not counted."""
    warnings.simplefilter("ignore")
    options = ReadOptions(ocr=False, layout="rules")
    try:
        start = time.process_time()
        with collecting() as hidden:
            draft = reader_for(path).read(path, options)
        middle = time.process_time()
        account = account_of(path, draft, options, hidden)
        end = time.process_time()
    except RagraphError:
        return None
    if account is None:
        return None
    return Counted(
        path=str(path),
        reader=draft.reader.split("/")[0],
        letters=account.letters,
        unaccounted=account.unaccounted,
        left_out=account.left_out,
        furniture=account.furniture,
        samples=tuple(account.samples[:_NAMED]),
        reading=middle - start,
        counting=end - middle,
    )


def of_ingestion(counted: list[Counted], chosen: list[Path]) -> str:
    """Ingest files by the command line; return the sentence on the account's share of the processor time.

    The time is that of the command and its readers, without the database server, which would make the share smaller.
    """
    counting = sum(one.counting for one in counted if Path(one.path) in chosen)
    with TemporaryDirectory() as home:
        environment = {**os.environ, "RAGRAPH_HOME": home}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [*RAGRAPH, "ingest", "--layout", "rules", *map(str, chosen)]
        subprocess.run(command, env=environment, check=False, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*RAGRAPH, "db", "stop"], env=environment, check=False, stdout=subprocess.DEVNULL)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (
        f"Of a whole ingestion of {len(chosen)} of these files by the command line (reading, encoding, storing), which"
        f" takes {spent:.0f} s of the processor without the server, the account takes {counting:.1f} s:"
        f" {counting / (spent - counting):.1%} more than without it."
    )


def files(data: Path, most: int) -> list[Path]:
    """Return files of the corpora, at most so many of each folder and ending, evenly chosen."""
    found: dict[tuple[str, str], list[Path]] = {}
    for path in sorted(data.rglob("*")):
        if path.suffix.lower() in _SUFFIXES and path.is_file() and "README" not in path.name:
            group = path.relative_to(data).parts[0], path.suffix.lower()
            found.setdefault(group, []).append(path)
    return [path for paths in found.values() for path in paths[:: max(1, len(paths) // most)][:most]]


def public_files(folder: Path) -> list[Path]:
    """Return the listed test files of other projects that are in a folder with the listed bytes.

    Raises:
        SystemExit: files are missing or differ.
    """
    rows = [line.split("\t") for line in PUBLIC.read_text(encoding="utf-8").splitlines() if line.startswith("file\t")]
    found: list[Path] = []
    wrong: list[Path] = []
    for _, project, digest, name in rows:
        path = folder / project / name
        fits = path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
        (found if fits else wrong).append(path)
    if wrong:
        sys.exit(f"{len(wrong)} of {len(rows)} listed files are missing or differ, the first is {wrong[0]}")
    return found


def _without_pdf(counted: list[Counted]) -> str:
    """Return the sentence on all files but PDF."""
    rows = [one for one in counted if one.reader != "pdf"]
    touched, lost = sum(one.unaccounted > 0 for one in rows), sum(one.unaccounted for one in rows)
    letters = sum(one.letters for one in rows) or 1
    return (
        f"Without PDF, {touched} of {len(rows):,} files ({touched / (len(rows) or 1):.2%}) have {lost:,} of {letters:,}"
        f" letters unaccounted ({lost / letters:.4%})."
    )


def _why(name: str) -> str:
    return next((reason for end, reason in REASONS.items() if name.lower().endswith(end.lower())), "not looked at")


def report(counted: list[Counted], data: Path, ingested: str) -> str:
    """Return the tables as Markdown, with the sentence on the share of an ingestion."""
    lines = [
        "# Account of text",
        "",
        "`RAGRAPH_DATA=DIR make bench-account`: each source is counted a second time, and settled against what its",
        "reader stores. Furniture is stored. Left out are metadata, copies and hidden text, each with its reason.",
        "With `RAGRAPH_PUBLIC=DIR`, test files of eight other projects, listed in `bench/account_files.txt`.",
        "",
        _without_pdf(counted),
        "",
        "| read with | files | with unaccounted text | letters | unaccounted | furniture | left out, why | time |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for reader in [*sorted({one.reader for one in counted}), "all"]:
        rows = [one for one in counted if reader in (one.reader, "all")]
        letters = sum(one.letters for one in rows) or 1
        lost = sum(one.unaccounted for one in rows)
        reasons: Counter[str] = Counter()
        for one in rows:
            reasons.update(one.left_out)
        named = ", ".join(f"{reason} {number / letters:.2%}" for reason, number in reasons.most_common(4))
        touched = sum(one.unaccounted > 0 for one in rows)
        spent = sum(one.counting for one in rows) / (sum(one.reading for one in rows) or 1)
        lines.append(
            f"| {reader} | {len(rows):,} | {touched:,} ({touched / len(rows):.1%}) | {letters:,}"
            f" | {lost:,} ({lost / letters:.3%}) | {sum(one.furniture for one in rows) / letters:.1%} | {named}"
            f" | {spent:.1%} |"
        )
    lines += [
        "",
        "Time is that of the account, as a share of the processor time of the readers alone, without embedding.",
        *([ingested] if ingested else []),
        "",
        "| file | unaccounted | first words | reason |",
        "| --- | --- | --- | --- |",
    ]
    for one in sorted(counted, key=lambda one: -one.unaccounted / (one.letters or 1)):
        if one.unaccounted:
            name = _named(Path(one.path), data).replace("|", "/")
            said = ", ".join(one.samples).replace("|", "/")
            lines.append(
                f"| {name} | {one.unaccounted:,} ({one.unaccounted / one.letters:.2%}) | {said} | {_why(name)} |"
            )
    return "\n".join([*lines, ""])


def _named(path: Path, data: Path) -> str:
    parts = path.relative_to(data).parts
    return "/".join(parts if len(parts) < _LONG else (parts[0], "...", parts[-1]))


_LONG = 6
"""Parts of a path that is shown with its first and last part alone."""


def main() -> None:
    """Count the files and print the tables; ``--write`` also writes them into the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=40, help="files of each folder and ending")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--folder", help="only files below this folder of the data")
    parser.add_argument("--only", nargs="+", metavar="END", help="only files whose paths end so")
    parser.add_argument("--public", action="store_true", help="the listed test files of other projects instead")
    parser.add_argument(
        "--ingested", type=int, default=0, metavar="N", help="ingest N files of each folder and ending, too"
    )
    given = parser.parse_args()
    wanted = "RAGRAPH_PUBLIC" if given.public else "RAGRAPH_DATA"
    if wanted not in os.environ:
        sys.exit(f"{wanted} must name a folder of documents")
    data = Path(os.environ[wanted]).resolve()
    chosen = (
        []
        if given.public
        else [path for path in files(data, given.most) if given.folder is None or f"/{given.folder}/" in str(path)]
    )
    results = RESULTS
    if given.public:
        chosen, results = public_files(Path(os.environ["RAGRAPH_PUBLIC"]).resolve()), PUBLIC_RESULTS
    if given.only:
        chosen = [path for path in chosen if str(path).endswith(tuple(given.only))]
    counted: list[Counted] = []
    with ProcessPoolExecutor(max_workers=1) as pool, Progress(console=console) as progress:
        for one in progress.track(pool.map(count, chosen), total=len(chosen), description="files"):
            if one is not None:
                counted.append(one)
    ingested = ""
    if given.ingested:
        some = set(files(data, given.ingested)) & {Path(one.path) for one in counted}
        ingested = of_ingestion(counted, sorted(some))
    text = report(counted, data, ingested)
    if given.write:
        results.write_text(text, encoding="utf-8")
    console.print(text, markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
