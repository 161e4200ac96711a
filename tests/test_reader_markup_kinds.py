"""Markdown of wikis and editors, boxes, powers; LaTeX with included files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docling.datamodel.backend_options import LatexBackendOptions
from office_files import check_draft, node, read, texts

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft


def _read(path: Path, text: str) -> Draft:
    path.write_text(text, encoding="utf-8")
    draft = read(path)
    check_draft(draft)
    return draft


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("See [[Old Mill]] now.", "See [Old Mill](Old%20Mill) now."),
        ("See [[Mill#Wheel|the wheel]].", "See [the wheel](Mill#Wheel)."),
        ("A ==marked word== here, a == b.", "A marked word here, a == b."),
        ("About 10<sup>6</sup> and 10^-3^ grains.", "About 10⁶ and 10⁻³ grains."),
        ("Code `[[x]] ==y==` stays.", "Code `[[x]] ==y==` stays."),
        ("Notes [[1]] stay.", "Notes [[1]] stay."),
    ],
)
def test_notations_of_wikis_and_editors(tmp_path: Path, source: str, text: str) -> None:
    assert texts(_read(tmp_path / "a.md", source), "PARAGRAPH") == [text]


def test_a_bar_in_code_is_no_end_of_a_cell(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.md", "| Key | Use |\n| --- | --- |\n| `x | y` | pipe |\n| plain | text |\n")
    assert node(draft, "pipe").data["cells"] == [["Key", "Use"], ["x | y", "pipe"], ["plain", "text"]]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ('!!! warning "Hot"\n    Do not touch.\n', "Hot"),
        ("> [!NOTE]\n> Do not touch.\n", "Note"),
        ("::: tip\nDo not touch.\n:::\n", "Tip"),
        ("::: {.callout-important}\nDo not touch.\n:::\n", "Callout-important"),
    ],
)
def test_boxes_of_markdown(tmp_path: Path, source: str, title: str) -> None:
    draft = _read(tmp_path / "a.md", f"Before.\n\n{source}\nAfter.\n")
    box = node(draft, "Do not touch.")
    (container,) = [one for one in draft.containers if one.key == box.container]
    assert (container.type, container.title) == ("TEXT_BOX", title)
    assert node(draft, "Before.").container is None
    assert node(draft, "After.").container is None


def test_containers_without_such_a_name_are_text(tmp_path: Path) -> None:
    draft = _read(tmp_path / "a.md", "::: columns\nIn a column.\n:::\n\n> Quoted.\n")
    assert node(draft, "In a column.").container is None
    assert node(draft, "Quoted.").type == "BLOCK_QUOTATION"


def test_latex_that_takes_long_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # docling's own time limit, of 30 seconds, returns the source as one paragraph
    monkeypatch.setattr(LatexBackendOptions.model_fields["parse_timeout"], "default", 0.0)
    LatexBackendOptions.model_rebuild(force=True)
    try:
        body = "\\section{Tides}They turn." + "\n\nTwice." * 500
        draft = _read(tmp_path / "a.tex", f"\\begin{{document}}{body}\\end{{document}}")
    finally:
        monkeypatch.undo()
        LatexBackendOptions.model_rebuild(force=True)
    assert (texts(draft, "HEADING"), texts(draft, "PARAGRAPH")[:2]) == (["Tides"], ["They turn.", "Twice."])


def test_what_is_behind_a_latex_macro_with_an_optional_argument_is_text(tmp_path: Path) -> None:
    draft = _read(
        tmp_path / "a.tex",
        "\\documentclass{article}\n\\newcommand{\\fig}[2][{\\small 3cm}]{(figure #2)}\n"
        "\\newcommand\\why[1][no reason]{given #1}\n\\begin{document}\n"
        "Rain \\fig{7}\n\n{\\small Wind and sun.}\n\nSnow \\fig[2cm]{8} fell, \\why\\ or \\why[cold], twice.\n"
        "\\begin{verbatim}\n\\fig{9}\n\\end{verbatim}\n\\end{document}",
    )
    assert [" ".join(one.text.split()) for one in draft.nodes] == [
        "Rain (figure 7)",
        "Wind and sun.",
        "Snow (figure 8) fell, given no reason or given cold, twice.",
        "\\fig{9}",
    ]


def test_latex_reads_the_files_it_includes(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_text("\\section{Ash}\\label{s}\nAsh burns well. \\input{parts/two}\n")
    (tmp_path / "parts" / "two.tex").write_text("\\documentclass{article}\\begin{document}So does oak.\\end{document}")
    (tmp_path.parent / "outside.tex").write_text("Secret.")
    draft = _read(
        tmp_path / "a.tex",
        "\\documentclass{article}\\begin{document}Start, see \\ref{s}.\n\\include{parts/one}\n% \\input{gone}\n"
        "\\input{../outside}\\input{missing}\nEnd.\\end{document}",
    )
    words = " ".join(one.text for one in draft.nodes)
    for said in ("Ash burns well.", "So does oak.", "End."):
        assert said in words
    assert "Secret" not in words
    assert [warning.split()[2] for warning in draft.warnings] == ["../outside", "missing"]


@pytest.mark.parametrize(
    "marks", [">" * 1000, "> " * 1000, "- " * 500, "1. " * 500], ids=["tight", "wide", "items", "numbers"]
)
def test_text_of_quotes_and_lists_that_are_too_deep_is_read(tmp_path: Path, marks: str) -> None:
    draft = _read(tmp_path / "deep.md", f"{marks} the word within\n")
    assert [found.text for found in draft.nodes] == ["the word within"]


def _body(tmp_path: Path, head: str, body: str) -> list[tuple[str, str]]:
    source = f"\\documentclass{{article}}\n{head}\\begin{{document}}\n{body}\n\\end{{document}}"
    draft = _read(tmp_path / "a.tex", source)
    return [(one.type.value, " ".join(one.text.split())) for one in draft.nodes]


def test_widths_and_other_settings_of_latex_boxes_are_no_text(tmp_path: Path) -> None:
    body = (
        "\\begin{minipage}[t]{0.5\\textwidth} Oak \\parbox[c][5cm]{3cm}{and \\fbox{ash}}\\end{minipage}\n\n"
        "\\resizebox{\\textwidth}{!}{\\begin{tabular}{ll} a & b \\\\ c & d \\end{tabular}}\n\n"
        "\\makebox[3cm]{Elm} \\raisebox{2pt}[1pt]{burns} \\rotatebox[origin=c]{90}{well}.\n\n"
        "\\begin{multicols}{2}Columns.\\end{multicols}\n\n"
        "\\begin{tcolorbox}[colback=red, title={Of wood}]Dry it.\\end{tcolorbox}"
    )
    assert _body(tmp_path, "", body) == [
        ("PARAGRAPH", "Oak and ash"),
        ("TABLE", "a | b c | d"),
        ("PARAGRAPH", "Elm burns well."),
        ("PARAGRAPH", "Columns."),
        ("PARAGRAPH", "**Of wood**"),
        ("PARAGRAPH", "Dry it."),
    ]


def test_latex_quantities_keep_their_units_and_signs_are_printed(tmp_path: Path) -> None:
    head = "\\newcommand{\\kg}[1]{\\SI{#1}{\\kilogram}}\\newcommand{\\span}[2]{pages #1--#2}\n"
    body = (
        "\\SI{5}{\\kilo\\metre\\per\\hour} or \\qty{3}{\\m\\per\\s\\squared}, \\kg{7}, \\SI{20}{\\degreeCelsius}, "
        "\\ang{90}, \\SI{4}{\\percent}, \\si{\\cubic\\metre}, \\SIrange{1}{5}{\\mm}, \\span{3}{9}, \\S 5\\dots{}"
    )
    said = "5 km h⁻¹ or 3 m s⁻², 7 kg, 20 °C, 90°, 4 %, m³, 1 mm to 5 mm, pages 3–9, §5…"
    assert _body(tmp_path, head, body) == [("PARAGRAPH", said)]


def test_latex_theorems_and_listings_have_their_names(tmp_path: Path) -> None:
    body = (
        "\\begin{hyp}[Weir] Water falls. \\end{hyp}\\begin{lemma}It flows.\\end{lemma}\\begin{proof}Seen.\\end{proof}"
        "\\begin{lstlisting}[language=C, caption={Main, here}, label=l]\nint x;\n\\end{lstlisting}"
    )
    assert _body(tmp_path, "\\newtheorem{hyp}{Hypothesis}[section]\n", body) == [
        ("PARAGRAPH", "**Hypothesis** (Weir). Water falls."),
        ("PARAGRAPH", "**Lemma**. It flows."),
        ("PARAGRAPH", "*Proof.* Seen."),
        ("CAPTION", "Main, here"),
        ("CODE", "int x;"),
    ]


def test_a_printed_ampersand_begins_no_cell_of_a_latex_table(tmp_path: Path) -> None:
    body = (
        "R\\&D, \\href{https://example.org/?a\\&b}{here}.\n\n"
        "\\begin{tabular}{ll} Pond \\& weir & a \\\\& $x$ \\\\ \\textbf{R \\& D} & b \\end{tabular}"
    )
    assert _body(tmp_path, "", body) == [
        ("PARAGRAPH", "R&D, [here](https://example.org/?a&b)."),
        ("TABLE", "Pond & weir | a | x R & D | b"),
    ]
