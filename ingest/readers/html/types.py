"""Components that ``epub:type`` and ARIA's ``role`` state for parts of a book."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.ingest.readers.html.links import classes, types
from ragraph.schema.enums import ComponentType

if TYPE_CHECKING:
    from lxml import etree

_FRONT, _BODY, _BACK = ComponentType.FRONT_MATTER, ComponentType.BODY_MATTER, ComponentType.BACK_MATTER
_PARTS: dict[str, tuple[ComponentType, ComponentType | None]] = {
    "abstract": (ComponentType.ABSTRACT, _FRONT),
    "acknowledgments": (ComponentType.ACKNOWLEDGEMENTS, None),
    "acknowledgements": (ComponentType.ACKNOWLEDGEMENTS, None),
    "afterword": (ComponentType.EPILOGUE, _BACK),
    "appendix": (ComponentType.APPENDIX, _BACK),
    "bibliography": (ComponentType.BIBLIOGRAPHY, _BACK),
    "chapter": (ComponentType.CHAPTER, _BODY),
    "colophon": (ComponentType.SECTION, _BACK),
    "conclusion": (ComponentType.CONCLUSION, None),
    "copyright-page": (ComponentType.COPYRIGHT_PAGE, None),
    "dedication": (ComponentType.DEDICATION, _FRONT),
    "division": (ComponentType.PART, _BODY),
    "endnotes": (ComponentType.NOTES_SECTION, _BACK),
    "epigraph": (ComponentType.SECTION, None),
    "epilogue": (ComponentType.EPILOGUE, _BODY),
    "footnotes": (ComponentType.NOTES_SECTION, None),
    "foreword": (ComponentType.FOREWORD, _FRONT),
    "glossary": (ComponentType.SECTION, _BACK),
    "halftitlepage": (ComponentType.TITLE_PAGE, _FRONT),
    "imprint": (ComponentType.COPYRIGHT_PAGE, _FRONT),
    "index": (ComponentType.INDEX, _BACK),
    "introduction": (ComponentType.INTRODUCTION, None),
    "loi": (ComponentType.LIST_OF_FIGURES, _FRONT),
    "lot": (ComponentType.LIST_OF_TABLES, _FRONT),
    "part": (ComponentType.PART, _BODY),
    "preamble": (ComponentType.PREFACE, _FRONT),
    "preface": (ComponentType.PREFACE, _FRONT),
    "prologue": (ComponentType.INTRODUCTION, _BODY),
    "rearnotes": (ComponentType.NOTES_SECTION, _BACK),
    "titlepage": (ComponentType.TITLE_PAGE, _FRONT),
    "toc": (ComponentType.TABLE_OF_CONTENTS, _FRONT),
    "volume": (ComponentType.PART, _BODY),
}
_MATTERS = {"frontmatter": _FRONT, "bodymatter": _BODY, "backmatter": _BACK, "cover": _FRONT}
_CLASSES = {
    "footnotes": ComponentType.NOTES_SECTION,
    "endnotes": ComponentType.NOTES_SECTION,
    "abstract": ComponentType.ABSTRACT,
    "toc": ComponentType.TABLE_OF_CONTENTS,
    "tableofcontents": ComponentType.TABLE_OF_CONTENTS,
}


def component_type(element: etree._Element) -> ComponentType | None:
    """Return the component that an element states, or None if the model does not have it."""
    for word in sorted(types(element)):
        found = _PARTS.get(word.removeprefix("doc-").removeprefix("z3998:"))
        if found:
            return found[0]
    return next((_CLASSES[word] for word in sorted(classes(element)) if word in _CLASSES), None)


def matter(element: etree._Element) -> ComponentType | None:
    """Return the matter of an element or of its stated type, or None if it is not stated."""
    stated = types(element)
    for word in sorted(stated):
        if word in _MATTERS:
            return _MATTERS[word]
    for word in sorted(stated):
        found = _PARTS.get(word.removeprefix("doc-"))
        if found and found[1]:
            return found[1]
    return None


def guide_type(word: str) -> tuple[ComponentType, ComponentType | None] | None:
    """Return component and matter of a file by its name in the guide of an EPUB 2, or None for other names."""
    renamed = {"title-page": "titlepage", "notes": "endnotes"}
    return _PARTS.get(renamed.get(word, word))
