"""The enumerations of the model, complete, under the names that the database uses for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class DocumentType(StrEnum):
    """The part a document plays in its publication."""

    MAIN = "MAIN"
    SUPPLEMENTAL = "SUPPLEMENTAL"
    OTHER = "OTHER"


class ComponentType(StrEnum):
    """What a component of the document tree is: matter, generic container, list or section."""

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
"""Components that stand on a page and are no part of its text."""


class ContentNodeType(StrEnum):
    """What a content node, a leaf of the document tree, is."""

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
    """Which text of a node is embedded."""

    TEXT_CONTENT = "TEXT_CONTENT"
    DESCRIPTION = "DESCRIPTION"
    CAPTION = "CAPTION"


class RelationType(StrEnum):
    """What an edge between two nodes says, read from source to target.

    Args:
        value: under which the database has it.
        outward: what the target is to the source, for people.
        inward: what the source is to the target, for people.
    """

    outward: str
    inward: str

    def __new__(cls, value: str, outward: str = "", inward: str = "") -> Self:  # the defaults: for calls that look up
        """Make a member with its words."""
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
    """How far a document has come: pending -> processing -> completed, or failed."""

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
    """What the vector index of a model holds of each vector; what it finds is ranked by the whole ones."""

    HALFVEC = "halfvec"
    BIT = "bit"
