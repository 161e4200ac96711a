"""Methods of ``Store`` for pages and figures as images, and for the originals they come from."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, dict_row, scalar_row

from ragraph.base.arguments import check_methods, number, refusal, whole
from ragraph.base.extras import needing
from ragraph.documents.assets import clean, file_sha256, is_asset, path_of
from ragraph.documents.pictures import (
    SCALES,
    cut_out,
    drawn,
    encoded,
    from_package,
    has_pages_to_draw,
    one_at_a_time,
    scanned,
)
from ragraph.errors import ArgumentError, AssetError, DocumentNotFoundError, NodeNotFoundError
from ragraph.retrieval.pages import no_such_page
from ragraph.schema.pictures import Page, Picture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from PIL.Image import Image

    from ragraph.answers.language_model import Endpoint
    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.documents.assets import Assets
    from ragraph.documents.pictures import ImageFormat
    from ragraph.schema.pictures import AssetReport
    from ragraph.schema.reports import DescribeReport


@check_methods
class StorePictures:
    """Methods of ``Store`` for pages, figures and originals."""

    database: Database
    assets: Assets | None
    _ask: QueryRunner

    def page_image(
        self,
        document: str,
        page: int,
        scale: float = 2.0,
        *,
        format: ImageFormat = "jpeg",
        password: str | None = None,
    ) -> Picture:
        """Return a page of a PDF, or of scanned images, as an image; bounding boxes times ``scale`` are its pixels.

        The stored original is drawn, or the ingested file if it is unchanged. Threads take turns.

        Args:
            document: id of the document.
            page: physical page, from 1.
            scale: pixels per point, 0.1 to 10; 1 is 72 dpi.
            format: ``jpeg`` or ``png``.
            password: opens a PDF that needs one.

        Raises:
            DocumentNotFoundError, PageNotFoundError: the document does not exist, or has no such page.
            ArgumentError: the format does not exist, or the image would be too large.
            AssetError: the document has no pages, or its original is missing or cannot be drawn.
        """
        row = self._original_row(document)
        return one_at_a_time(lambda: encoded(self._drawn(row, page, scale, password), format))

    def figure(
        self,
        document: str,
        node: str,
        scale: float = 2.0,
        *,
        format: ImageFormat = "png",
        password: str | None = None,
    ) -> Picture:
        """Return the picture of a figure, or of any other node: cut out of its page, or the file in its package.

        Args:
            document: id of the document.
            node: id of the node; if it has boxes on several pages, the first page is used.
            scale: pixels per point of a picture cut out of a page.
            format: ``jpeg`` or ``png`` for a picture cut out of a page; a file of a package is returned as it is.
            password: opens a PDF that needs one.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: the document or the node does not exist.
            AssetError: the original is missing or has no such picture.
        """
        row = self._original_row(document)
        found = self._ask.rows("node_picture", dict_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        boxes = [place for place in found[0]["positional_data"] if place.get("bbox")]
        if boxes and has_pages_to_draw(row):
            page = boxes[0]["page_pdf"]
            same = [place["bbox"] for place in boxes if place["page_pdf"] == page]

            def cut() -> Picture:
                with self._drawn(row, page, scale, password) as image:
                    size = self._size(document, page)
                    return encoded(cut_out(image, same, size.width, size.height), format)

            return one_at_a_time(cut)
        if is_asset(found[0]["storage_url"]):
            return self._kept_picture(node, found[0]["storage_url"])
        if found[0]["storage_url"]:
            return from_package(self._original_of(row), found[0]["storage_url"])
        raise AssetError(f"node {node!r} has no picture: its document has neither its bounding box nor its file")

    def pictured(self, document: str) -> list[str]:
        """Return the ids of the nodes whose ``figure`` needs no page to be drawn, in reading order.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
        """
        row = self._original_row(document)
        names = {"document_id": document, "packed": row["mime_type"] == "application/epub+zip"}
        return self._ask.rows("pictured_nodes", scalar_row, names)

    def describe(
        self,
        document: str | Sequence[str] | None = None,
        *,
        llm: Endpoint | str | None = None,
        again: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> DescribeReport:
        """Describe figures without a description by a vision model, from the picture and the caption of each.

        The description is then embedded as the figure's text, by ``embed`` or the next ingest. A description from the
        document itself is kept. A document that changes is described again.

        Args:
            document: only these documents: ids.
            llm: the model, as in ``answer``; it must accept images.
            again: also figures that a model has described before.
            progress: called with the number of finished figures and the number of all.

        Raises:
            AnswerError: no model is named, the extra ``answer`` is missing, or the endpoint does not answer.
            DocumentNotFoundError: a document does not exist.
        """
        from ragraph.answers.describing import describe
        from ragraph.answers.language_model import Endpoint

        if llm is not None and not isinstance(llm, Endpoint | str):
            raise refusal("llm", "the name of a model, or an Endpoint", llm)
        documents = None if document is None else [document] if isinstance(document, str) else list(document)
        for name in documents or ():
            self._original_row(name)  # raises if the document does not exist
        endpoint = llm if isinstance(llm, Endpoint) else Endpoint(model=llm)
        return describe(self.database, self.figure, endpoint, documents, again=again, progress=progress)

    def original(self, document: str) -> tuple[Path | bytes, str]:
        """Return the original of a document, as a path if it is a local file, else as bytes, and its MIME type.

        Args:
            document: id of the document.

        Raises:
            DocumentNotFoundError: the document does not exist.
            AssetError: the original was not stored, and its file is missing or has changed.
        """
        row = self._original_row(document)
        return self._original_of(row), row["mime_type"] or "application/octet-stream"

    def clean_assets(self, *, dry_run: bool = False) -> AssetReport:
        """Remove stored originals and pictures that no document names, for example after interrupted runs.

        Args:
            dry_run: remove nothing; the report says what would be removed.

        Raises:
            AssetError: the asset store cannot be used, or this store has none.
        """
        if self.assets is None:
            raise AssetError("this store keeps no originals", hint="open it with ragraph.open()")
        return clean(self.database, self.assets, dry_run=dry_run)

    def _kept_picture(self, node: str, asset: str) -> Picture:
        """Return the picture of a figure that was stored at ingestion."""
        with needing("showing pictures", AssetError):
            from PIL import Image as Images

        data = self.assets.read(asset) if self.assets is not None else None
        if data is None:
            raise AssetError(f"the picture of node {node!r} is not in this asset store", hint="ingest the file again")
        with Images.open(BytesIO(data)) as image:
            kind, (width, height) = image.get_format_mimetype(), image.size
        return Picture(data=data, media_type=str(kind), width=width, height=height)

    def _original_row(self, document: str) -> dict[str, Any]:
        found = self._ask.rows("document_original", dict_row, {"document_id": document})
        if not found:
            self._ask.rows("require_document", dict_row, {"document_id": document})  # raises with suggestions
            raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
        row: dict[str, Any] = found[0]
        return row

    def _original_of(self, row: dict[str, Any]) -> Path | bytes:
        """Return the original: the asset, else the file it was read from if that still has the same bytes."""
        if is_asset(row["storage_url"]) and self.assets is not None:
            kept = self.assets.path(row["storage_url"]) or self.assets.read(row["storage_url"])
            if kept is not None:
                return kept
        path = path_of(row["source_uri"]) if row["source_uri"] else None
        if path is not None and path.is_file() and file_sha256(path) == row["sha256"]:
            return path
        raise AssetError(
            f"the original of document {row['id']!r} was not kept, and its file is missing or has changed",
            hint="ingest the file again to keep it",
        )

    def _size(self, document: str, page: int) -> Page:
        (size,) = self._ask.rows("document_pages", class_row(Page), {"document_id": document, "page": page})
        found: Page = size
        return found

    def _drawn(self, row: dict[str, Any], page: int, scale: float, password: str | None) -> Image:
        whole("page", page)
        if not SCALES[0] <= number("scale", scale) <= SCALES[1]:
            raise ArgumentError(f"scale is {scale}", hint=f"use {SCALES[0]} to {SCALES[1]:g} pixels per point")
        if not row["page_count"]:
            raise AssetError(f"document {row['id']!r} has no pages to show", hint="read it by section")
        if not 1 <= page <= row["page_count"]:
            every = self._ask.rows("document_pages", class_row(Page), {"document_id": row["id"], "page": None})
            raise no_such_page(row["id"], page, every)
        original = self._original_of(row)
        if row["mime_type"] == "application/pdf":
            return drawn(original, page, scale, password)
        if str(row["mime_type"]).startswith("image/"):
            size = self._size(row["id"], page)
            return scanned(original, page, scale, size.width, size.height)
        raise AssetError(f"pages of {row['mime_type']} cannot be drawn", hint="read them by section")
