"""Options that commands share, declared once in groups: a group is a dataclass whose fields are the options."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from ragraph.base.defaults import CURRENT_MODEL, Attachments
from ragraph.base.settings import LogKind
from ragraph.faces.cli.output import JsonOption
from ragraph.ingest.cli.progress import ProgressKind
from ragraph.ingest.reader_process.preflight import MEMORY_BYTES, TIMEOUT_S, Limits
from ragraph.ingest.readers import Layout, ReadOptions
from ragraph.ingest.vectors.parts import PartSettings, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MIB = 1024 * 1024
_PARTS = "Long texts"

ModelOption = Annotated[
    str,
    typer.Option(
        help="Embedding model: the one in use, a name on the hub, a folder, or openai:NAME behind an endpoint."
    ),
]
CollectionOption = Annotated[str, typer.Option(help="Collection of the documents.")]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, help="Files read at the same time; default one per core, at most 4.")
]
PasswordOption = Annotated[str | None, typer.Option(help="Opens encrypted PDFs.", envvar="RAGRAPH_PASSWORD")]
RayOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Share the job among the nodes of a Ray cluster: auto, HOST:PORT, ray://HOST:PORT; local starts one.",
    ),
]


@dataclass(frozen=True)
class EncoderOptions:
    """The encoder of texts."""

    backend: Annotated[
        str | None,
        typer.Option(
            envvar="RAGRAPH_BACKEND",
            help="Encoder backend: auto, the first that is faster on this machine and finds the same neighbours; "
            "plain; torch, openvino or onnx, also with /f32 or /bf16.",
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Endpoint of openai:NAME; default RAGRAPH_EMBEDDING_URL, else OpenAI's."),
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=16, help="Tokens that the model of openai:NAME reads; default 512.")
    ] = None

    def named(self) -> dict[str, Any]:
        """Return the arguments of ``Store.embed`` and the like."""
        return {"backend": self.backend, "base_url": self.base_url, "max_tokens": self.max_tokens}


@dataclass(frozen=True)
class EmbeddingOptions:
    """The model of new documents."""

    model: ModelOption = CURRENT_MODEL
    encoder: EncoderOptions = field(default_factory=EncoderOptions)
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Do not embed; `ragraph embed` does it later.")] = False

    def named(self) -> dict[str, Any]:
        """Return the arguments of ``Store.add_many`` and the like."""
        return {"model": None if self.no_embed else self.model, **self.encoder.named()}


@dataclass(frozen=True)
class DocumentOptions:
    """Where the documents go, and which files are included."""

    id: Annotated[
        str | None, typer.Option("--id", help="Id of the document; for a single file. Default: from its bytes.")
    ] = None
    collection: CollectionOption = "default"
    tag: Annotated[list[str] | None, typer.Option(help="Label of the publications; may be repeated.")] = None
    images: Annotated[
        bool,
        typer.Option(
            "--images",
            help="Ingest images beside documents too, as scanned pages; a folder with only images is always ingested.",
        ),
    ] = False


@dataclass(frozen=True)
class LimitOptions:
    """Limits for reading a file."""

    timeout: Annotated[
        float,
        typer.Option(min=0.1, help="Seconds for reading a file, and for writing it; a page read by OCR adds up to 60."),
    ] = TIMEOUT_S
    memory: Annotated[int, typer.Option(min=128, metavar="MIB", help="Memory for reading a file.")] = (
        MEMORY_BYTES // _MIB
    )
    max_size: Annotated[int, typer.Option(min=1, metavar="MIB", help="Largest file, packed and unpacked.")] = 1024

    def named(self) -> dict[str, Any]:
        """Return the fields of ``IngestRequest``."""
        limits = Limits(file_bytes=self.max_size * _MIB, unpacked_bytes=self.max_size * _MIB)
        return {"limits": limits, "timeout_s": self.timeout, "memory_bytes": self.memory * _MIB}


@dataclass(frozen=True)
class ReaderOptions:
    """How files are read."""

    password: PasswordOption = None
    layout: Annotated[
        Layout,
        typer.Option(
            help="How the structure of PDFs is found: rules; model, docling's layout model beneath the rules if its "
            "weights are on this machine, else the votes of that of the extra layout; auto, docling's, else rules."
        ),
    ] = "auto"
    no_ocr: Annotated[
        bool, typer.Option("--no-ocr", help="Do not read PDF pages that are images, even if the extra ocr is there.")
    ] = False
    ocr_model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Recognise such pages with this model, for letters that the packaged one does not know: a PaddleOCR "
            "model that recognises lines, as ONNX.",
        ),
    ] = None

    charset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Character set of text, CSV, HTML and other markup without a byte order mark, as windows-1250 or "
            "shift_jis. Without it, what a file states, else UTF-8, else the likeliest, with a warning if in doubt. It "
            "holds for the document until another is named, or auto.",
        ),
    ] = None

    hidden: Annotated[
        bool,
        typer.Option("--hidden/--no-hidden", help="Store what files hide from people too: sheets, slides, rows, text."),
    ] = False
    attachments: Annotated[
        Attachments,
        typer.Option(
            help="Attachments of mails and PDF files, and forwarded messages: documents of the publication; "
            "sections of the mail; none, only their names."
        ),
    ] = "documents"
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Read records (JSON, JSONL, YAML) and XML as this mapping says: which fields or elements are title, "
            "text, data or left out. A JSON file; see docs/reference/formats.md#mappings.",
        ),
    ] = None
    strict: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="SHARE",
            help="Fail a file if more than this share of its letters is unaccounted: neither stored nor left out for a "
            "reason. 0 allows none, 0.01 one in a hundred.",
        ),
    ] = None

    def settings(self) -> ReadOptions:
        """Return the options for readers."""
        return ReadOptions(
            password=self.password,
            layout=self.layout,
            ocr=not self.no_ocr,
            ocr_model=str(self.ocr_model.resolve()) if self.ocr_model else None,
            charset=self.charset,
            hidden=self.hidden,
            attachments=self.attachments,
            mapping=self.mapping.read_text(encoding="utf-8") if self.mapping else None,
            strict=self.strict,
        )


@dataclass(frozen=True)
class PartOptions:
    """How long texts are cut for embedding."""

    strategy: Annotated[
        Strategy,
        typer.Option(
            rich_help_panel=_PARTS,
            help="node: complete nodes, longer ones cut at ends of sentences; sentence: about --target tokens of "
            "complete sentences; recursive: paragraphs, then lines, sentences, words; fixed: every --target tokens.",
        ),
    ] = "node"
    target: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=_PARTS, help="Tokens per part; default what the model reads.")
    ] = None
    minimum: Annotated[
        int | None, typer.Option(min=0, rich_help_panel=_PARTS, help="Minimum tokens; default a quarter of the target.")
    ] = None
    maximum: Annotated[
        int | None, typer.Option(min=1, rich_help_panel=_PARTS, help="Maximum tokens; default what the model reads.")
    ] = None
    overlap: Annotated[
        int | None,
        typer.Option(min=0, rich_help_panel=_PARTS, help="Tokens shared with the part before; default 15 %."),
    ] = None

    def settings(self) -> PartSettings:
        """Return how texts are cut.

        Raises:
            typer.BadParameter: these options contradict each other.
        """
        try:
            return PartSettings(
                strategy=self.strategy,
                target=self.target,
                minimum=self.minimum,
                maximum=self.maximum,
                overlap=self.overlap,
            )
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None


@dataclass(frozen=True)
class PrintingOptions:
    """Output of a run."""

    progress: Annotated[
        ProgressKind,
        typer.Option(help="Progress on standard error: bar, on a terminal; json, a line for each file; none."),
    ] = "bar"
    log: Annotated[
        LogKind | None,
        typer.Option(
            envvar="RAGRAPH_LOG",
            help="Log on standard error: json, a line for each event with job, file, document, stage, seconds; text; "
            "none.",
        ),
    ] = None
    json: JsonOption = False


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of its groups, in place of the parameters annotated with a group."""
    own = inspect.signature(command, eval_str=True)
    groups = {name: item.annotation for name, item in own.parameters.items() if is_dataclass(item.annotation)}

    @wraps(command)
    def run(**values: Any) -> None:
        made = {name: _taken(group, values) for name, group in groups.items()}
        command(**values, **made)

    parameters = [
        part.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, item in own.parameters.items()
        for part in (_options(groups[name]) if name in groups else [item])
    ]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {part.name: part.annotation for part in parameters}
    return run


def _options(group: Any) -> Iterator[inspect.Parameter]:
    """Yield the options of a group and of the groups in it, in their order."""
    kinds = get_type_hints(group, include_extras=True)
    for item in fields(group):
        kind = kinds[item.name]
        if is_dataclass(kind):
            yield from _options(kind)
        else:
            yield inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=kind)


def _taken(group: Any, values: dict[str, Any]) -> Any:
    """Make a group from its options, which are removed from ``values``."""
    kinds = get_type_hints(group)
    return group(
        **{
            item.name: _taken(kinds[item.name], values) if is_dataclass(kinds[item.name]) else values.pop(item.name)
            for item in fields(group)
        }
    )
