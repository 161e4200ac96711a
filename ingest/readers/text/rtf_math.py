"""Formulas of rich text as TeX: its groups have the names of Office's formulas, which the converter of DOCX reads."""

from __future__ import annotations

import re

from lxml import etree

_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"
_TOKEN = re.compile(
    r"\{(?:\\\*)?\s*\\m(?P<name>[A-Za-z]+)\d*(?:-?\d+)? ?|\\u(?P<unicode>-?\d+) ?(?:\\'[0-9a-fA-F]{2}|[^\\{}])?"
    r"|\\'(?P<code>[0-9a-fA-F]{2})|\\(?P<escaped>[\\{}])|\\(?P<word>[a-zA-Z]+)-?\d* ?|(?P<brace>[{}])|[\r\n]+"
    r"|(?P<text>[^\\{}\r\n]+)|\\.",
    re.DOTALL,
)
_DROPPED = frozenset({"ctrlPr", "mathPict", "mathPr"})
_TEXT = frozenset({"r", "t"})


def tex_of(source: str, charset: str) -> str:
    """Return the formulas in a group of rich text as TeX; their letters if they cannot be converted."""
    root = _tree(source, charset)
    found = list(root.iter(f"{{{_MATH}}}oMath")) or [root]
    return " ".join(filter(None, map(_tex, found)))


def _tex(formula: etree._Element) -> str:
    from docling.backend.docx.latex.omml import oMath2Latex

    try:
        return str(oMath2Latex(formula)).strip()
    except Exception:  # the converter has no error class of its own
        return " ".join("".join(map(str, formula.itertext())).split())


def _tree(source: str, charset: str) -> etree._Element:
    """Return the groups of a formula as elements of Office's formulas; words of formats are left out."""
    root = at = etree.Element(f"{{{_MATH}}}oMathPara")
    around: list[etree._Element] = []
    for found in _TOKEN.finditer(source):
        name, text = found["name"], ""
        if name is not None:
            around.append(at)
            at = etree.SubElement(at, f"{{{_MATH}}}{name[0].lower() if name.startswith('S') else name[0]}{name[1:]}")
        elif found["brace"] == "{":
            around.append(at)
        elif found["brace"]:
            at = around.pop() if around else root
        elif found["unicode"]:
            text = chr(int(found["unicode"]) % 0x10000)
        elif found["code"]:
            text = bytes.fromhex(found["code"]).decode(charset, "replace")
        else:
            text = found["escaped"] or found["text"] or ""
        if text:
            _write(at, text)
    for gone in [one for one in root.iter() if etree.QName(one).localname in _DROPPED]:
        if (parent := gone.getparent()) is not None:
            parent.remove(gone)
    return root


def _write(at: etree._Element, text: str) -> None:
    """Write text into a run, or as the value of a property."""
    name = etree.QName(at).localname
    if name in _TEXT:
        held = at.find(f"{{{_MATH}}}t")
        held = etree.SubElement(at, f"{{{_MATH}}}t") if held is None else held
        held.text = (held.text or "") + text
    elif (around := at.getparent()) is not None and etree.QName(around).localname.endswith("Pr"):
        at.set(f"{{{_MATH}}}val", (at.get(f"{{{_MATH}}}val") or "") + text.strip())
