"""All enumerations of the data model, with the values that the database uses."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class DocumentType(StrEnum):
    """The role of a document in its publication."""

    MAIN = "MAIN"
    SUPPLEMENTAL = "SUPPLEMENTAL"
    OTHER = "OTHER"


class ComponentType(StrEnum):
    """Type of a component of the document tree: matter, generic container, list or section."""

    FRONT_MATTER = "FRONT_MATTER"
    BODY_MATTER = "BODY_MATTER"
    BACK_MATTER = "BACK_MATTER"
    CONTAINER = "CONTAINER"
    SECTION = "SECTION"
    LIST = "LIST"
    COPYRIGHT_PAGE = "COPYRIGHT_PAGE"
    FOOTER = "FOOTER"
    HEADER = "HEADER"
    TEXT_BOX = "TEXT_BOX"
    TITLE_PAGE = "TITLE_PAGE"
    BIBLIOGRAPHY = "BIBLIOGRAPHY"
    LIST_OF_BOXES = "LIST_OF_BOXES"
    LIST_OF_TABLES = "LIST_OF_TABLES"
    LIST_OF_FIGURES = "LIST_OF_FIGURES"
    NOTES_SECTION = "NOTES_SECTION"
    TABLE_OF_CONTENTS = "TABLE_OF_CONTENTS"
    ABSTRACT = "ABSTRACT"
    ACKNOWLEDGEMENTS = "ACKNOWLEDGEMENTS"
    APPENDIX = "APPENDIX"
    CHAPTER = "CHAPTER"
    CONCLUSION = "CONCLUSION"
    DEDICATION = "DEDICATION"
    EPILOGUE = "EPILOGUE"
    EXECUTIVE_SUMMARY = "EXECUTIVE_SUMMARY"
    FOREWORD = "FOREWORD"
    INDEX = "INDEX"
    INTRODUCTION = "INTRODUCTION"
    PART = "PART"
    PREFACE = "PREFACE"


FURNITURE = frozenset({ComponentType.HEADER, ComponentType.FOOTER})
"""Components that belong to a page and not to the text (page headers and footers)."""


class ContentNodeType(StrEnum):
    """Type of a content node, a leaf of the document tree."""

    AUTHOR = "AUTHOR"
    BLOCK_QUOTATION = "BLOCK_QUOTATION"
    BIBLIOGRAPHIC_ENTRY = "BIBLIOGRAPHIC_ENTRY"
    CAPTION = "CAPTION"
    CODE = "CODE"
    FIGURE = "FIGURE"
    FORMULA = "FORMULA"
    HEADING = "HEADING"
    LIST_ITEM = "LIST_ITEM"
    NOTE = "NOTE"
    PARAGRAPH = "PARAGRAPH"
    PAGE_NUMBER = "PAGE_NUMBER"
    STANZA = "STANZA"
    SUBHEADING = "SUBHEADING"
    SUBTITLE = "SUBTITLE"
    TABLE = "TABLE"
    TITLE = "TITLE"


class EmbeddingSource(StrEnum):
    """The text of a node that is embedded."""

    TEXT_CONTENT = "TEXT_CONTENT"
    DESCRIPTION = "DESCRIPTION"
    CAPTION = "CAPTION"


class RelationType(StrEnum):
    """Type of a relation between two nodes, read from source to target.

    Args:
        value: its value in the database.
        outward: label of the target as seen from the source.
        inward: label of the source as seen from the target.
    """

    outward: str
    inward: str

    def __new__(cls, value: str, outward: str = "", inward: str = "") -> Self:  # the defaults are for lookups by value
        """Create a member with its labels."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.outward, member.inward = outward, inward
        return member

    REFERENCES_NOTE = "REFERENCES_NOTE", "Note", "Noted in"
    REFERENCES_CITATION = "REFERENCES_CITATION", "Cites", "Cited in"
    IS_CAPTIONED_BY = "IS_CAPTIONED_BY", "Caption", "Caption of"
    IS_SUPPLEMENTED_BY = "IS_SUPPLEMENTED_BY", "Supplement", "Supplement to"
    CONTINUES = "CONTINUES", "Continues from", "Continued in"
    CROSS_REFERENCES = "CROSS_REFERENCES", "Refers to", "Referred to in"
    CITES = "CITES", "Cites the work", "Cited by the work"


class ProcessingStatus(StrEnum):
    """Progress of a document: pending -> processing -> completed, or failed."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


class Distance(StrEnum):
    """The distance that an embedding model was trained for."""

    COSINE = "cosine"
    L2 = "l2"
    INNER_PRODUCT = "inner_product"


class IndexKind(StrEnum):
    """What a model's vector index stores of each vector. Candidates from the index are ranked by the full vectors."""

    HALFVEC = "halfvec"
    BIT = "bit"
