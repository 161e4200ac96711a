"""The part of the store's face that shows: pages and figures as images, the originals they are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragraph.base.arguments import check_methods, refusal
from ragraph.documents.assets import clean
from ragraph.documents.pictures import Pictures
from ragraph.errors import AssetError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ragraph.answers.language_model import Endpoint
    from ragraph.database.connection import Database
    from ragraph.database.runner import QueryRunner
    from ragraph.documents.assets import Assets
    from ragraph.documents.pictures import ImageFormat
    from ragraph.schema.pictures import AssetReport, Page, Picture
    from ragraph.schema.reports import DescribeReport


@check_methods
class StorePictures:
    """Methods of ``Store``."""

    database: Database
    assets: Assets | None

    def _may_show(self, runner: QueryRunner, assets: Assets | None) -> None:
        self.assets = assets
        self._pictures = Pictures(runner, assets)

    def pages(self, document: str) -> list[Page]:
        """Return the pages of a document with what is printed on them and their size; empty for one without pages.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._pictures.pages(document)

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
        return self._pictures.page_image(document, page, scale, format=format, password=password)

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
        return self._pictures.figure(document, node, scale, format=format, password=password)

    def pictured(self, document: str) -> list[str]:
        """Return the ids of the nodes that ``figure`` has a picture of without drawing a page, in reading order.

        Raises:
            DocumentNotFoundError: there is no such document.
        """
        return self._pictures.pictured(document)

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
            self._pictures.pages(name)  # it is there
        endpoint = llm if isinstance(llm, Endpoint) else Endpoint(model=llm)
        return describe(self.database, self._pictures.figure, endpoint, documents, again=again, progress=progress)

    def original(self, document: str) -> tuple[Path | bytes, str]:
        """Return the file that a document was made of, as a path where it has one, else its bytes; and its MIME type.

        Raises:
            DocumentNotFoundError: there is no such document.
            AssetError: the original was not kept, and its file is gone or has changed.
        """
        return self._pictures.original(document)

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
