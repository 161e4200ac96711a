"""What a run was asked for: kept with a batch job, so that it can go on with the same."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ragraph.ingest.readers import ReadOptions
from ragraph.ingest.reading.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.vectors.parts import PartSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECRET = ("password",)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Arguments of ``start.ingest_paths`` by the same names; ``keep`` is whether originals are kept."""

    paths: tuple[str, ...] = ()
    collection: str = "default"
    tags: tuple[str, ...] = ()
    document_id: str | None = None
    images: bool = False
    model: str | None = None
    backend: str | None = None
    base_url: str | None = None
    max_tokens: int | None = None
    options: ReadOptions = field(default_factory=ReadOptions)
    parts: PartSettings = field(default_factory=PartSettings)
    limits: Limits = field(default_factory=Limits)
    timeout_s: float = TIMEOUT_S
    memory_bytes: int = MEMORY_BYTES
    keep: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values, without the password."""
        options = {name: value for name, value in asdict(self.options).items() if name not in _SECRET}
        own = {name: getattr(self, name) for name in _PLAIN}
        return {**own, "options": options, "parts": asdict(self.parts), "limits": asdict(self.limits)}

    @classmethod
    def of(cls, kept: Mapping[str, Any], password: str | None) -> Asked:
        """Return what was kept; what a later version no longer knows is passed over."""
        own = {name: kept[name] for name in _PLAIN if name in kept}
        for name in ("paths", "tags"):
            own[name] = tuple(own.get(name, ()))
        asked = cls(
            **own,
            options=_made(ReadOptions, kept.get("options", {})),
            parts=_made(PartSettings, kept.get("parts", {})),
            limits=_made(Limits, kept.get("limits", {})),
        )
        return replace(asked, options=replace(asked.options, password=password))


_PLAIN = (
    *("paths", "collection", "tags", "document_id", "images", "model", "backend", "base_url", "max_tokens"),
    *("timeout_s", "memory_bytes", "keep"),
)


def _made(kind: Any, values: Mapping[str, Any]) -> Any:
    known = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return kind(**{name: value for name, value in known.items() if name in kind.__dataclass_fields__})
