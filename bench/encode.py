"""Compare encoders: passages a second as ratios, and how many of the ten nearest each finds.

    RAGRAPH_DATA=DIR python -m bench.encode [--passages 1000] [--write docs/how-to/encoding.md]
    RAGRAPH_DATA=DIR python -m bench.encode --files 60

Passages are texts that a store would embed, from articles, contracts and books below RAGRAPH_DATA. Encoders take turns
on the same 64 of them, so that other load of the machine affects all alike; a ratio is the median over the turns. With
``--files``, this many files are ingested into separate stores, with the plain encoder and with the chosen one.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bench.throwaway import throwaway_store
from bench.timing import timed
from ragraph.errors import IngestError, ModelError
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.models.embedding import SentenceModel, load_model
from ragraph.models.encoding.encoders import BACKENDS, make_encoder
from ragraph.models.encoding.plain import plain_encoder
from ragraph.models.encoding.trials import overlap
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Encode = Callable[[list[str]], Any]

TURN = 64
BASE = "sentence-transformers, batches of 32"
_PROSE = (ContentNodeType.PARAGRAPH, ContentNodeType.LIST_ITEM, ContentNodeType.NOTE, ContentNodeType.TABLE)
_MARK = "<!-- figures of make bench-encode -->"


def main() -> None:
    """Measure, print, and write the table if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=1000)
    parser.add_argument("--files", type=int, default=0, help="ingest this many files instead")
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    data = Path(os.environ["RAGRAPH_DATA"])
    lines = end_to_end(data, given.files) if given.files else encoders(passages(data, given.passages))
    print("\n".join(lines))
    if given.write:
        head, mark, _ = given.write.read_text().partition(_MARK)
        given.write.write_text(f"{head}{mark}\n\n" + "\n".join(lines) + "\n")


def passages(data: Path, count: int) -> list[str]:
    """Return texts of nodes of files of several kinds, shuffled, always the same."""
    found: list[str] = []
    files = [*files_of(data)]
    random.Random(7).shuffle(files)
    for path in files:
        if len(found) >= 3 * count:
            break
        try:
            draft = read_draft(path, ReadOptions(), Limits())
        except IngestError:
            continue
        found += [node.text for node in draft.nodes if node.type in _PROSE and len(node.text) > 40][: count // 8]
    random.Random(7).shuffle(found)
    return list(dict.fromkeys(found))[:count]


def files_of(data: Path) -> Iterator[Path]:
    """Yield files that are quick to read."""
    for folder, pattern in (("evidence_inference/xml", "*.nxml"), ("cuad", "*.txt"), ("docling", "*.html")):
        yield from sorted((data / folder).rglob(pattern))[:40]
    yield from sorted((data / "books" / "standardebooks").rglob("chapter*.xhtml"))[:20]


def encoders(texts: list[str]) -> list[str]:
    """Return a table with one row per encoder."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RAGRAPH_HOME"] = folder
        model = cast("SentenceModel", load_model(backend="plain"))._ready
        transformer = model.transformer

        def base(some: list[str]) -> Any:
            return transformer.encode(some, batch_size=32, normalize_embeddings=True)

        ways: dict[str, Encode] = {BASE: base}
        for name in (plain_encoder(model).name, *(name for names in BACKENDS.values() for name in names)):
            if name in ways:
                continue
            try:
                ways[name] = make_encoder(name, model).encode
            except ModelError as error:
                print(f"{name} left out: {error}")
        for encode in ways.values():
            encode(texts[:TURN])
        vectors: dict[str, list[Any]] = {name: [] for name in ways}
        rates: dict[str, list[float]] = {name: [] for name in ways}
        for start in range(0, len(texts), TURN):
            some = texts[start : start + TURN]
            for name, encode in ways.items():
                with timed() as clock:
                    vectors[name].append(encode(some))
                rates[name].append(len(some) / clock.seconds)
    tokens = sum(map(len, model.token_ids(texts))) / len(texts)
    reference = np.concatenate(vectors[plain_encoder(model).name])
    lines = [
        f"{len(texts):,} passages of {tokens:.0f} tokens on average, {os.cpu_count()} processors, in turns of {TURN}.",
        "",
        "| encoder | passages a second | times as fast | overlap@10, queries in float32 |",
        "| --- | --- | --- | --- |",
    ]
    for name in ways:
        times = statistics.median(own / usual for own, usual in zip(rates[name], rates[BASE], strict=True))
        found = overlap(reference, np.concatenate(vectors[name]))
        lines.append(f"| {name} | {statistics.median(rates[name]):.0f} | {times:.2f} | {found:.3f} |")
    return lines


def end_to_end(data: Path, count: int) -> list[str]:
    """Return a table: files ingested with the plain encoder and with the one that the machine chooses."""
    files = [*files_of(data)]
    random.Random(7).shuffle(files)
    files = files[:count]
    lines = [f"{len(files)} files.", "", "| backend | vectors | seconds | processor seconds | by |", "| --- " * 5 + "|"]
    home = tempfile.mkdtemp(prefix="ragraph-bench-")
    for backend in ("auto", "plain", "auto"):  # the first run chooses the encoder
        os.environ["RAGRAPH_HOME"] = home
        used = time.process_time()
        with throwaway_store() as store, timed() as clock:
            report = store.ingest(files, backend=backend)
            made: set[str] = set()
            for document in store.documents():
                for by in store.document(document.id).ingested_with.get("embedded", {}).values():
                    made |= set(by.get("backends", ()))
        lines.append(
            f"| {backend} | {report.totals['embeddings']:,} | {clock.seconds:.0f} |"
            f" {time.process_time() - used:.0f} | {', '.join(sorted(made))} |"
        )
    return lines


if __name__ == "__main__":
    main()
