"""Record the results of a store for a set of files, to compare before and after a change that must alter nothing.

    RAGRAPH_DATA=../shared/data python -m bench.record before
    ... change the code ...
    RAGRAPH_DATA=../shared/data python -m bench.record after
    diff --recursive before after

The example documents and ``--files`` files of ``RAGRAPH_DATA`` are ingested into an empty store. The folder then has
``rendered/`` (each document as Markdown, HTML and text), ``documents.jsonl`` (each document as exported),
``answers.jsonl`` (``--questions`` searches, in all modes and with each kind of scope, with contexts of some) and
``outcomes.txt`` (the result of each file). Questions are headings and sentences of the documents, chosen by their
SHA-256, so two runs over the same files ask the same. Ids of documents depend on the paths of their files, so both runs
need the same checkout.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bench.throwaway import throwaway_store
from ragraph.ingest.readers import supported_suffixes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ragraph import Store
    from ragraph.base.defaults import Format, ModeName
    from ragraph.schema.results import Document, Hit

FORMATS: tuple[Format, ...] = ("markdown", "html", "text")
EXAMPLES = Path(__file__).parent.parent / "examples" / "documents"
_LARGEST = 3_000_000
"""Maximum bytes of a file that is used."""

_MODES: tuple[ModeName, ...] = ("text", "vector", "hybrid", "graph")
_WORDS = 12
"""Maximum words of a question."""

console = Console(width=120, highlight=False)


def main() -> None:
    """Ingest the files, ask the questions, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the record is written; must not exist")
    parser.add_argument("--files", type=int, default=100, help="files of RAGRAPH_DATA")
    parser.add_argument("--questions", type=int, default=200, help="searches")
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    data = os.environ.get("RAGRAPH_DATA")
    if arguments.files and not data:
        parser.error("set RAGRAPH_DATA to the folder of the files, or give --files 0")
    (folder / "rendered").mkdir(parents=True)
    files = [*sorted(EXAMPLES.iterdir()), *(chosen(Path(data or "."), arguments.files) if arguments.files else ())]
    with throwaway_store() as store:
        report = store.ingest(files, backend="plain")
        outcomes = [f"{file.status} {Path(file.path).name} {file.nodes} {file.reason or ''}" for file in report.files]
        (folder / "outcomes.txt").write_text("\n".join(sorted(outcomes)) + "\n", encoding="utf-8")
        documents = sorted(store.documents(), key=lambda document: document.id)
        for document in documents:
            for kind in FORMATS:
                name = f"{document.id}.{kind}"
                (folder / "rendered" / name).write_text(store.render(document.id, format=kind) + "\n", encoding="utf-8")
        _write(
            folder / "documents.jsonl", (line for document in documents for line in store.export(document=document.id))
        )
        _write(folder / "answers.jsonl", _answers(store, documents, arguments.questions))
    console.print(f"{len(documents)} documents and {arguments.questions} questions recorded in {folder}")


def chosen(data: Path, number: int) -> list[Path]:
    """Return files below a folder, of each ending in proportion to its share, in a fixed order.

    Args:
        data: the folder.
        number: number of files.
    """
    by_suffix: dict[str, list[Path]] = defaultdict(list)
    for path in data.rglob("*"):
        if path.suffix.lower() in supported_suffixes() - {".json", ".csv"} and path.stat().st_size <= _LARGEST:
            by_suffix[path.suffix.lower()].append(path)
    for paths in by_suffix.values():
        paths.sort(key=lambda path: _order(str(path.relative_to(data))))
    taken: list[Path] = []
    while len(taken) < number and any(by_suffix.values()):
        for suffix in sorted(by_suffix):
            # PDF files are most of the readers' work
            taken += [by_suffix[suffix].pop() for _ in range(4 if suffix == ".pdf" else 1) if by_suffix[suffix]]
    return sorted(taken[:number])


def _order(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _questions(store: Store, documents: list[Document]) -> list[tuple[str, str, int | None, str]]:
    """Return texts of questions with the document, page and type of their node, in the order of their SHA-256."""
    found = []
    for document in documents:
        for node in store.nodes(document.id):
            words = node.content.split()
            if len(words) >= 2:
                pages = [place["page_pdf"] for place in node.positional_data]
                found.append(
                    (" ".join(words[:_WORDS]), document.id, pages[0] if pages else None, node.content_node_type)
                )
    return sorted(found, key=lambda question: _order(question[0] + question[1]))


def _answers(store: Store, documents: list[Document], number: int) -> Iterator[dict[str, Any]]:
    sections = {document.id: [entry.component_id for entry in store.toc(document.id)] for document in documents}
    languages = sorted({document.language for document in documents if document.language})
    for place, (text, document, page, kind) in enumerate(_questions(store, documents)[:number]):
        scopes: list[dict[str, Any]] = [
            {},
            {"document": document},
            {"document": document, "section": sections[document][:3] or None},
            {"types": [kind]},
            {"document": document, "pages": None if page is None else (page, page + 2)},
            {"languages": languages[:1] or None},
            {"collection": "default", "filter": {"language": {"$ne": "de"}}},
        ]
        scope, mode = scopes[place % len(scopes)], _MODES[place % len(_MODES)]
        hits = store.search(text, 10, mode=mode, match="any" if mode == "text" and place % 3 else "all", **scope)
        answer: dict[str, Any] = {"query": text, "mode": mode, "scope": scope, "hits": [_hit(hit) for hit in hits]}
        if place % 5 == 0:
            answer["context"] = store.context(text, 600, **scope).text
            answer["sections"] = [section.component_id for section in store.search_sections(text, 3, **scope)]
            answer["expanded"] = store.expand(hits, "auto", 400).text
        yield answer


def _hit(hit: Hit) -> dict[str, Any]:
    return hit.to_json() | {"score": round(hit.score, 6), "ranks": hit.ranks}


def _write(path: Path, rows: Iterable[Any]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            line = row if isinstance(row, str) else json.dumps(row, ensure_ascii=False, sort_keys=True, default=str)
            file.write(line.rstrip("\n") + "\n")


if __name__ == "__main__":
    main()
