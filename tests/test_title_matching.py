"""The table of titles: what matches which line, and what must not match."""

from __future__ import annotations

import re

import pytest

from ragraph.base.languages import ts_config
from ragraph.ingest.common.title_matching import match_title, plain_title
from ragraph.ingest.common.titles import PATTERNS

TITLES = [
    ("References", "BIBLIOGRAPHY"),
    ("7. REFERENCES", "BIBLIOGRAPHY"),
    ("**References and Notes:**", "BIBLIOGRAPHY"),
    ("B.5 References", "BIBLIOGRAPHY"),
    ("VII. Works Cited", "BIBLIOGRAPHY"),
    ("Literaturverzeichnis", "BIBLIOGRAPHY"),
    ("Références bibliographiques", "BIBLIOGRAPHY"),
    ("Bibliografía", "BIBLIOGRAPHY"),
    ("Referências", "BIBLIOGRAPHY"),
    ("Riferimenti bibliografici", "BIBLIOGRAPHY"),
    ("Literatuurlijst", "BIBLIOGRAPHY"),
    ("参考文献", "BIBLIOGRAPHY"),
    ("Abstract", "ABSTRACT"),
    ("ABSTRACT.", "ABSTRACT"),
    ("Zusammenfassung", "ABSTRACT"),
    ("Resumo", "ABSTRACT"),
    ("Executive Summary", "EXECUTIVE_SUMMARY"),
    ("Resumen ejecutivo", "EXECUTIVE_SUMMARY"),
    ("Table of Contents", "TABLE_OF_CONTENTS"),
    ("Contents", "TABLE_OF_CONTENTS"),
    ("Inhaltsverzeichnis", "TABLE_OF_CONTENTS"),
    ("Table des matières", "TABLE_OF_CONTENTS"),
    ("List of Figures", "LIST_OF_FIGURES"),
    ("List of Tables", "LIST_OF_TABLES"),
    ("Boxes", "LIST_OF_BOXES"),
    ("Foreword", "FOREWORD"),
    ("Foreword to the Second Edition", "FOREWORD"),
    ("Preface", "PREFACE"),
    ("Vorwort", "PREFACE"),
    ("Dedication", "DEDICATION"),
    ("Acknowledgments", "ACKNOWLEDGEMENTS"),
    ("Acknowledgements", "ACKNOWLEDGEMENTS"),
    ("Remerciements", "ACKNOWLEDGEMENTS"),
    ("1 Introduction", "INTRODUCTION"),
    ("I. INTRODUCTION", "INTRODUCTION"),
    ("Introduction: The Long Road", "INTRODUCTION"),
    ("Einleitung", "INTRODUCTION"),
    ("5.\u2003Conclusions and Future Work", "CONCLUSION"),
    ("Concluding Remarks", "CONCLUSION"),
    ("Chapter 3", "CHAPTER"),
    ("CHAPTER IV: Of Money", "CHAPTER"),
    ("Chapter 9: Conclusion", "CHAPTER"),
    ("Chapter One The Start", "CHAPTER"),
    ("Kapitel 2 – Grundlagen", "CHAPTER"),
    ("Capítulo 1. Introducción", "CHAPTER"),
    ("Part II", "PART"),
    ("PART A: Law", "PART"),
    ("Book I", "PART"),
    ("Teil 1", "PART"),
    ("Appendix A", "APPENDIX"),
    ("Appendix A Proofs", "APPENDIX"),
    ("Annex 2: Data", "APPENDIX"),
    ("Appendices", "APPENDIX"),
    ("Anexo", "APPENDIX"),
    ("Notes", "NOTES_SECTION"),
    ("Endnotes", "NOTES_SECTION"),
    ("Anmerkungen", "NOTES_SECTION"),
    ("Index", "INDEX"),
    ("Subject Index", "INDEX"),
    ("Sachregister", "INDEX"),
    ("Epilogue", "EPILOGUE"),
    ("Copyright", "COPYRIGHT_PAGE"),
    ("Author Contributions", "SECTION"),
    ("Competing interests", "SECTION"),
    ("Glossary", "SECTION"),
    # the languages without spaces or with other letters, and Polish
    ("Rozdział 4. Metody", "CHAPTER"),
    ("Глава 3. Введение", "CHAPTER"),
    ("第三章 系统", "CHAPTER"),
    ("第３章　概要", "CHAPTER"),
    ("제3장 서론", "CHAPTER"),
    ("الفصل الثالث: النتائج", "CHAPTER"),
    ("פרק ב: שיטות", "CHAPTER"),
    ("第一部分 总则", "PART"),
    ("제2부 방법", "PART"),
    ("Primeira parte", "PART"),
    ("Часть 2", "PART"),
    ("目 录", "TABLE_OF_CONTENTS"),
    ("目次", "TABLE_OF_CONTENTS"),
    ("목차", "TABLE_OF_CONTENTS"),
    ("المحتويات", "TABLE_OF_CONTENTS"),
    ("תוכן העניינים", "TABLE_OF_CONTENTS"),
    ("Spis treści", "TABLE_OF_CONTENTS"),
    ("1、引言", "INTRODUCTION"),
    ("はじめに", "INTRODUCTION"),
    ("서론", "INTRODUCTION"),
    ("Wstęp", "INTRODUCTION"),
    ("مقدمة", "INTRODUCTION"),
    ("מבוא", "INTRODUCTION"),
    ("（一）结论", "CONCLUSION"),
    ("結論", "CONCLUSION"),
    ("参考文献", "BIBLIOGRAPHY"),
    ("참고 문헌", "BIBLIOGRAPHY"),
    ("المراجع", "BIBLIOGRAPHY"),
    ("ביבליוגרפיה", "BIBLIOGRAPHY"),
    ("Piśmiennictwo", "BIBLIOGRAPHY"),
    ("Список использованной литературы", "BIBLIOGRAPHY"),
    ("付録A", "APPENDIX"),
    ("Załącznik 2", "APPENDIX"),
    ("Приложение А", "APPENDIX"),
    ("الملحق 1", "APPENDIX"),
    ("索引", "INDEX"),
    ("색인", "INDEX"),
    ("Skorowidz nazwisk", "INDEX"),
    ("הערות", "NOTES_SECTION"),
    ("脚注", "NOTES_SECTION"),
]

ORDINARY = [
    "Methods",
    "Part of the problem",
    "Partition of unity",
    "Book a table",
    "Chapters in brief",
    "Indexing strategies",
    "Notebook",
    "Abstract interpretation",
    "A Preface to Morals",
    "The introduction of tariffs",
    "References to other work in this chapter",
    "Contents of the box",
    "",
    "1",
    "*",
    "x" * 500 + " References",
]


@pytest.mark.parametrize(("title", "expected"), TITLES)
def test_a_title_names_its_type(title: str, expected: str) -> None:
    found = match_title(title)
    assert found is not None
    assert found.type == expected


@pytest.mark.parametrize("title", ORDINARY)
def test_an_ordinary_title_names_nothing(title: str) -> None:
    assert match_title(title) is None


def test_titles_in_the_table_are_written_as_they_are_compared() -> None:
    for line in PATTERNS:
        for language, titles in line.titles.items():
            assert re.fullmatch(r"[a-z]{2}", language)
            assert titles == titles.lower(), titles


@pytest.mark.parametrize(
    ("title", "plain"),
    [("**2.1** *The  Way*:", "the way"), ("[Link](http://x)", "link"), ("§ 3 Scope", "scope"), ("XIV", "xiv")],
)
def test_plain_title(title: str, plain: str) -> None:
    assert plain_title(title) == plain


@pytest.mark.parametrize(
    ("language", "config"),
    [
        ("en", "english"),
        ("en-US", "english"),
        ("EN_gb", "english"),
        ("eng", "english"),
        ("English", "english"),
        ("pt-BR", "portuguese"),
        ("nb", "norwegian"),
        ("zh", "simple"),
        ("", "simple"),
        (None, "simple"),
        ("'; drop table", "simple"),
    ],
)
def test_language_to_text_search_configuration(language: str | None, config: str) -> None:
    assert ts_config(language) == config
