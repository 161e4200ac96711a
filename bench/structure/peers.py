"""Other readers on the same files: pymupdf4llm, opendataloader-pdf and PageIndex, in an environment of their own.

None is a dependency: pymupdf4llm is under the AGPL, opendataloader-pdf needs Java. ``make bench-structure-peers``
installs them into ``.venv-peers``. Their results are cached on disk, by the bytes of the file and their version.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.structure.reading import Caption, Heading, Note, Piece, Reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PEERS = {"pymupdf4llm": "1.28.2", "opendataloader": "2.5.16"}
"""Names of the peers that read complete documents, and the versions in use."""
VERSIONS = {**PEERS, "pageindex": "0.4.7"}
"""All peers: PageIndex finds only headings."""
_PACKAGES = {"pymupdf4llm": "pymupdf4llm", "opendataloader": "opendataloader-pdf", "pageindex": "pageindex"}
_MARKUP = re.compile(
    r"</?(?:sup|sub|br|u|b|i|mark)\s*/?>|\*\*|(?<!\w)[_*](?=\S)|(?<=\S)[_*](?!\w)|~~|`|^#{1,6}\s|^>\s", re.M
)
_PICTURE = re.compile(r"\*\*==>.*?<==\*\*|!\[[^\]]*\]\([^)]*\)", re.S)


class Peers:
    """Runs the peers, or returns their cached results for the same bytes."""

    def __init__(self, python: Path, cache: Path) -> None:
        """Use the Python of the peers' environment, and cache results in a folder."""
        self.python, self.cache = python, cache

    def prepare(
        self, peer: str, paths: Sequence[Path], tagged: bool, pages: Mapping[Path, Sequence[int]] | None = None
    ) -> None:
        """Run a peer, in one process, on those files without a cached result.

        Args:
            peer: one of ``VERSIONS``.
            paths: the files.
            tagged: whether they have tags that the peer may use.
            pages: pages of each file for pymupdf4llm, which reads pages one by one; default all.
        """
        jobs = [
            (str(path), str(kept), list(pages[path]) if pages else None)
            for path in paths
            if not (kept := self._kept(peer, path, tagged, pages[path] if pages else None)).exists()
        ]
        if jobs and self.python.exists():
            Path(jobs[0][1]).parent.mkdir(parents=True, exist_ok=True)
            script = Path(__file__).with_name(f"run_{peer}.py")
            command = [str(self.python), str(script), *(["--tags"] if _follows(peer, tagged) else [])]
            subprocess.run(command, input=json.dumps(jobs), text=True, check=False, stdout=subprocess.DEVNULL)

    def read(self, peer: str, path: Path, tagged: bool) -> Reading | None:
        """Return a peer's result for a file; None if it was never run on it and is not installed."""
        result = self.result(peer, path, tagged)
        if result is None:
            return None
        if "error" in result:
            return Reading(failed=result["error"], seconds=result.get("seconds", 0.0))
        return _opendataloader(result) if peer == "opendataloader" else _pymupdf4llm(result)

    def result(self, peer: str, path: Path, tagged: bool, pages: Sequence[int] | None = None) -> dict[str, Any] | None:
        """Return a peer's output, with "error" if it failed; None if it was never run and is not installed."""
        kept = self._kept(peer, path, tagged, pages)
        if not kept.exists():
            return {"error": "it broke down"} if self.python.exists() else None
        result: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8"))
        return result

    def _kept(self, peer: str, path: Path, tagged: bool, pages: Sequence[int] | None = None) -> Path:
        folder = self.cache / f"{peer}-{VERSIONS[peer]}{'-tags' if _follows(peer, tagged) else ''}"
        some = "-" + "-".join(map(str, pages)) if pages and peer == "pymupdf4llm" else ""
        return folder / f"{hashlib.sha256(path.read_bytes()).hexdigest()[:24]}{some}.json"


def _follows(peer: str, tagged: bool) -> bool:
    return tagged and peer == "opendataloader"


def install_command(python: Path) -> str:
    """Return the commands that make the environment of the peers."""
    packages = " ".join(f"{_PACKAGES[peer]}=={version}" for peer, version in VERSIONS.items())
    return f"python3 -m venv {python.parent.parent} && {python} -m pip install {packages}"


def _pymupdf4llm(result: dict[str, Any]) -> Reading:
    """Read page chunks: classes of boxes, and Markdown whose number of hashes is the level."""
    from bench.teds import tables_of_html, tables_of_markdown

    reading = Reading(notes=[], captions=[], seconds=result["seconds"])
    for number, boxes in enumerate(result["pages"], 1):
        page = frozenset({number})
        for index, box in enumerate(boxes):
            kind, raw = box["class"], box["text"]
            text = plain_markdown(raw)
            if kind in {"title", "section-header"}:
                hashes = re.match(r"\s*(#{1,6})\s", raw)
                heading = Heading(text, len(hashes[1]) if hashes else 1)
                if kind == "title":
                    reading.titles.append((len(reading.headings), heading))
                else:
                    reading.headings.append(heading)
            elif kind == "footnote" and reading.notes is not None:
                parts = re.split(r"\n\s*\n|(?<=\n)(?=>?\s*(?:<sup>|\[?\d+[\].)\s]))", raw)
                reading.notes += [
                    Note(re.sub(r"^[\[(]?\d+[\]).]?\s*", "", part), None) for part in map(plain_markdown, parts) if part
                ]
            elif kind == "caption" and reading.captions is not None:
                near = [other["class"] for other in boxes[max(index - 1, 0) : index + 2]]
                bound = "table" if "table" in near else "figure" if "picture" in near else ""
                wants_table = text.lower().startswith("tab")
                if "table" in near and "picture" in near:
                    bound = "table" if wants_table else "figure"
                reading.captions.append(Caption(text, bound, number))
            elif kind == "table":
                reading.tables += tables_of_html(raw, page) if "<table" in raw else tables_of_markdown(raw, page)
            role = "furniture" if kind in {"page-header", "page-footer"} else "note" if kind == "footnote" else "body"
            reading.pieces.append(Piece(text, page, role))
    return reading


def plain_markdown(text: str) -> str:
    """Return Markdown as plain text."""
    text = _PICTURE.sub(" ", text)
    text = re.sub(r"<(?:sup|sub)>", " ", text)
    text = re.sub(r"\[([^\]]*)\]\((?:[^()]|\([^)]*\))*\)", r"\1", text)
    text = re.sub(r"<[^<>]{1,200}>|^\s*\|?(?:\s*:?-{3,}:?\s*\|)+\s*$", " ", text, flags=re.M)
    return re.sub(r"\s+", " ", _MARKUP.sub("", text).replace("|", " ").replace("\\", "")).strip()


def _opendataloader(result: dict[str, Any]) -> Reading:
    """Read its JSON: typed elements in reading order."""
    reading = Reading(captions=[], seconds=result["seconds"])
    elements = list(walk(result["document"].get("kids", ()), "body"))
    by_id = {element.get("id"): element for element, _ in elements}
    for element, role in elements:
        page = int(element.get("page number", 1))
        text = str(element.get("content", ""))
        kind = element["type"]
        if kind == "heading" and role == "body":
            heading = Heading(text, int(element.get("heading level", 1)))
            if element.get("level") == "Doctitle":
                reading.titles.append((len(reading.headings), heading))
            else:
                reading.headings.append(heading)
        elif kind == "caption" and reading.captions is not None:
            linked = by_id.get(element.get("linked content id"), {}).get("type", "")
            reading.captions.append(Caption(text, {"image": "figure", "table": "table"}.get(linked, ""), page))
        elif kind == "table":
            reading.tables.append(odl_table(element, page))
        if text:
            is_note = str(element.get("pdfua_tag", "")) in {"Note", "FENote"}
            if is_note:
                reading.notes = [*(reading.notes or []), Note(text, None)]
            reading.pieces.append(Piece(text, frozenset({page}), "note" if is_note else role))
    return reading


def walk(kids: Any, role: str) -> Iterator[tuple[dict[str, Any], str]]:
    for element in kids:
        inner = "furniture" if element["type"] in {"header", "footer"} else role
        yield element, inner
        for name in ("kids", "list items", "rows", "cells"):
            yield from walk(element.get(name, ()), inner)


def odl_table(element: dict[str, Any], page: int) -> Any:
    from bench.teds import table_of_grid

    cells = [cell for row in element["rows"] for cell in row["cells"]]
    wide = max((cell["column number"] + cell["column span"] - 1 for cell in cells), default=0)
    high = max((cell["row number"] + cell["row span"] - 1 for cell in cells), default=0)
    grid = [[""] * wide for _ in range(high)]
    spans = []
    for cell in cells:
        row, column = cell["row number"] - 1, cell["column number"] - 1
        grid[row][column] = " ".join(item.get("content", "") for item, _ in walk(cell.get("kids", ()), "body"))
        if cell["row span"] > 1 or cell["column span"] > 1:
            spans.append((row, column, cell["row span"], cell["column span"]))
    return table_of_grid(grid, {page}, spans)
