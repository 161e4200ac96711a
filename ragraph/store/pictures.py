"""The part of the store's face that shows: pages and figures as images, the originals they are made of."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from psycopg.rows import class_row, dict_row, scalar_row

from ragraph.base.arguments import check_methods, number, refusal, whole
from ragraph.documents.assets import clean, file_sha256, is_asset, path_of
from ragraph.documents.pictures import SCALES, cut_out, drawn, encoded, from_package, has_pages_to_draw, scanned
from ragraph.errors import ArgumentError, AssetError, DocumentNotFoundError, NodeNotFoundError
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
    """Methods of ``Store``."""

    database: Database
    assets: Assets | None
    _ask: QueryRunner

    def pages(self, document: str) -> list[Page]:
        """Return the pages of a document with what is printed on them and their size; empty for one without pages.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        found = self._ask.rows("document_pages", class_row(Page), {"document_id": document, "page": None})
        if not found:
            self._original_row(document)  # a document without pages is there
        return found

    def page_image(
        self,
        document: str,
        page: int,
        scale: float = 2.0,
        *,
        format: ImageFormat = "jpeg",
        password: str | None = None,
    ) -> Picture:
        """Return a page of a PDF, or of scanned images, as an image; boxes times ``scale`` are its pixels.

        The original is drawn that was kept at ingestion, else the file that was read, if it is still the same. Threads
        take turns.

        Args:
            document: id of the document.
            page: physical page from 1.
            scale: pixels per point, 0.1 to 10; 1 is 72 dpi.
            format: ``jpeg`` or ``png``.
            password: opens a PDF that needs one.

        Raises:
            DocumentNotFoundError: there is no such document.
            ArgumentError: no such page or format, or a picture too large.
            AssetError: the document has no pages, its original is not there, or it cannot be drawn.
        """
        return encoded(self._drawn(self._original_row(document), page, scale, password), format)

    def figure(
        self,
        document: str,
        node: str,
        scale: float = 2.0,
        *,
        format: ImageFormat = "png",
        password: str | None = None,
    ) -> Picture:
        """Return what a figure, or any other node, looks like: cut out of its page, or as its package holds it.

        Args:
            document: id of the document.
            node: id of the node; of one with boxes on several pages the first page counts.
            scale: pixels per point, for what is cut out.
            format: ``jpeg`` or ``png``, for what is cut out; what a package holds comes as it is.
            password: opens a PDF that needs one.

        Raises:
            DocumentNotFoundError, NodeNotFoundError: there is no such node.
            AssetError: the original is not there or holds no such picture.
        """
        row = self._original_row(document)
        found = self._ask.rows("node_picture", dict_row, {"document_id": document, "node_id": node})
        if not found:
            raise NodeNotFoundError(f"document {document!r} has no node {node!r}", hint=NodeNotFoundError.look)
        boxes = [place for place in found[0]["positional_data"] if place.get("bbox")]
        if boxes and has_pages_to_draw(row):
            image = self._drawn(row, boxes[0]["page_pdf"], scale, password)
            size = self._size(document, boxes[0]["page_pdf"])
            same = [place["bbox"] for place in boxes if place["page_pdf"] == boxes[0]["page_pdf"]]
            return encoded(cut_out(image, same, size.width, size.height), format)
        if is_asset(found[0]["storage_url"]):
            return self._kept_picture(node, found[0]["storage_url"])
        if found[0]["storage_url"]:
            return from_package(self._original_of(row), found[0]["storage_url"])
        raise AssetError(f"node {node!r} has no picture: its document says neither where it stands nor where it is")

    def pictured(self, document: str) -> list[str]:
        """Return the ids of the nodes that ``figure`` has a picture of without drawing a page, in reading order.

        Raises:
            DocumentNotFoundError: there is no such document.
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
        """Let a vision model describe the figures that have no description, each from its picture and caption.

        The description is then what is embedded of a figure, by ``embed`` or the next ingest; what the format itself
        says of one stays. A document that changes is described anew.

        Args:
            document: only these: ids.
            llm: the model, as of ``answer``; one that sees.
            again: also those that a model has described before.
            progress: told how many figures are done, and of how many.

        Raises:
            AnswerError: no model is named, the extra ``answer`` is missing, or the endpoint does not answer.
            DocumentNotFoundError: there is no such document.
        """
        from ragraph.answers.describing import describe
        from ragraph.answers.language_model import Endpoint

        if llm is not None and not isinstance(llm, Endpoint | str):
            raise refusal("llm", "the name of a model, or an Endpoint", llm)
        documents = None if document is None else [document] if isinstance(document, str) else list(document)
        for name in documents or ():
            self.pages(name)  # it is there
        endpoint = llm if isinstance(llm, Endpoint) else Endpoint(model=llm)
        return describe(self.database, self.figure, endpoint, documents, again=again, progress=progress)

    def original(self, document: str) -> tuple[Path | bytes, str]:
        """Return the file that a document was made of, as a path where it has one, else its bytes; and its MIME type.

        Raises:
            DocumentNotFoundError: there is no such document.
            AssetError: the original was not kept, and its file is gone or has changed.
        """
        row = self._original_row(document)
        return self._original_of(row), row["mime_type"] or "application/octet-stream"

    def clean_assets(self, *, dry_run: bool = False) -> AssetReport:
        """Remove kept originals and pictures of figures that nothing names any more, as of runs that were cut off.

        Args:
            dry_run: remove nothing; the report says what would be.

        Raises:
            AssetError: the asset store cannot be used, or this store has none.
        """
        if self.assets is None:
            raise AssetError("this store keeps no originals", hint="open it with ragraph.open()")
        return clean(self.database, self.assets, dry_run=dry_run)

    def _kept_picture(self, node: str, asset: str) -> Picture:
        """Return the picture of a figure that was kept at ingestion."""
        from PIL import Image as Images

        data = self.assets.read(asset) if self.assets is not None else None
        if data is None:
            raise AssetError(f"the picture of node {node!r} is not kept here", hint="ingest the file again")
        with Images.open(BytesIO(data)) as image:
            kind, (width, height) = image.get_format_mimetype(), image.size
        return Picture(data=data, media_type=str(kind), width=width, height=height)

    def _original_row(self, document: str) -> dict[str, Any]:
        found = self._ask.rows("document_original", dict_row, {"document_id": document})
        if not found:
            self._ask.rows("require_document", dict_row, {"document_id": document})  # it knows what may be meant
            raise DocumentNotFoundError(f"there is no document {document!r}", hint=DocumentNotFoundError.look)
        row: dict[str, Any] = found[0]
        return row

    def _original_of(self, row: dict[str, Any]) -> Path | bytes:
        """Return the original: the asset, else the file it was read from if that has the same bytes still."""
        if is_asset(row["storage_url"]) and self.assets is not None:
            kept = self.assets.path(row["storage_url"]) or self.assets.read(row["storage_url"])
            if kept is not None:
                return kept
        path = path_of(row["source_uri"]) if row["source_uri"] else None
        if path is not None and path.is_file() and file_sha256(path) == row["sha256"]:
            return path
        raise AssetError(
            f"the original of document {row['id']!r} was not kept, and its file is gone or has changed",
            hint="ingest the file again to keep it",
        )

    def _size(self, document: str, page: int) -> Page:
        (size,) = self._ask.rows("document_pages", class_row(Page), {"document_id": document, "page": page})
        found: Page = size
        return found

    def _drawn(self, row: dict[str, Any], page: int, scale: float, password: str | None) -> Image:
        whole("page", page)
        if not SCALES[0] <= number("scale", scale) <= SCALES[1]:
            raise ArgumentError(f"scale is {scale}", hint=f"give {SCALES[0]} to {SCALES[1]:g} pixels per point")
        if not row["page_count"]:
            raise AssetError(f"document {row['id']!r} has no pages to show", hint="read it with render()")
        if not 1 <= page <= row["page_count"]:
            raise ArgumentError(f"there is no page {page}; document {row['id']!r} has {row['page_count']}")
        original = self._original_of(row)
        if row["mime_type"] == "application/pdf":
            return drawn(original, page, scale, password)
        if str(row["mime_type"]).startswith("image/"):
            size = self._size(row["id"], page)
            return scanned(original, page, scale, size.width, size.height)
        raise AssetError(f"pages of {row['mime_type']} cannot be drawn", hint="read them with render()")
