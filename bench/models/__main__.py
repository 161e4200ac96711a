"""Ask ten questions in each of thirteen languages, by words and by the vectors of each model; `make bench-models`.

The texts are the first fourteen paragraphs of ten pages of the Debian Administrator's Handbook, which is translated
into these languages. ``apt-get download debian-handbook`` fetches it, and ``dpkg -x`` unpacks it into ``debian/x`` of
RAGRAPH_BENCH_CACHE. Nothing was chosen on these questions.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from lxml import html

from bench.models.questions import ANSWERS, FOLDERS, NAMES, QUESTIONS
from bench.throwaway import throwaway_store
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.models.embedding import DEFAULT_MODEL, load_model
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from ragraph import Store

PARAGRAPHS = 14
MODELS = (DEFAULT_MODEL, "multilingual")
HEAD = """# Models in several languages, measured

<!-- Written by `make bench-models`; not to be edited. -->

Ten questions in each language, on the first fourteen paragraphs of ten pages of the Debian Administrator's Handbook and
its translations. The questions use other words than the text where there are any. A cell is the share of questions
whose paragraph is the first hit, then that among the first five. One question is .10. The questions were written for
this benchmark and translated by one hand. So differences between languages say little, those between columns more.
Nothing was chosen on them.
"""
"""Beginning of the page."""

WAYS = {
    "words": {"mode": "text", "match": "any"},
    "vectors": {"mode": "vector"},
    "hybrid": {"mode": "hybrid"},
}


def main() -> None:
    """Measure, print, and write the page if a file is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--languages", nargs="*", default=list(QUESTIONS), choices=QUESTIONS, help="only these")
    parser.add_argument("--write", type=Path, help="write the page to this file")
    arguments = parser.parse_args()
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", "~/.cache/ragraph-bench")).expanduser()
    folder = cache / "debian/x/usr/share/doc/debian-handbook/html"
    if not folder.is_dir():
        sys.exit(f"{folder} is missing: see `python -m bench.models --help`")
    lines: dict[str, dict[str, tuple[float, float]]] = {}
    speed = {}
    with throwaway_store() as store:
        targets = {language: add(store, folder, language) for language in arguments.languages}
        names = [store.add_model(model).name if model != DEFAULT_MODEL else model for model in MODELS]
        for model in names:
            begin = time.process_time()
            report = store.embed(model)
            speed[model] = (report.embeddings, time.process_time() - begin)
        for language, nodes in targets.items():
            found = lines.setdefault(language, {})
            found["words"] = asked(store, language, nodes, None, "words")
            for model in names:
                for way in ("vectors", "hybrid"):
                    found[f"{model}, {way}"] = asked(store, language, nodes, model, way)
            print(language, found, flush=True)
    page = report_page(lines, speed)
    print(page)
    if arguments.write:
        arguments.write.write_text(page, encoding="utf-8")


def add(store: Store, folder: Path, language: str) -> list[tuple[str, str]]:
    """Add the pages of a language as a collection; return the text of the answer to each question, with its page."""
    pages = sorted({page for page, _ in ANSWERS} | {"sect.automatic-upgrades", "sect.dist-upgrade"})
    texts = {page: paragraphs(folder / FOLDERS[language] / f"{page}.html") for page in pages}
    english = {page: paragraphs(folder / FOLDERS["en"] / f"{page}.html") for page in pages}
    documents = [
        DraftDocument(
            id=f"dl_{language}_{page.removeprefix('sect.').replace('-', '_')}",
            metadata=DraftMetadata(title=page.removeprefix("sect."), language=language),
            nodes=[
                DraftNode(key=str(place), type=ContentNodeType.PARAGRAPH, text=text)
                for place, text in enumerate(texts[page])
                if text
            ],
        )
        for page in pages
    ]
    store.add_many(documents, collection=language, model=None)
    found = []
    for page, words in ANSWERS:
        (place,) = [place for place, text in enumerate(english[page]) if text.startswith(words)]
        found.append((page, texts[page][place]))
    return found


def paragraphs(path: Path) -> list[str]:
    """Return the first paragraphs of a page, each as one line."""
    found = []
    for part in html.parse(str(path)).getroot().iter("p", "div"):
        if (part.tag == "div" and part.get("class") != "para") or part.find(".//div[@class='para']") is not None:
            continue
        found.append(" ".join(part.text_content().split()))
    return found[:PARAGRAPHS]


def asked(
    store: Store, language: str, answers: list[tuple[str, str]], model: str | None, way: str
) -> tuple[float, float]:
    """Return the share of questions whose answer is the first hit, and among the first five."""
    first = five = 0
    for question, (_, answer) in zip(QUESTIONS[language], answers, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            how = {**WAYS[way], **({"model": model} if model else {})}
            hits = store.search(question, k=5, collection=language, **how)  # type: ignore[arg-type]
        texts = [hit.content for hit in hits]
        first += answer in texts[:1]
        five += answer in texts
    return first / len(answers), five / len(answers)


def report_page(lines: dict[str, dict[str, tuple[float, float]]], speed: dict[str, tuple[int, float]]) -> str:
    """Return the page."""
    names = list(next(iter(lines.values())))
    head = [HEAD, f"| language | {' | '.join(names)} |", f"| --- | {' | '.join('---:' for _ in names)} |"]
    rows = [
        f"| {NAMES[language]} | " + " | ".join(f"{a:.2f} {b:.2f}" for a, b in found.values()) + " |"
        for language, found in lines.items()
    ]
    others = [found for language, found in lines.items() if language != "en"]
    means = [
        f"{sum(found[name][0] for found in others) / len(others):.2f}"
        f" {sum(found[name][1] for found in others) / len(others):.2f}"
        for name in names
    ]
    rows.append(f"| **mean without English** | {' | '.join(means)} |")
    rows += ["", "| model | passages | processor seconds | MB of weights |", "| --- | ---: | ---: | ---: |"]
    for model, (passages, seconds) in speed.items():
        weights = load_model("multilingual" if model not in (DEFAULT_MODEL,) else DEFAULT_MODEL)
        size = (weights._folder / "model.safetensors").stat().st_size / 1e6  # type: ignore[attr-defined]
        rows.append(f"| {model} | {passages} | {seconds:.0f} | {size:.0f} |")
    return "\n".join([*head, *rows, ""])


if __name__ == "__main__":
    main()
