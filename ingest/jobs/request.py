"""The arguments of a run, checked when it is made, and stored with a batch job so that it can be resumed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragraph.base.arguments import check_fields, refusal, texts
from ragraph.base.defaults import CURRENT_MODEL
from ragraph.base.labels import check_id, clean_tag
from ragraph.errors import ArgumentError
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
"""Fields that are dataclasses themselves."""


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """The files that ``ingest_paths`` ingests, and the options.

    Raises:
        ArgumentError: a field has a wrong type, or the document id or a tag is not a valid name.
    """

    paths: tuple[str | Path, ...] = ()
    """Files, folders, patterns and addresses; see ``find_files``."""

    collection: str = "default"
    """Collection of new documents."""

    tags: tuple[str, ...] = ()
    """Labels for the publications of the documents, without duplicates; a single text is one tag."""

    document_id: str | None = None
    """Id of the document, for a single file; None derives it from the bytes of the file."""

    images: bool = False
    """Ingest images in folders that hold documents too, each as a scanned page."""

    model: str | EmbeddingModel | None = CURRENT_MODEL
    """Name, folder or model to embed with; None embeds nothing. A job stores its name."""

    backend: str | None = None
    """Encoder backend, see ``ragraph.models.embedding.ModelOptions``."""

    base_url: str | None = None
    """Endpoint of a model ``openai:NAME``, see ``ModelOptions``."""

    max_tokens: int | None = None
    """Tokens that a model ``openai:NAME`` reads, see ``ModelOptions``."""

    options: ReadOptions = field(default_factory=ReadOptions)
    """Options for the readers; a password is not stored with a job."""

    parts: PartSettings = field(default_factory=PartSettings)
    """How long texts are cut for embedding."""

    limits: Limits = field(default_factory=Limits)
    """Limits of a file's size."""

    timeout_s: float = TIMEOUT_S
    """Wall-clock seconds for reading a file; each page whose text is recognised adds to it."""

    memory_bytes: int = MEMORY_BYTES
    """Maximum bytes of memory for reading a file."""

    keep: bool = True
    """Store the originals, if the store has a place for them."""

    manifest: str | Path | None = None
    """Also ingest the files that this manifest lists: JSON lines, see ``manifest.ManifestLine``. Not stored with a job,
    which has the files."""

    retry_failed: bool = False
    """Instead of ``paths``, ingest the files of the collection whose last attempt in any job failed. Not stored with a
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
        """Return the request for arguments of ``Store.ingest``.

        Args:
            paths: see the field.
            **options: fields by name; ``options``, ``parts`` and ``limits`` may be None for their default. ``charset``
                is that of ``options``.

        Raises:
            ArgumentError: an option does not exist, or has a wrong value.
        """
        given = {name: value for name, value in options.items() if value is not None or name not in _GROUPS}
        charset = given.pop("charset", None)
        if unknown := given.keys() - cls.__dataclass_fields__.keys():
            name = min(unknown)
            where = f"use one of {', '.join((*cls.__dataclass_fields__, 'charset'))}"
            if near := get_close_matches(name, [*cls.__dataclass_fields__, "charset"], 1):
                where = f"did you mean {near[0]!r}?"
            if name in ReadOptions.__dataclass_fields__:
                where = "it belongs in options=ReadOptions(...)"
            raise ArgumentError(f"ingest takes no option {name!r}", hint=where)
        request = cls(paths=tuple(paths), **given)
        if charset is None:
            return request
        return replace(request, options=replace(request.options, charset=charset))

    def to_json(self) -> dict[str, Any]:
        """Return the values that a job stores, without the password."""
        options = {name: value for name, value in asdict(self.options).items() if name not in _SECRET}
        own = {name: getattr(self, name) for name in _PLAIN}
        named = None if self.model is None else self.model if isinstance(self.model, str) else self.model.name
        return {
            **{**own, "paths": tuple(map(_absolute, self.paths)), "model": named},
            **{"options": options, "parts": asdict(self.parts), "limits": asdict(self.limits)},
        }

    @classmethod
    def from_json(cls, kept: Mapping[str, Any], password: str | None = None) -> IngestRequest:
        """Return the request that a job stored; ignore fields that this version does not know.

        Args:
            kept: values of ``to_json``, also of an earlier version; missing fields get their default.
            password: opens files; a job does not store it.
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
"""Fields that are stored unchanged."""


def _absolute(path: str | Path) -> str:
    return str(path) if is_address(path) else printable(Path(path).absolute())


def _made(kind: Any, values: Mapping[str, Any]) -> Any:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return kind(**{name: value for name, value in known.items() if name in kind.__dataclass_fields__})
