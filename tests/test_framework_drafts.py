"""Documents of LangChain, LlamaIndex and docling go in by ``Store.add_many``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docling_core.types.doc import BoundingBox, DoclingDocument, DocumentOrigin, ProvenanceItem, Size
from docling_core.types.doc.labels import DocItemLabel
from langchain_core.documents import Document as LangChainDocument
from llama_index.core import SimpleDirectoryReader
from llama_index.core.schema import Document as LlamaIndexDocument

from ragraph import langchain, llamaindex
from ragraph.ingest.reader_process import docling

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph import Store


PAGES = ["# Weather\n\nRain falls.\n\n## Costs\nThe cost of rain\nis high.", "Snow is dear."]


def test_pages_of_a_langchain_loader_are_one_document(store: Store) -> None:
    loaded = [
        LangChainDocument(text, metadata={"source": "/a/weather.pdf", "page": page, "page_label": label, "year": 2024})
        for page, (text, label) in enumerate(zip(PAGES, ("i", "ii"), strict=True))
    ]
    loaded += [LangChainDocument("Another.", metadata={"source": "/a/other.txt"}), LangChainDocument("No source.")]
    report = store.add_many(langchain.drafts(iter(loaded)), model=None)
    assert [file.status for file in report.files] == ["added"] * 3, report
    weather = report.files[0].document_id or ""
    assert [entry.title for entry in store.toc(weather)][-1] == "Costs"
    assert store.nodes(weather)[0].content == "Weather"
    assert [node.content for node in store.page(weather, "ii")] == ["Snow is dear."]
    assert [node.content for node in store.page(weather, 1)][-1] == "The cost of rain\nis high."
    assert store.filter_documents({"metadata.year": 2024}) == [weather]
    assert store.document(weather).document.title == "weather.pdf"
    assert store.add_many(langchain.drafts(loaded), model=None).files[0].status == "unchanged"
    loaded[1].page_content = "Snow is cheap."
    again = store.add_many(langchain.drafts(loaded[:2]), model=None).files[0]
    assert (again.status, again.document_id) == ("changed", weather)
    assert store.check() == []


def test_files_and_pages_of_llamaindex_are_documents(store: Store, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(PAGES[0])
    (tmp_path / "two.txt").write_text("Only a paragraph.")
    read = SimpleDirectoryReader(str(tmp_path)).load_data()
    pages = [
        LlamaIndexDocument(text=text, metadata={"file_path": "/a/weather.pdf", "page_label": label})
        for text, label in zip(PAGES, ("i", "ii"), strict=True)
    ]
    report = store.add_many(llamaindex.drafts([*read, *pages]), model=None)
    assert [file.status for file in report.files] == ["added"] * 3, report
    one, two, weather = (file.document_id or "" for file in report.files)
    assert [node.content for node in store.nodes(one)][:2] == ["Weather", "Rain falls."]
    assert [node.content for node in store.nodes(two)] == ["Only a paragraph."]
    assert [node.content for node in store.page(weather, 2)] == ["Snow is dear."]
    assert store.add_many(llamaindex.drafts(pages), model=None).files[0].status == "unchanged"


def test_a_document_of_docling_keeps_its_tree_pages_and_boxes(store: Store) -> None:
    made = DoclingDocument(name="weather")
    made.origin = DocumentOrigin(mimetype="application/pdf", binary_hash=1, filename="weather.pdf")
    made.add_page(page_no=1, size=Size(width=600, height=800))
    box = ProvenanceItem(page_no=1, bbox=BoundingBox(l=10, t=790, r=100, b=780), charspan=(0, 5))
    made.add_heading("Costs", level=1, prov=box)
    made.add_text(DocItemLabel.PARAGRAPH, "The cost of rain.", prov=box)
    report = store.add_many(docling.drafts([made]), model=None)
    (file,) = report.files
    assert file.status == "added", file
    assert [node.content for node in store.page(file.document_id or "", 1)] == ["Costs", "The cost of rain."]
    assert store.nodes(file.document_id or "")[1].positional_data[0]["bbox"]
    assert store.add_many(docling.drafts([made]), model=None).files[0].status == "unchanged"
    made.add_text(DocItemLabel.PARAGRAPH, "The cost of snow.", prov=box)
    again = store.add_many(docling.drafts([made]), model=None).files[0]
    assert (again.status, again.document_id) == ("changed", file.document_id)
