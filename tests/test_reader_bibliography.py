"""Bibliographies beside LaTeX and Markdown: what they state of entries, and what works make of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command_line import CommandLine

import ragraph
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.html.reader import HtmlReader
from ragraph.ingest.readers.text.bibliography import bibtex, csl
from ragraph.ingest.readers.text.latex import LatexReader
from ragraph.ingest.readers.text.markdown import MarkdownReader

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft, DraftNode

BIB = r"""
% what is no entry
@comment{nothing, title = {No}}
@string{jsr = "Journal of Sleep Research"}
@Article{smith2010,
  author  = {Smith, Anna B. and M{\"u}ller, J{\"o}rg and {World Health Organization} and others},
  title   = "Effects of {Tea} on {\"o}ffentlichen Schlaf",
  journal = jsr # { (Suppl)},
  year = 2010, volume = {12}, number = 3, pages = {45--67},
  doi = {10.1000/TEA.1},
}
@inproceedings(lee, author={Jane van der Lee}, title={Counting cups}, booktitle={Proc. Tea}, date={2015-04-01},
  eprint={1504.00001}, archivePrefix={arXiv})
@book{unused, author="Nobody", title={Unused}}
@article{broken, title={never closed
"""
TEX = r"""\documentclass{article}
\title{Drinks}
\begin{document}
Tea keeps awake \cite{smith2010}, as \cite{lee} counted.
% \bibliography{no}
\bibliography{refs}
\end{document}
"""
SMITH = {
    "entry": {
        "authors": ["Smith, Anna B.", "Müller, Jörg", "World Health Organization"],
        "year": "2010",
        "title": "Effects of Tea on öffentlichen Schlaf",
        "container": "Journal of Sleep Research (Suppl)",
        "volume": "12",
        "issue": "3",
        "pages": "45-67",
    },
    "ids": {"doi": "10.1000/TEA.1"},
}
PARTS = r"""
@incollection{smith, author={Smith, A}, title={Of rivers}, pages={1--9}, crossref={handbook}}
@book{handbook, editor={Lee, B}, title={Handbook of water}, publisher={Water Press}, year={2010}}
@article{kim, author={Kim, C}, title={Of lakes}, journal=jw, volume={3}, pages={4}, year={2011}}
"""


def test_parts_of_books_and_abbreviations_of_another_file(tmp_path: Path) -> None:
    """As ``\\bibliography{strings,refs}`` names both."""
    (tmp_path / "strings.bib").write_text('@string{jw = "Journal of Water"}')
    (tmp_path / "refs.bib").write_text(PARTS)
    text = TEX.replace("smith2010", "smith,kim,handbook").replace("{refs}", "{strings,refs}")
    (tmp_path / "a.tex").write_text(text)
    draft = LatexReader().read(tmp_path / "a.tex", ReadOptions())
    said = {node.marker: node.data["entry"] for node in draft.nodes if node.marker and "entry" in node.data}
    assert (said["[smith]"]["container"], said["[smith]"]["year"]) == ("Handbook of water", "2010")
    assert said["[smith]"]["authors"] == ["Smith, A"]
    assert said["[kim]"]["container"] == "Journal of Water"
    (book,) = [node.text for node in draft.nodes if node.marker == "[handbook]"]
    assert book == "Lee, B (2010). Handbook of water. Water Press."


CSL = [
    {
        "id": "smith2010",
        "author": [{"family": "Smith", "given": "Anna B."}, {"literal": "World Health Organization"}],
        "title": "Effects of tea",
        "container-title": ["Journal of Sleep Research"],
        "issued": {"date-parts": [[2010, 5]]},
        "volume": 12,
        "page": "45-67",
        "DOI": "10.1000/TEA.1",
    }
]


def entries(draft: Draft) -> list[DraftNode]:
    return [node for node in draft.nodes if node.type == "BIBLIOGRAPHIC_ENTRY"]


def latex(folder: Path, source: str) -> Draft:
    (folder / "a.tex").write_text(source)
    return LatexReader().read(folder / "a.tex", ReadOptions())


def markdown(folder: Path, source: str) -> Draft:
    (folder / "a.md").write_text(source)
    return MarkdownReader().read(folder / "a.md", ReadOptions())


def test_bibtex_is_taken_apart() -> None:
    found = bibtex(BIB)
    assert list(found) == ["smith2010", "lee", "unused", "broken"]
    assert found["smith2010"] == SMITH
    assert found["lee"] == {
        "entry": {
            "authors": ["van der Lee, Jane"],
            "year": "2015",
            "title": "Counting cups",
            "container": "Proc. Tea",
        },
        "ids": {"arxiv": "1504.00001"},
    }


@pytest.mark.parametrize(
    "source", ["", "@", "@article", "@article{", "@article{x", "@article{x,", "@article{x, a=", "}"]
)
def test_what_is_no_bibtex_states_nothing(source: str) -> None:
    assert all(stated == {} for stated in bibtex(source).values())


@pytest.mark.parametrize("items", [None, {}, [1, "x", {}], [{"id": None}]])
def test_what_is_no_csl_states_nothing(items: object) -> None:
    assert csl(items) == {}


def test_latex_gets_the_entries_that_it_cites(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    draft = latex(tmp_path, TEX)
    smith, lee = entries(draft)
    assert (smith.anchors, smith.data) == (["smith2010"], SMITH)
    assert smith.text == (
        "Smith, Anna B.; Müller, Jörg; World Health Organization (2010). Effects of Tea on öffentlichen Schlaf."
        " Journal of Sleep Research (Suppl), 12(3), 45-67. https://doi.org/10.1000/TEA.1"
    )
    assert lee.anchors == ["lee"]
    assert {relation.anchor for relation in draft.relations} == {"smith2010", "lee"}
    assert draft.warnings == []
    everything = latex(tmp_path, TEX.replace(r"\bibliography", "\\nocite{*}\n\\bibliography"))
    assert [entry.anchors for entry in entries(everything)] == [["smith2010"], ["lee"], ["unused"], ["broken"]]


def test_what_bibtex_made_stands_in_its_place_and_keeps_what_is_stated(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    (tmp_path / "a.bbl").write_text(
        "\\begin{thebibliography}{9}\n\\bibitem{smith2010} A. Smith. Effects of tea. 2010.\n\\end{thebibliography}\n"
    )
    (smith,) = entries(latex(tmp_path, TEX))
    assert (smith.text, smith.data["entry"]) == ("A. Smith. Effects of tea. 2010.", SMITH["entry"])
    inside = TEX.replace(
        r"\bibliography{refs}", "\n\\begin{thebibliography}{9}\n\\bibitem{lee} Lee. Cups.\n\\end{thebibliography}"
    )
    (lee,) = entries(latex(tmp_path, inside))
    assert "entry" not in lee.data


def test_a_bibliography_that_is_not_there_or_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    (tmp_path / "inner" / "deep.json").write_text("[" * 100_000)
    (tmp_path / "inner" / "wrong.json").write_bytes(b"{\xff")
    for name in ("../refs", "missing", str(tmp_path / "refs.bib"), "deep.json", "wrong.json"):
        draft = latex(tmp_path / "inner", TEX.replace("{refs}", "{" + name + "}"))
        assert entries(draft) == []
        assert draft.warnings == [f"the bibliography {name} was not read"]


@pytest.mark.parametrize("form", ["json", "bib", "yaml", "inline"])
def test_markdown_gets_the_entries_that_it_cites(tmp_path: Path, form: str) -> None:
    text = {"bib": BIB}.get(form, json.dumps(CSL if form == "json" else {"references": CSL}))
    (tmp_path / f"refs.{form}").write_text(text, encoding="utf-8")
    said = f"references: {json.dumps(CSL)}" if form == "inline" else f"bibliography: refs.{form}"
    draft = markdown(tmp_path, f"---\ntitle: Drinks\n{said}\n---\n\n# Drinks\n\nTea [@smith2010, p. 3].\n\n# Sources\n")
    (smith,) = entries(draft)
    assert draft.nodes[-2].text == "Sources"
    assert (smith.data["entry"]["year"], smith.data["ids"]) == ("2010", {"doi": "10.1000/TEA.1"})
    assert smith.data["entry"]["authors"][0] == "Smith, Anna B."
    (relation,) = draft.relations
    assert relation.anchor in smith.anchors


COINS = (
    "ctx_ver=Z39.88-2004&amp;rft.genre=article&amp;rft.jtitle=Journal+of+Sleep+Research&amp;rft.atitle=Effects+of+tea"
    "&amp;rft.volume=12&amp;rft.issue=3&amp;rft.pages=45-67&amp;rft.date=2010-05&amp;rft.aulast=Smith&amp;rft.aufirst=Anna+B."
    "&amp;rft.au=Smith%2C+Anna+B.&amp;rft.au=M%C3%BCller%2C+J.&amp;rft_id=info%3Adoi%2F10.1000%2Ftea.1&amp;rft_id=http%3A%2F%2Fx.org"
)


def test_pages_state_entries_by_spans(tmp_path: Path) -> None:
    span = f'<span title="{COINS}" class="Z3988"></span>'
    items = [
        f'<li id="r1"><cite>Smith AB, Tea.</cite>{span}</li>',
        '<li id="r2">Lee J. Cups. 2015.</li>',
        f'<li id="r3">Two: A.{span} B.{span}</li>',
        '<li id="r4">Odd. 2011.<span title="%%%&rft.x" class="Z3988"></span></li>',
    ]
    body = f'<p>Tea<a href="#r1">[1]</a>.</p><h2>References</h2><ol class="references">{"".join(items)}</ol>'
    (tmp_path / "a.html").write_text(f"<html><head><title>T</title></head><body><h1>T</h1>{body}</body></html>")
    found = entries(HtmlReader().read(tmp_path / "a.html", ReadOptions()))
    assert [entry.text for entry in found] == ["*Smith AB, Tea.*", "Lee J. Cups. 2015.", "Two: A. B.", "Odd. 2011."]
    assert found[0].data["entry"] == {
        "authors": ["Smith, Anna B.", "Müller, J."],
        "year": "2010",
        "title": "Effects of tea",
        "container": "Journal of Sleep Research",
        "volume": "12",
        "issue": "3",
        "pages": "45-67",
    }
    assert found[0].data["ids"] == {"doi": "10.1000/tea.1"}
    assert not any(entry.data.keys() & {"entry", "ids"} for entry in found[1:])


def test_works_take_what_a_bibliography_states(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "refs.bib").write_text(BIB, encoding="utf-8")
    (tmp_path / "a.tex").write_text(TEX)
    (tmp_path / "refs.json").write_text(json.dumps(CSL))
    (tmp_path / "b.md").write_text("---\nbibliography: refs.json\n---\n\n# Cups\n\nTea [@smith2010].\n")
    with ragraph.open(database_url) as store:
        report = store.ingest([tmp_path / "a.tex", tmp_path / "b.md"], model=None)
        assert [file.reason for file in report.files] == [None, None]
        (work,) = store.works("10.1000/tea.1")
        assert (work.documents, work.entries, work.volume, work.year) == (2, 2, "12", 2010)
        assert (work.authors[0], work.pages) == ("Smith, Anna B.", "45-67")
        lee = next(item for item in store.works() if item.arxiv == "1504.00001")
        assert (lee.title, lee.authors, lee.container) == ("Counting cups", ["van der Lee, Jane"], "Proc. Tea")
        assert [found.rule for found in store.check()] == []
        ids = {item.title: item.id for item in store.documents()}
        assert [entry.stated for entry in store.cited_by(ids["Drinks"])] == [True, True]
        added = {
            "id": "dl_plain",
            "nodes": [{"key": "r", "type": "BIBLIOGRAPHIC_ENTRY", "text": "Lee J. Cups. Tea. 2015;1:2-3."}],
        }
        store.add_many([added], model=None)
        assert [entry.stated for entry in store.cited_by("dl_plain")] == [False]
        cli = CommandLine(store.database.url, monkeypatch, capsys)
        assert cli("cited-by", ids["Drinks"]).out.count("as stated") == 2
        assert "read from the text" in cli("cited-by", "dl_plain").out
