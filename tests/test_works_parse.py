"""Entries of bibliographies taken apart by their text, in the main styles, and the forms they are compared in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragraph.works.fields import Fields, clean_arxiv, clean_doi, clean_isbn, keys, surname
from ragraph.works.parse import parse_entry
from ragraph.works.update import document_fields, entry_fields

TEA = {
    "authors": ["Smith", "Jones"],
    "year": 2010,
    "title": "Effects of tea on sleep",
    "container": "J Sleep Res",
    "volume": "12",
    "pages": "45-67",
}
BOOK = {
    "authors": ["Smith"],
    "year": 1998,
    "title": "Rivers of Europe",
    "container": None,
    "volume": None,
    "pages": None,
}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Smith AB, Jones C. Effects of tea on sleep. J Sleep Res. 2010;12(3):45-67.", TEA),
        ("[12] Smith AB, Jones C: Effects of tea on sleep. J Sleep Res 2010, 12:45–67.", TEA),
        ("3. Smith AB, Jones C, et al. (2010) Effects of tea on sleep. J Sleep Res 12: 45–67.", TEA),
        ("Smith, A. B., & Jones, C. (2010). Effects of tea on sleep. *J Sleep Res*, *12*(3), 45–67.", TEA),
        ("A. B. Smith and C. Jones, “Effects of tea on sleep,” *J Sleep Res*, vol. 12, no. 3, pp. 45–67, 2010.", TEA),
        ("Smith, A.B. and Jones, C., 2010. Effects of tea on sleep. J Sleep Res, 12(3), pp.45-67.", TEA),
        ('Smith, Anna, and Carl Jones. 2010. "Effects of Tea on Sleep." *J Sleep Res* 12 (3): 45–67.', TEA),
        ("Smith AB, Jones C. Effects of tea on sleep. J Sleep Res. 2010 Mar 3;12(3):45-67. PMID: 1234567.", TEA),
        ("Smith A. Rivers of Europe. London: Longman; 1998.", BOOK),
        ("Smith, A. (1998). *Rivers of Europe*. London: Longman.", BOOK),
    ],
)
def test_the_main_styles(text: str, said: dict[str, Any]) -> None:
    found = parse_entry(text)
    assert [author.split(",")[0] for author in found.authors] == said["authors"]
    assert not any(author.endswith("B.") and "A." not in author for author in found.authors)
    assert (found.title or "").casefold() == said["title"].casefold()
    for name in ("year", "container", "volume", "pages"):
        assert getattr(found, name) == said[name], name


def test_commas_and_digits_of_arabic() -> None:
    for text in (
        "كوهين، أ. (2001). تاريخ الأنهار الطويلة. مجلة المياه، 12(3)، 45-67.",
        "كوهين، أ. (٢٠٠١). تاريخ الأنهار الطويلة. مجلة المياه، ١٢(٣)، ٤٥-٦٧.",
    ):
        found = parse_entry(text)
        assert (found.authors, found.year, found.title) == (("كوهين, أ",), 2001, "تاريخ الأنهار الطويلة")
        assert (found.container, found.volume, found.issue, found.pages) == ("مجلة المياه", "12", "3", "45-67")


def test_identifiers_are_found_in_text_and_links() -> None:
    found = parse_entry(
        "Kim D. On maps. Preprint arXiv:2101.00001v2, ISBN 0-306-40615-2. "
        "doi: [10.1000/ABC(1)](https://doi.org/10.1000/ABC(1)) PMID: 0123 PMC99887. https://example.org/maps."
    )
    assert (found.doi, found.pmcid, found.arxiv) == ("10.1000/abc(1)", "pmc99887", "2101.00001")
    assert (found.isbn, found.url, found.pmid) == ("9780306406157", "https://example.org/maps", "123")


def test_a_group_is_an_author_and_a_title_may_have_two_sentences() -> None:
    found = parse_entry("The Tea Study Group. Tea in adults. A randomised trial. Lancet. 2001;5:1-9.")
    assert found.authors == ("The Tea Study Group",)
    assert (found.title, found.container) == ("Tea in adults. A randomised trial", "Lancet")


@given(st.text(max_size=400))
def test_no_text_is_too_odd(text: str) -> None:
    found = parse_entry(text)
    assert Fields.of(found.to_json()) == found
    assert len(set(keys(found))) == len(keys(found))


def test_what_the_format_states_comes_before_the_text() -> None:
    entry = {"title": "On brooks", "authors": ["Rill, C"], "year": "2001a", "container": "J Water", "pages": "10–12"}
    found = entry_fields("Something else. 1999. doi:10.5555/text", {"entry": entry, "ids": {"medline": "00123"}})
    assert (found.title, found.year, found.pages, found.pmid, found.doi) == (
        "On brooks",
        2001,
        "10-12",
        "123",
        "10.5555/text",
    )


def test_a_document_is_a_work_by_its_publication() -> None:
    stated = {"authors": "Anna B. Smith, Carl van den Berg", "year": 2010, "uri": "https://doi.org/10.1000/X"}
    found = document_fields("Effects of tea on sleep", stated)
    assert found.authors == ("Smith, Anna B.", "Berg, Carl van den")
    entry = parse_entry("Smith AB, van den Berg C. Effects of tea on sleep. 2010.")
    assert set(keys(found)) & set(keys(entry)) == {"title:smith:2010:effectsofteaonsleep"}
    assert found.doi == "10.1000/x"


def test_forms_that_are_compared() -> None:
    assert surname("van den Berg, C") == surname("Berg, C. van den") == "berg"
    assert surname("Müller Jr, K") == "muller"
    assert clean_doi("https://doi.org/10.1000/abc).") == "10.1000/abc"
    assert clean_doi("none") is None
    assert clean_isbn("978-0-306-40615-7") == clean_isbn("0306406152")
    assert clean_isbn("0306406153") is None
    assert clean_arxiv("hep-th/9901001v3") == "hep-th/9901001"
    journal = {"authors": ["A, B"], "year": 2001, "volume": "5", "pages": "10-12"}
    shared = [
        set(keys(Fields.of({**journal, "container": name}))) for name in ("J Med Virol", "Journal of Medical Virology")
    ]
    assert shared[0] == shared[1] == {"place:a:2001:5:10", "place:jmv:2001:5:10"}


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Иванов И. И., Петров П. П. О сне // Сон. 2010. Т. 12, № 3. С. 45–67.", ["Иванов, И. И.", "Петров, П. П."]),
        ("Иванов И.И. О сне / И. И. Иванов // Сон. – 2010. – Т. 12. – № 3. – С. 45-67.", ["Иванов, И.И."]),
        ("田中太郎, 鈴木花子. 睡眠の研究について. 睡眠研究. 2010, vol. 12, no. 3, p. 45-67.", ["田中太郎", "鈴木花子"]),
        ("田中太郎（2010）「睡眠の研究について」『睡眠研究』第12巻第3号, 45-67頁.", ["田中太郎"]),
        ("王伟,李明.睡眠の研究について[J].睡眠研究,2010,12(3):45-67.", ["王伟", "李明"]),
    ],
)
def test_styles_of_other_scripts(text: str, authors: list[str]) -> None:
    found = parse_entry(text)
    assert found.authors == tuple(authors)
    assert (found.year, found.volume, found.issue, found.pages) == (2010, "12", "3", "45-67")
    assert (found.title, found.container) in {("О сне", "Сон"), ("睡眠の研究について", "睡眠研究")}
