"""docling's layout model beneath the rules: taken where its weights are, run by docling's own code, and recorded.

The real weights are not in reach of the tests. A model of the same architecture, with weights of a few kilobytes that
answer the same whatever they see, takes their place: loading, running and applying are the real code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import docling.datamodel.settings  # noqa: F401 -- it reads its folder once: before a test names another
import pytest
from reportlab.pdfgen.canvas import Canvas

from ragraph.errors import ArgumentError, IngestError
from ragraph.ingest.reader_process import isolate
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.readers.pdf import PdfReader
from ragraph.pdf.model import Box, Kind, Page
from ragraph.pdf.stated import engines, packaged
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.ingest.draft import Draft

NAMES = ("text", "section_header", "code", "table", "page_header", "document_index")
REPOSITORY = "docling-project--docling-layout-heron"
LINES = (
    "Water was drawn from the river at four places every morning before the mill began to work,",
    "and its level was read from the gauge at the bridge and entered in the book of the miller.",
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as docling keeps it; the model in it sees code on the upper left half of every page."""
    import torch
    from transformers import RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection

    folder = tmp_path_factory.mktemp("models")
    backbone = RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 16, 16], depths=[1, 1, 1, 1], layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = RTDetrV2Config(
        backbone_config=backbone, encoder_in_channels=[8, 16, 16], feat_strides=[8, 16, 32], encoder_hidden_dim=16,
        encoder_ffn_dim=16, encoder_layers=1, encoder_attention_heads=2, d_model=16, decoder_in_channels=[16, 16, 16],
        decoder_ffn_dim=16, decoder_layers=2, decoder_attention_heads=2, num_queries=1, decoder_n_points=2,
        id2label=dict(enumerate(NAMES)), label2id={name: index for index, name in enumerate(NAMES)},
    )  # fmt: skip
    torch.manual_seed(1)
    model = RTDetrV2ForObjectDetection(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "class_embed" in name or "enc_score_head" in name:
                parameter.zero_()
                if name.endswith("bias"):
                    parameter.fill_(-8.0)
                    parameter[NAMES.index("code")] = 8.0
            elif ("bbox_embed" in name or "enc_bbox_head" in name) and "layers.2" in name:
                parameter.zero_()
                if name.endswith("bias"):
                    parameter[2:] = 12.0  # as wide and as high as the page, around the first place looked at
    target = folder / REPOSITORY
    model.save_pretrained(target)
    processor = {"image_processor_type": "RTDetrImageProcessor", "do_resize": True, "size": {"height": 64, "width": 64},
                 "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": False, "do_pad": False}  # fmt: skip
    (target / "preprocessor_config.json").write_text(json.dumps(processor))
    return folder


@pytest.fixture
def nothing_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without weights."""
    for name in ("DOCLING_ARTIFACTS_PATH", "DOCLING_CACHE_DIR", "HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(packaged, "_PACKAGE", "a_package_that_nobody_has")  # the model that votes


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.pdf"
    canvas = Canvas(str(path), pagesize=(600, 800))
    for number in range(2):
        canvas.setFont("Times-Roman", 10)
        for index, line in enumerate(LINES):
            canvas.drawString(72, 600 - 12 * index, line)
            canvas.drawString(72, 200 - 12 * index, line.replace("river", f"brook {number}"))
        canvas.showPage()
    canvas.save()
    return path


def _read(path: Path, layout: str) -> Draft:
    return PdfReader().read(path, ReadOptions(layout=layout))


def _types(draft: Draft) -> list[ContentNodeType]:
    return [node.type for node in draft.nodes]


@pytest.mark.usefixtures("nothing_there")
def test_without_weights_auto_takes_the_rules_and_model_says_what_to_do(page: Path) -> None:
    assert _read(page, "auto").made_by["layout"] == "rules"
    with pytest.raises(IngestError, match=r"docling-tools models download layout.*DOCLING_ARTIFACTS_PATH.*rules"):
        _read(page, "model")


def test_an_engine_that_does_not_exist_is_refused(page: Path) -> None:
    with pytest.raises(ArgumentError, match="auto, rules, model"):
        _read(page, "wizard")


@pytest.mark.usefixtures("nothing_there")
def test_auto_takes_the_model_where_its_weights_are(weights: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCLING_ARTIFACTS_PATH", str(weights))
    draft = _read(page, "auto")
    assert draft.made_by["layout"] == "model docling-project/docling-layout-heron (transformers)"
    # What the model sees decides on its half of the page; below it the rules go on.
    assert _types(draft) == [ContentNodeType.CODE, ContentNodeType.PARAGRAPH] * 2
    assert [node.text for node in draft.nodes][1].startswith("Water was drawn from the brook 0")
    assert _types(_read(page, "rules")) == [ContentNodeType.PARAGRAPH] * 4


@pytest.mark.usefixtures("nothing_there")
def test_the_model_runs_in_the_readers_process(weights: Path, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCLING_ARTIFACTS_PATH", str(weights))
    draft = isolate.read_isolated(page, options=ReadOptions(layout="model"))
    assert draft.made_by["layout"].startswith("model ") and _types(draft)[0] is ContentNodeType.CODE


@pytest.mark.usefixtures("nothing_there")
def test_weights_are_found_in_the_hubs_cache_only_if_they_are_whole(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    stored = tmp_path / "hub" / f"models--{REPOSITORY}"
    (stored / "refs").mkdir(parents=True)
    (stored / "refs" / "main").write_text("abc123")
    snapshot = stored / "snapshots" / "abc123"
    snapshot.mkdir(parents=True)
    for name in ("config.json", "preprocessor_config.json"):
        (snapshot / name).symlink_to(weights / REPOSITORY / name)
    assert engines.find_weights() is None  # a download that was broken off
    (snapshot / "model.safetensors").symlink_to(weights / REPOSITORY / "model.safetensors")
    assert engines.find_weights() == snapshot


@pytest.mark.usefixtures("nothing_there")
def test_weights_that_cannot_be_loaded_are_named(
    weights: Path, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / REPOSITORY
    folder.mkdir()
    for name in ("config.json", "preprocessor_config.json"):
        (folder / name).write_text((weights / REPOSITORY / name).read_text())
    (folder / "model.safetensors").write_bytes(b"broken")
    monkeypatch.setenv("DOCLING_ARTIFACTS_PATH", str(tmp_path))
    with pytest.raises(IngestError, match="cannot be loaded"):
        _read(page, "model")


def test_of_two_views_of_one_thing_the_surer_stays() -> None:
    seen = [
        (Kind.TEXT, 0.7, Box(10, 10, 100, 30)),
        (Kind.HEADING, 0.9, Box(12, 11, 99, 31)),
        (Kind.TEXT, 0.6, Box(10, 40, 100, 90)),
    ]
    regions = engines._regions(Page(1, 600, 800), seen)
    assert [(region.kind, region.box.top) for region in regions] == [(Kind.HEADING, 11), (Kind.TEXT, 40)]
