"""What a run is asked for: checked when it is made, and read again as any version has kept it with a job."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ingest_tools import WordModel

from ragraph.errors import ArgumentError
from ragraph.ingest.jobs.request import IngestRequest
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.vectors.parts import PartSettings

FULL = IngestRequest(
    paths=("/papers", "s3://bucket/papers/"),
    collection="climate",
    tags=("2026", "long"),
    document_id="dl_nile",
    images=True,
    model="openai:bge-m3",
    backend="plain",
    base_url="http://localhost:11434/v1",
    max_tokens=512,
    options=ReadOptions(password="secret", layout="rules", ocr=False, pages=(2, 5)),
    parts=PartSettings(strategy="sentence", target=60),
    limits=Limits(pages=7),
    timeout_s=12.5,
    memory_bytes=2**30,
    keep=False,
    manifest="/papers/files.jsonl",
    retry_failed=True,
)

KEPT = {
    **{"paths": ["/papers", "s3://bucket/papers/"], "collection": "climate", "tags": ["2026", "long"]},
    **{"document_id": "dl_nile", "images": True, "model": "openai:bge-m3", "backend": "plain", "max_tokens": 512},
    **{"base_url": "http://localhost:11434/v1", "timeout_s": 12.5, "memory_bytes": 2**30, "keep": False},
    "options": {
        **{"layout": "rules", "ocr": False, "ocr_model": None, "pages": [2, 5], "charset": None, "table_rows": 200},
        **{"hidden": False, "strict": None, "attachments": "documents", "mapping": None, "pictures": None},
    },
    "parts": {"strategy": "sentence", "target": 60, "minimum": None, "maximum": None, "overlap": None},
    "limits": {
        **{"file_bytes": 2**30, "pages": 7, "pixels": 150_000_000, "members": 20_000, "unpacked_bytes": 2**30},
        "ratio": 200.0,
    },
}
"""As the table of jobs has it, since there are jobs."""


def test_a_job_keeps_it_as_before_without_the_password() -> None:
    assert json.loads(json.dumps(FULL.to_json())) == KEPT


def test_it_is_read_again_as_it_was_but_for_how_files_are_found() -> None:
    found = IngestRequest.from_json(json.loads(json.dumps(FULL.to_json())), "secret")
    assert found == replace(FULL, manifest=None, retry_failed=False)


def test_what_an_earlier_version_lacks_has_its_default_and_what_a_later_one_has_is_passed_over() -> None:
    found = IngestRequest.from_json({"collection": "climate", "speed": 3, "options": {"ocr": False, "eyes": 2}})
    assert found == IngestRequest(collection="climate", model=None, options=ReadOptions(ocr=False))


def test_paths_are_kept_from_the_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    kept = IngestRequest(paths=("a.pdf", Path("b"), "https://example.org/c.pdf")).to_json()
    assert kept["paths"] == (f"{tmp_path}/a.pdf", f"{tmp_path}/b", "https://example.org/c.pdf")


def test_a_loaded_model_is_kept_by_its_name() -> None:
    assert IngestRequest(model=WordModel()).to_json()["model"] == "words"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"collection": 5}, "collection takes text"),
        ({"tags": None}, "tags takes text, or a list of texts"),
        ({"tags": [""]}, "tag"),
        ({"document_id": " nile"}, "cannot be the id of a document"),
        ({"images": "no"}, "images takes True or False"),
        ({"model": 5}, "model takes text or an EmbeddingModel"),
        ({"options": {}}, "options takes a ReadOptions"),
        ({"parts": {}}, "parts takes a PartSettings"),
        ({"limits": 3}, "limits takes a Limits"),
        ({"timeout_s": 0}, "timeout_s takes"),
        ({"memory_bytes": 1}, "memory_bytes takes"),
        ({"keep": 1}, "keep takes True or False"),
        ({"manifest": 5}, "manifest takes a path"),
        ({"retry_failed": 1}, "retry_failed takes True or False"),
    ],
)
def test_it_is_checked_when_it_is_made(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        IngestRequest(**wrong)


def test_arguments_of_the_store_make_one() -> None:
    made = IngestRequest.of(["a.pdf"], tags="long", options=None, parts=None, limits=None)
    assert made == IngestRequest(paths=("a.pdf",), tags=("long",))
    assert IngestRequest(tags=("b", "a", "b")).tags == ("b", "a")
