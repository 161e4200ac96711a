"""Extractors that use models for named entities: spaCy pipelines, and GLiNER, by name or folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.extras import needing
from ragraph.entities.found import Found, FoundEntity, Span
from ragraph.errors import ArgumentError, ModelError, first_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragraph.entities.found import NodeText

_LABELS = "person,organization,location,date,product,event,law,disease,chemical,gene"
_MOST_CHARACTERS = 500_000
"""Maximum number of characters of a node that a pipeline reads; spaCy accepts at most a million."""


class Spacy:
    """A spaCy pipeline; each label that it assigns is a kind of entity."""

    batch = 256

    def __init__(self, pipeline: Any, name: str) -> None:
        self._pipeline = pipeline
        self.name = name
        # its configuration and patterns: two pipelines of one version may differ in both
        content = json.dumps(pipeline.meta | {"config": pipeline.config.to_str()}, sort_keys=True, default=str)
        self.version = f"{pipeline.meta.get('version', '0')}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        """Return the named entities of nodes."""
        texts = (node.content[:_MOST_CHARACTERS] for node in nodes)
        spans = (
            [(entity.label_, entity.start_char, entity.end_char) for entity in read.ents]
            for read in self._pipeline.pipe(texts)
        )
        return gather(nodes, spans)


class Gliner:
    """A GLiNER model, which finds entities of given kinds."""

    batch = 64

    def __init__(self, model: Any, name: str, labels: list[str]) -> None:
        self._model, self._labels = model, labels
        self.name = name
        self.version = "1 " + ",".join(labels)

    def extract(self, nodes: Sequence[NodeText]) -> Found:
        """Return the named entities of nodes."""
        spans = (
            [
                (found["label"], found["start"], found["end"])
                for found in self._model.predict_entities(text, self._labels)
            ]
            for text in (node.content for node in nodes)
        )
        return gather(nodes, spans)


def gather(nodes: Sequence[NodeText], spans: Any) -> Found:
    """Return entities by kind and name, from the kind, start and end of each span found in each node."""
    known: dict[tuple[str, str], FoundEntity] = {}
    for node, found in zip(nodes, spans, strict=True):
        for kind, start, end in found:
            surface = node.content[start:end]
            start += len(surface) - len(surface.lstrip())
            name = " ".join(surface.split())
            if not any(map(str.isalnum, name)) or len(name) > 300:
                continue
            entity = known.setdefault((kind, name.casefold()), FoundEntity(kind, name))
            entity.spans.append(Span(node.id, start, start + len(surface.strip())))
    return Found(list(known.values()))


def make_spacy(argument: str | None) -> Spacy:
    """Return a spaCy pipeline by the name of its package or its folder.

    Raises:
        ArgumentError: no pipeline is named.
        ModelError: spaCy is not installed, or the pipeline cannot be loaded.
    """
    if not argument:
        raise ArgumentError("no pipeline is named; write spacy:en_core_web_sm, or spacy: and a folder")
    with needing("a pipeline of spaCy", ModelError):
        import spacy
    try:
        pipeline = spacy.load(argument)
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(f"spaCy cannot load {argument!r}: {first_line(error)}") from error
    return Spacy(pipeline, f"spacy:{_named(argument)}")


def make_gliner(argument: str | None) -> Gliner:
    """Return a GLiNER by hub name or folder; labels follow a question mark: ``urchade/gliner_small?person,drug``.

    Raises:
        ArgumentError: no model is named.
        ModelError: the package is not installed, or the model cannot be loaded.
    """
    if not argument:
        raise ArgumentError("no model is named; write gliner:urchade/gliner_small-v2.1, or gliner: and a folder")
    place, _, labels = argument.partition("?")
    try:
        from gliner import GLiNER
    except ImportError as error:
        raise ModelError("GLiNER is not installed; pip install gliner") from error
    try:
        model = GLiNER.from_pretrained(place, local_files_only=Path(place).is_dir())
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"GLiNER cannot load {place!r}: {first_line(error)}") from error
    return Gliner(model, f"gliner:{_named(place)}", [label.strip() for label in (labels or _LABELS).split(",")])


def _named(place: str) -> str:
    """Return the last part of a folder's path, which is the same on another machine; other names unchanged."""
    return Path(place).name if Path(place).is_dir() else place
