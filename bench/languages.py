"""Documents in fourteen languages: text lost, headings, reading order, words found. `make bench-languages`.

The Debian Administrator's Handbook is translated into most of them. The Short History of Debian (for Chinese the New
Maintainers' Guide) is available as HTML and as PDF. They are in the Debian packages debian-handbook, debian-history and
maint-guide-zh-cn, which ``apt-get download`` fetches into RAGRAPH_BENCH_CACHE and ``dpkg -x`` unpacks there, below
``debian/x``. For Hebrew, five pages of the manual of React are used. Their Markdown (content/docs of the repository
reactjs/he.reactjs.org) is in ``hebrew``. The English originals are measured too, by the same rules:

    lost       share of the letters of the file that are in no node
    headings   share of h1 to h6 that are headings here; levels: under the same heading as there
    order      of paragraphs that can be identified, the share in the order of the file
    print      the same pages printed by Chromium and read from PDF: letters lost, headings, order, and the paragraphs
               of forty letters or more that are complete word for word; for Japanese also set from top to bottom
    hit@1, 10  questions of three words of a paragraph, asked in mode text among the documents of the language: words
               of five letters or more, or pieces of three letters if no space divides words
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from bisect import bisect_left
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import marko
from lxml import etree, html
from rich.console import Console
from rich.table import Table

from bench.text_loss import html_text
from bench.throwaway import throwaway_store
from bench.truth import source_headings
from ragraph.base.queries import read_queries
from ragraph.schema.words import UNCUT_LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ragraph import Store

CHROMIUM = os.environ.get("RAGRAPH_CHROMIUM") or shutil.which("chromium") or ""
FONT = os.environ.get("RAGRAPH_BENCH_FONT", "")
"""Font file with Chinese and Japanese letters, if the machine has no such font."""
QUERIES = read_queries(Path(__file__).parent / "languages.sql")
HANDBOOK = {
    "en": "en-US", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT", "pt": "pt-BR", "nl": "nl-NL",
    "pl": "pl-PL", "ru": "ru-RU", "ar": "ar-MA", "zh": "zh-CN", "ja": "ja-JP", "ko": "ko-KR",
}  # fmt: skip
HEBREW = (
    "reference-react-component",
    "hooks-reference",
    "hooks-effect",
    "accessibility",
    "higher-order-components",
)
PRINTED = ("en", "ar", "he", "ja", "ja-vertical")
PAGES = (
    "sect.apt-get",
    "sect.installation-steps",
    "sect.package-meta-information",
    "sect.virtualization",
    "sect.debian-internals",
)
HISTORY = ("en", "de", "fr", "es", "it", "pt", "ru", "ja", "ko")
TITLES = {"HEADING", "TITLE", "SUBTITLE"}
QUESTIONS = 60
NUMBERING = re.compile(r"^(?:第 ?\d+ ?章|\w+ \d+|\w+ [A-Z]|\d+(?:\.\d+)*)[.:]?\s+")
"""The PDF says "Chapter 3" in all languages."""
UNCUT = re.compile(f"[{UNCUT_LETTERS}]{{3}}")


def main() -> None:
    """Measure and print; write a JSON file with the figures if one is named."""
    cache = Path(os.environ.get("RAGRAPH_BENCH_CACHE", "~/.cache/ragraph-bench")).expanduser()
    cache /= "debian/x/usr/share/doc"
    if not cache.is_dir():
        sys.exit(f"{cache} is missing: see the docstring of bench/languages.py")
    with throwaway_store() as store:
        found = {language: measure(store, cache, language) for language in (*HANDBOOK, "he")}
        for language in PRINTED if CHROMIUM else ():
            found.setdefault(language, {}).update(as_printed(store, cache, language))
    show(found)
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(found, indent=1), encoding="utf-8")


def measure(store: Store, cache: Path, language: str) -> dict[str, float]:
    """Ingest the documents of a language and return its figures."""
    pages = pages_in(cache, language)
    figures: dict[str, list[float]] = {"lost": [], "headings": [], "levels": [], "order": []}
    for page in pages:
        report = store.ingest([page], collection=language, model=None, keep=False)
        document = report.files[0].document_id
        nodes = rows(store, "nodes", document=document)
        text = "\n".join(content for content, _, _ in nodes)
        source = html_text(page.read_bytes())
        figures["lost"].append(missing(source, text))
        stated = [(level, letters(title)) for level, title in source_headings(page) or [] if letters(title)]
        titled = [(level or 1, letters(content)) for content, kind, level in nodes if kind in TITLES]
        figures["headings"].append(share((title for _, title in stated), {title for _, title in titled}))
        figures["levels"].append(len(set(parents(stated)) & set(parents(titled))) / max(len(set(parents(stated))), 1))
        figures["order"].append(in_order(page, text))
    result = {name: sum(values) / len(values) for name, values in figures.items()}
    return result | words(store, language) | printed(store, cache, language)


def pages_in(cache: Path, language: str) -> list[Path]:
    """Return the pages of a language as HTML; those of Hebrew are made of their Markdown."""
    if language != "he":
        return [cache / f"debian-handbook/html/{HANDBOOK[language]}/{page}.html" for page in PAGES]
    folder = cache.parents[4] / "hebrew"
    made = []
    for name in HEBREW:
        body = marko.convert(
            re.sub(r"\A---.*?\n---\n", "", (folder / f"{name}.md").read_text("utf-8"), flags=re.DOTALL)
        )
        made.append(folder / f"{name}.html")
        head = '<html lang="he" dir="rtl"><meta charset="utf-8"><style>pre, code {direction: ltr}</style>'
        made[-1].write_text(f"{head}<body>{body}</body></html>", encoding="utf-8")
    return made


def as_printed(store: Store, cache: Path, language: str) -> dict[str, float]:
    """Print the pages of a language by Chromium, read the PDF files, and compare with the pages."""
    written, _, vertical = language.partition("-")
    figures: dict[str, list[float]] = {"lost": [], "headings": [], "order": [], "word for word": []}
    with tempfile.TemporaryDirectory() as folder:
        for page in pages_in(cache, written):
            plain = html.document_fromstring(page.read_bytes())
            etree.strip_elements(plain, "img", "script", "link", with_tail=False)
            plain.set("dir", "rtl" if written in ("ar", "he") else "ltr")
            turned = "writing-mode: vertical-rl; height: 620px; text-orientation: mixed" if vertical else ""
            style = etree.SubElement(next(plain.iter("head"), plain), "style")
            font = f"@font-face {{font-family: bench; src: url('file://{FONT}')}}"
            style.text = f"{font} body {{font-family: bench, sans-serif; {turned}}}"
            copy, sheet = Path(folder) / page.name, Path(folder) / f"{page.stem}.pdf"
            copy.write_bytes(etree.tostring(plain, method="html", encoding="utf-8"))
            options = [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-pdf-header-footer",
                "--allow-file-access-from-files",
            ]
            command = [
                CHROMIUM,
                *options,
                f"--user-data-dir={folder}/profile",
                f"--print-to-pdf={sheet}",
                copy.as_uri(),
            ]
            subprocess.run(command, capture_output=True, check=True, timeout=300)
            report = store.ingest([sheet], collection=f"{language}-print", model=None, keep=False)
            nodes = rows(store, "nodes", document=report.files[0].document_id)
            text = letters("\n".join(content for content, _, _ in nodes))
            figures["lost"].append(missing(html_text(copy.read_bytes()), text))
            stated = [letters(title) for _, title in source_headings(copy) or [] if letters(title)]
            figures["headings"].append(
                share(stated, {letters(content) for content, kind, _ in nodes if kind in TITLES})
            )
            figures["order"].append(in_order(copy, text))
            told = [item for item in map(letters, blocks(copy)) if len(item) >= 40]
            figures["word for word"].append(sum(item in text for item in told) / max(len(told), 1))
    return {f"print: {name}": sum(values) / len(values) for name, values in figures.items()}


def words(store: Store, language: str) -> dict[str, float]:
    """Ask for paragraphs by three of their words."""
    chooser = random.Random(7)
    paragraphs = [row for row in rows(store, "paragraphs", collection=language) if len(row[1]) > 60]
    ranks: list[int] = []
    for node, content in chooser.sample(paragraphs, len(paragraphs)):
        pieces = UNCUT.findall(content) if UNCUT.search(content) else re.findall(r"[^\W\d_]{5,}", content)
        pieces = sorted(set(pieces))
        if len(pieces) < 8:
            continue
        hits = store.search(" ".join(chooser.sample(pieces, 3)), k=10, mode="text", match="any", collection=language)
        ranks.append(next((place for place, hit in enumerate(hits, 1) if hit.node_id == node), 99))
        if len(ranks) == QUESTIONS:
            break
    return {f"hit@{k}": sum(rank <= k for rank in ranks) / max(len(ranks), 1) for k in (1, 10)}


def printed(store: Store, cache: Path, language: str) -> dict[str, float]:
    """Read a document as PDF and compare with its HTML."""
    if language in HISTORY:
        folder = cache / "debian-history/docs"
        file, index = folder / f"project-history.{language}.pdf", folder / f"index.{language}.html"
    elif language == "zh":
        folder = cache / "maint-guide-zh-cn"
        file, index = folder / "maint-guide.zh-cn.pdf", folder / "html/index.zh-cn.html"
    else:
        return {}
    pages = pages_of(index)
    report = store.ingest([file], collection=f"{language}-pdf", model=None, keep=False)
    nodes = rows(store, "nodes", document=report.files[0].document_id)
    text = "\n".join(content for content, _, _ in nodes)
    stated = [letters(NUMBERING.sub("", title)) for page in pages for _, title in source_headings(page) or []]
    titled = {letters(NUMBERING.sub("", content)) for content, kind, _ in nodes if kind in TITLES}
    body = [item for page in pages for item in blocks(page)]
    return {
        "pdf: lost": missing("\n".join(body), text),
        "pdf: headings": share((title for title in stated if title), titled),
        "pdf: order": ordered([letters(item) for item in body], letters(text)),
    }


def pages_of(index: Path) -> list[Path]:
    """Return the pages that a page of contents leads to, in its order."""
    links = html.document_fromstring(index.read_bytes()).iter("a")
    names = dict.fromkeys(str(link.get("href", "")).partition("#")[0] for link in links)
    return [index.parent / name for name in names if name.endswith(".html") and (index.parent / name).is_file()]


def letters(text: str) -> str:
    """Return the letters and digits of a text, compatibility forms as one, in lower case."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).lower() if sign.isalnum())


def missing(source: str, text: str) -> float:
    """Return the share of the letters of the source that the text has not."""
    stated, kept = Counter(letters(source)), Counter(letters(text))
    return (stated - kept).total() / max(stated.total(), 1)


def share(wanted: Iterable[str], found: set[str]) -> float:
    """Return how much of what is wanted was found."""
    each = list(wanted)
    return sum(item in found for item in each) / max(len(each), 1)


def parents(headings: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """Return each heading with the one it stands under."""
    above: list[tuple[int, str]] = []
    pairs = []
    for level, title in headings:
        above = [item for item in above if item[0] < level]
        pairs.append((above[-1][1] if above else "", title))
        above.append((level, title))
    return pairs


def blocks(page: Path) -> list[str]:
    """Return the paragraphs of a page of HTML."""
    items = html.document_fromstring(page.read_bytes()).iter("p", "div")
    return ["".join(map(str, item.itertext())) for item in items if item.tag == "p" or item.get("class") == "para"]


def in_order(page: Path, text: str) -> float:
    """Return ``ordered`` of the paragraphs of a page."""
    return ordered([letters(item) for item in blocks(page)], letters(text))


def ordered(source: list[str], text: str) -> float:
    """Return the share of the paragraphs, identified by their beginning, that are in the text in their order."""
    begins = [item[:20] for item in source if len(item) >= 20]
    places = [text.find(item) for item in begins if begins.count(item) == 1 and text.count(item) == 1]
    longest: list[int] = []
    for place in places:
        index = bisect_left(longest, place)
        longest[index : index + 1] = [place]
    return len(longest) / max(len(places), 1)


def rows(store: Store, query: str, **values: Any) -> list[tuple[Any, ...]]:
    """Return the rows of one of the questions of languages.sql."""
    with store.database.read() as connection:
        return connection.execute(QUERIES[query], values).fetchall()


def show(found: dict[str, dict[str, float]]) -> None:
    """Print the table."""
    names = list(dict.fromkeys(name for figures in found.values() for name in figures))
    table = Table("language", *names)
    for language, figures in found.items():
        table.add_row(language, *(f"{figures[name]:.3f}" if name in figures else "" for name in names))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
