"""Tagged PDF files made by hand: text at given positions, and the structure tree for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pikepdf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass
class Tag:
    """An element: its type, the text it holds as (x, y, size, text), elements in it, further entries.

    ``bold`` and ``mono`` set its text in bold, or in typewriter type.
    """

    type: str
    texts: Sequence[tuple[float, float, float, str]] = ()
    kids: list[Tag] = field(default_factory=list)
    more: dict[str, Any] = field(default_factory=dict)
    drawing: str = ""
    bold: bool = False
    mono: bool = False


def write_tagged(
    path: Path,
    tags: list[Tag],
    *,
    artifacts: tuple[tuple[float, float, float, str], ...] = (),
    loose: tuple[tuple[float, float, float, str], ...] = (),
    drawn: str = "",
    roles: dict[str, str] | None = None,
    language: str = "",
) -> None:
    """Write one page of 612 by 792 points.

    Args:
        path: the file.
        tags: elements in the order of the tree; what they hold is drawn in that order.
        artifacts: text marked as an artifact.
        loose: text that nothing marks.
        drawn: drawing that nothing marks, behind the text.
        roles: the role map.
        language: of the catalog.
    """
    pdf = pikepdf.new()
    font = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    )
    heavy = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name("/Helvetica-Bold"))
    )
    even = pdf.make_indirect(
        pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Courier)
    )
    page = pdf.add_blank_page(page_size=(612, 792))
    page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font, F2=heavy, F3=even))
    root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
    stream: list[str] = [drawn] if drawn else []
    parents: list[Any] = []

    def element(tag: Tag, parent: Any) -> Any:
        entry = pdf.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name("/" + tag.type), P=parent, Pg=page.obj)
        )
        kids: list[Any] = []
        for text in [*tag.texts, *([None] if tag.drawing else [])]:
            mark = len(parents)
            stream.append(f"/{tag.type.replace(' ', '#20')} <</MCID {mark}>> BDC")
            stream.append(_show(text, "F2" if tag.bold else "F3" if tag.mono else "F1") if text else tag.drawing)
            stream.append("EMC")
            parents.append(entry)
            kids.append(mark)
        kids += [element(kid, entry) for kid in tag.kids]
        entry.K = pikepdf.Array(kids)
        for key, value in tag.more.items():
            entry["/" + key] = value
        return entry

    document = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name.Document, P=root))
    document.K = pikepdf.Array([element(tag, document) for tag in tags])
    stream += [f"/Artifact BMC\n{_show(text)}\nEMC" for text in artifacts]
    stream += [_show(text) for text in loose]
    root.K = document
    root.RoleMap = pikepdf.Dictionary({f"/{key}": pikepdf.Name("/" + value) for key, value in (roles or {}).items()})
    root.ParentTree = pikepdf.Dictionary(Nums=pikepdf.Array([0, pikepdf.Array(parents)]))
    page.StructParents = 0
    page.Contents = pdf.make_stream("\n".join(stream).encode("latin-1"))
    pdf.Root.StructTreeRoot = root
    pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    if language:
        pdf.Root.Lang = pikepdf.String(language)
    pdf.save(path)


def _show(text: tuple[float, float, float, str], font: str = "F1") -> str:
    x, y, size, words = text
    return f"BT /{font} {size} Tf {x} {y} Td ({words}) Tj ET"
