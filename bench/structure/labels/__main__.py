"""Choose the pages, render them for labelling, check the labels, and compare a second pass with the first.
python -m bench.structure.labels draw --data DATA --wild WILD
python -m bench.structure.labels render --data DATA --wild WILD --out PICTURES [--dpi 110] [NNN ...]
python -m bench.structure.labels check [FOLDER]
python -m bench.structure.labels schema
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from bench.structure.labels.agreement import Share, agreement
from bench.structure.labels.draw import draw
from bench.structure.labels.model import HERE, FirstPage, Label, Page, labels, pages


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="write pages.jsonl")
    rendering = commands.add_parser("render", help="write pictures of pages")
    for command in (drawing, rendering):
        command.add_argument("--data", type=Path, required=True, help="folder of the data sets")
        command.add_argument("--wild", type=Path, required=True, help="folder of the files of the lists in data/wild")
    rendering.add_argument("--out", type=Path, required=True)
    rendering.add_argument("--dpi", type=int, default=110)
    rendering.add_argument("numbers", nargs="*", help="pages; all if none is named")
    commands.add_parser("check", help="check labels").add_argument("folder", type=Path, nargs="?", default=HERE)
    commands.add_parser("agreement", help="print how far the labels in second/ agree with the first")
    commands.add_parser("schema", help="write the JSON schema of a label file")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        lines = [
            json.dumps(p.model_dump(exclude_none=True), ensure_ascii=False)
            for p in draw(arguments.data, arguments.wild)
        ]
        (HERE / "pages.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif arguments.command == "render":
        wanted = [page for page in pages() if not arguments.numbers or page.number in arguments.numbers]
        for page in wanted:
            _render(page, arguments)
    elif arguments.command == "check":
        _check(arguments.folder)
    elif arguments.command == "agreement":
        _agreement()
    else:
        schema = json.dumps(Label.model_json_schema(), indent=1) + "\n"
        (HERE / "schema.json").write_text(schema, encoding="utf-8")


def path_of(page: Page | FirstPage, data: Path, wild: Path) -> Path:
    """Return the path of a page's file; files of repositories are in ``wild`` by their SHA-256."""
    if page.commit:
        return wild / f"{page.sha256[:16]}.pdf"
    return (wild if page.source in {"financebench", "mmlongbench"} else data) / page.source / page.file


def _render(page: Page, arguments: argparse.Namespace) -> None:
    import pypdfium2

    with pypdfium2.PdfDocument(path_of(page, arguments.data, arguments.wild)) as pdf:
        picture = pdf[page.page - 1].render(scale=arguments.dpi / 72).to_pil()
    arguments.out.mkdir(parents=True, exist_ok=True)
    picture.save(arguments.out / f"{page.number}.png")


def _check(folder: Path) -> None:
    try:
        found = labels(folder)
    except ValueError as error:
        sys.exit(str(error))
    if strange := set(found) - {page.number for page in pages()}:
        sys.exit(f"No page was drawn for {sorted(strange)}")
    kinds = Counter(page.kind for page in pages() if page.number in found)
    blocks = Counter(block.type.value for label in found.values() for block in label.blocks)
    print(f"{len(found)} pages: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}")
    print(f"{sum(blocks.values())} blocks: {', '.join(f'{count} {kind}' for kind, count in blocks.most_common())}")


def _agreement() -> None:
    first, second = labels(), labels(HERE / "second")
    if strange := set(second) - set(first):
        sys.exit(f"No first label of {sorted(strange)}")
    total: dict[str, Share] = {}
    for number, label in second.items():
        found = agreement(first[number], label)
        total = {name: total.get(name, Share(0, 0)) + share for name, share in found.items()}
        print(number, *(f"{name} {share}" for name, share in found.items()), sep="  ")
    print(f"{len(second)} pages", *(f"{name} {share}" for name, share in total.items()), sep="  ")


if __name__ == "__main__":
    main()
