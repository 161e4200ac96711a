"""Run one parser of docling on bytes, and report failures in one line.

The parsers are called directly, not through docling's DocumentConverter, which loads every pipeline, speech
recognition included. None of it is needed here. No parser may fetch anything.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import re
import sys
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ragraph.errors import DamagedFileError, EmptyFileError, FileTooLargeError, IngestError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from docling_core.types.doc import DoclingDocument

    from ragraph.ingest.draft import Draft

_BACKENDS = {
    "docx": ("msword_backend", "MsWordDocumentBackend", "DOCX"),
    "pptx": ("mspowerpoint_backend", "MsPowerpointDocumentBackend", "PPTX"),
    "xlsx": ("msexcel_backend", "MsExcelDocumentBackend", "XLSX"),
    "odt": ("opendocument_backend", "OdtDocumentBackend", "ODT"),
    "ods": ("opendocument_backend", "OdsDocumentBackend", "ODS"),
    "odp": ("opendocument_backend", "OdpDocumentBackend", "ODP"),
    "uspto": ("xml.uspto_backend", "PatentUsptoDocumentBackend", "XML_USPTO"),
    "asciidoc": ("asciidoc_backend", "AsciiDocBackend", "ASCIIDOC"),
    "latex": ("latex_backend", "LatexDocumentBackend", "LATEX"),
    "docling": ("json.docling_json_backend", "DoclingJSONBackend", "JSON_DOCLING"),
}


def run_docling(
    path: Path,
    kind: str,
    content: bytes | None = None,
    options: Any = None,
    prepare: Callable[[Any], None] | None = None,
) -> DoclingDocument:
    """Return the document that docling makes of a file.

    Args:
        path: the file; its name is used in messages and by docling.
        kind: name of the format as in ``FORMATS``.
        content: bytes to parse instead of the file's own.
        options: backend options of docling for this format; its defaults fetch nothing.
        prepare: called with docling's backend before it converts.

    Raises:
        DamagedFileError: docling cannot parse the file.
        FileTooLargeError: the file unpacks to more than docling's limits.
    """
    with _left_out("torch", "transformers"):
        from docling.datamodel.base_models import InputFormat
        from docling.datamodel.document import InputDocument

    module, name, format_name = _BACKENDS[kind]
    backend = getattr(importlib.import_module(f"docling.backend.{module}"), name)
    stream = BytesIO(path.read_bytes() if content is None else content)
    silenced = logging.getLogger("docling")
    level = silenced.level
    silenced.setLevel(logging.CRITICAL)  # its problems are raised as exceptions, and stderr is the user's
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # libraries warn of what they do not read; the account finds it
            source = InputDocument(
                path_or_stream=stream,
                format=InputFormat[format_name],
                backend=backend,
                backend_options=options,
                filename=path.name,
            )
        if not source.valid or not source._backend.is_valid():
            reason = source._rejection
            failure = damaged((reason.original_error or reason.message) if reason else None)
        else:
            if prepare is not None:
                prepare(source._backend)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                document: DoclingDocument = source._backend.convert()
            return document
    except (IngestError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise damaged(error) from error
    finally:
        silenced.setLevel(level)
    raise failure


@contextlib.contextmanager
def _left_out(*packages: str) -> Iterator[None]:
    """Hide packages that are not loaded yet, as if they were not installed.

    docling's options name a class of transformers and ask torch for a graphics card, and do without if these are
    missing. Loading them would cost a reader four seconds and 200 MB, and our parsers do not need them.
    """
    absent = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # importing what is None is an ImportError
    try:
        yield
    finally:
        for package in absent:
            del sys.modules[package]


_NAMELESS = re.compile(r"(?:file )?'?<[\w.]+ object at 0x[0-9a-f]+>'?")
"""Names that libraries give to a file passed as bytes."""


def damaged(reason: object) -> IngestError:
    """Return the error for a file that a parser could not read, with the reason in one short line."""
    seen: list[str] = []
    while isinstance(reason, BaseException):
        seen.append(type(reason).__name__)
        if reason.__cause__ is None:
            break
        reason = reason.__cause__
    said = _NAMELESS.sub("the file", str(reason or ""))
    words = " ".join(said.split())[:200].rstrip(". ") or (seen[-1] if seen else "no reason given")
    if any("Limit" in name for name in seen):
        return FileTooLargeError(f"the file unpacks to more than the limit: {words}. Split it and ingest the parts.")
    if "RecursionError" in seen:
        return DamagedFileError("the file is nested too deeply to be read. Simplify it and ingest it again.")
    return DamagedFileError(f"the file cannot be parsed: {words}. Open and save it again in the program it comes from.")


def not_empty(draft: Draft) -> Draft:
    """Return the draft if it has a node.

    Raises:
        EmptyFileError: it has none.
    """
    if not draft.nodes:
        raise EmptyFileError("the file holds no content: nothing to ingest.")
    return draft
