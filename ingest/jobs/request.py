"""What a run is asked for: checked when it is made, and kept with a batch job, so that it can go on with the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import check_fields, refusal, texts
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.labels import check_id, clean_tag
from ragraph.ingest.files.addresses import is_address
from ragraph.ingest.files.places import printable
from ragraph.ingest.reader_process.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.vectors.parts import PartSettings
from ragraph.models.embedding import EmbeddingModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SECRET = ("password",)

_KINDS: dict[str, type | tuple[type, ...]] = {
    "model": (str, EmbeddingModel),
    "options": ReadOptions,
    "parts": PartSettings,
    "limits": Limits,
}
_GROUPS = ("options", "parts", "limits")
"""Fields that are dataclasses of their own."""


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """What ``ingest_paths`` takes in, and how.

    Raises:
        ArgumentError: a field is not of its type; or what cannot be called so: the document, a tag.
    """

    paths: tuple[str | Path, ...] = ()
    """Files, folders, patterns and addresses; see ``find_files``."""

    collection: str = "default"
    """Namespace of new documents."""

    tags: tuple[str, ...] = ()
    """Put on the publications of the documents, each once; one text is one tag."""

    document_id: str | None = None
    """Id of the document, for a single file; None takes it from the bytes of the file."""

    images: bool = False
    """Take in the images of folders that hold documents too, each as a scanned page."""

    model: str | EmbeddingModel | None = CURRENT_MODEL
    """Name, folder or model to embed with; None embeds nothing. A job is kept with its name."""

    backend: str | None = None
    """What computes the vectors, as of ``ragraph.models.embedding.ModelOptions``."""

    base_url: str | None = None
    """Endpoint of a model ``openai:NAME``, as of ``ModelOptions``."""

    max_tokens: int | None = None
    """Tokens that a model ``openai:NAME`` reads, as of ``ModelOptions``."""

    options: ReadOptions = field(default_factory=ReadOptions)
    """For the readers; a password in it is not kept with a job."""

    parts: PartSettings = field(default_factory=PartSettings)
    """How long texts are cut for embedding."""

    limits: Limits = field(default_factory=Limits)
    """What a file may be at most."""

    timeout_s: float = TIMEOUT_S
    """Seconds of wall clock that reading a file may take; a page whose text is recognised adds to it."""

    memory_bytes: int = MEMORY_BYTES
    """Memory that reading a file may take."""

    keep: bool = True
    """Keep the originals, where the store has a place for them."""

    manifest: str | Path | None = None
    """Take in also the files that this lists: JSON lines as of ``manifest.ManifestLine``. Not kept with a job, which
    has its files."""

    retry_failed: bool = False
    """Take in, in place of ``paths``, the files of the collection whose last try in any job failed. Not kept with a
    job."""

    def __post_init__(self) -> None:
        check_fields(self, **_KINDS)
        if self.document_id is not None:
            check_id(self.document_id)
        tags = texts("tags", self.tags)
        if tags is None:
            raise refusal("tags", "text, or a list of texts", None)
        object.__setattr__(self, "tags", tuple(dict.fromkeys(map(clean_tag, tags))))

    @classmethod
    def of(cls, paths: Iterable[str | Path] = (), **options: Any) -> IngestRequest:
        """Return the request that arguments as of ``Store.ingest`` make.

        Args:
            paths: as the field.
            **options: fields by name; ``options``, ``parts`` and ``limits`` may be None, which is their default.
        """
        given = {name: value for name, value in options.items() if value is not None or name not in _GROUPS}
        return cls(paths=tuple(paths), **given)

    def to_json(self) -> dict[str, Any]:
        """Return what is kept of it with a job: plain values, without the password."""
        options = {name: value for name, value in asdict(self.options).items() if name not in _SECRET}
        own = {name: getattr(self, name) for name in _PLAIN}
        named = None if self.model is None else self.model if isinstance(self.model, str) else self.model.name
        return {
            **{**own, "paths": tuple(map(_absolute, self.paths)), "model": named},
            **{"options": options, "parts": asdict(self.parts), "limits": asdict(self.limits)},
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], password: str | None = None) -> IngestRequest:
        """Return the request that a job was kept with; what this version does not know is passed over.

        Args:
            kept: as of ``to_json``; of an earlier version too, what lacks there has its default.
            password: opens files; it is not kept.
        """
        own = {"model": None, **{name: kept[name] for name in _PLAIN if name in kept}}
        request = cls(
            **{**own, "paths": tuple(own.get("paths", ()))},
            options=_made(ReadOptions, kept.get("options", {})),
            parts=_made(PartSettings, kept.get("parts", {})),
            limits=_made(Limits, kept.get("limits", {})),
        )
        return replace(request, options=replace(request.options, password=password))


_PLAIN = (
    *("paths", "collection", "tags", "document_id", "images", "model", "backend", "base_url", "max_tokens"),
    *("timeout_s", "memory_bytes", "keep"),
)
"""Fields that are kept as they are."""


def _absolute(path: str | Path) -> str:
    return str(path) if is_address(path) else printable(Path(path).absolute())


def _made(kind: Any, values: Mapping[str, Any]) -> Any:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return kind(**{name: value for name, value in known.items() if name in kind.__dataclass_fields__})
