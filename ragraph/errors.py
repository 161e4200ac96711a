"""Every error that ragraph raises, as a tree of classes.

    RagraphError
    ├── ServerError            the embedded or remote server cannot be used
    │   ├── ServerNotFoundError
    │   ├── ServerVersionError
    │   ├── ServerLoginError
    │   │   └── AccessError              the role may not read or write there
    │   ├── ServerUnavailableError   it does not answer; a retry may help
    │   ├── ServerResourcesError     it has no connections, disk space, memory or shared memory left
    │   ├── ServerReadOnlyError      it is a standby, or set to read only
    │   ├── PoolExhaustedError       all connections of this store are in use
    │   ├── StoreClosedError         this store was closed
    │   └── StoreForkedError         this store was opened in another process
    ├── SchemaVersionError     the database is older or newer than the code
    ├── ConstraintError        rows violate a constraint; the database refuses them
    ├── IngestError            a file cannot be ingested
    │   ├── UnsupportedFormatError
    │   ├── EmptyFileError
    │   ├── DamagedFileError
    │   ├── EncryptedFileError
    │   ├── NoTextError
    │   ├── FileTooLargeError
    │   ├── ReaderTimeoutError
    │   ├── ReaderMemoryError
    │   └── RecordError
    ├── AssetError             an original cannot be stored or found, or no picture can be made of it
    ├── BackupError            a store cannot be backed up, restored or verified
    ├── ModelError             an embedding model cannot be loaded or used
    │   └── EndpointError            its endpoint cannot be reached, or refuses the request
    ├── TuningError            judged questions cannot be read, or nothing was learned from them; has the figures
    ├── AnswerError            a language model cannot be reached, or returns nothing usable
    ├── IngestEndedError       ingestion ended early; has the report of what was done
    └── StoreError             raised by functions of the database, one class for each SQLSTATE
        ├── DocumentNotFoundError   RG001
        ├── ComponentNotFoundError  RG002
        ├── NodeNotFoundError       RG003
        ├── ModelNotFoundError      RG004
        ├── ArgumentError           RG005
        │   ├── PageNotFoundError
        │   └── VersionNotFoundError
        ├── DimensionError          RG006
        ├── BrokenTreeError         RG007
        ├── BrokenOrderError        RG008
        ├── QuoteNotFoundError      RG009
        ├── LeaseLostError          RG010
        ├── JobNotFoundError        RG011
        ├── EntityNotFoundError     RG014
        ├── WorkNotFoundError       RG015
        └── RoleNotFoundError       RG016

``STORE_ERRORS`` maps each SQLSTATE to its class. docs/reference/errors.md has a line for each error, and a test
compares the SQL files, this table and that page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragraph.schema.rankers import TuneReport
    from ragraph.schema.reports import IngestReport


class RagraphError(Exception):
    """Base of all errors of ragraph. The message is one line that says what to do next.

    Each interface adapts that line: Python names its arguments, the command line its options
    (``ragraph.faces.cli.output``), SQL its functions. So an error stores the parts separately.

    Args:
        said: what happened.
        hint: what to do next; empty if ``said`` has it.
        argument: name of the argument to use, the last word of the hint.
    """

    look = ""
    """Where Python programs find what is missing; replaces the hint of the SQL error."""

    def __init__(self, said: str = "", *, hint: str = "", argument: str | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.hint = hint
        self.argument = argument

    def __str__(self) -> str:
        return one_line(self.said, self.hint, self.argument and f"{self.argument}=")


class RagraphNotice(UserWarning):
    """Issued with ``warnings.warn`` for a call that succeeded but may not have done what the caller meant."""


class ServerError(RagraphError):
    """The PostgreSQL server cannot be used."""


class ServerNotFoundError(ServerError):
    """The data folder of the embedded server is missing or is not one."""


class ServerVersionError(ServerError):
    """The server is older than PostgreSQL 16, or lacks pgvector."""


class ServerLoginError(ServerError):
    """The server refuses the user, the password or the database."""


class AccessError(ServerLoginError):
    """The role may not read or write there: it lacks a grant, or row-level security excludes the rows."""


class ServerUnavailableError(ServerError):
    """The server does not answer, or ended the connection; a retry may succeed."""


class ServerResourcesError(ServerError):
    """The server runs but has no connections, disk space, memory or shared memory left."""


class ServerReadOnlyError(ServerError):
    """The server only reads: it is a standby, or its transactions are set to read only."""


class PoolExhaustedError(ServerError):
    """All connections of this store are in use, and none became free in time."""


class StoreClosedError(ServerError):
    """The store was closed; it opens no connection and starts no server any more."""


class StoreForkedError(ServerError):
    """The store is used in another process than the one that opened it."""


class SchemaVersionError(RagraphError):
    """The schema in the database is older or newer than this version of ragraph."""


class ConstraintError(RagraphError):
    """Rows violate a constraint of the schema; nothing was written."""


class IngestError(RagraphError):
    """A file cannot be ingested; the store is unchanged."""


class UnsupportedFormatError(IngestError):
    """No reader supports the format of the file."""


class EmptyFileError(IngestError):
    """The file has no bytes, or no content."""


class DamagedFileError(IngestError):
    """The file is truncated, corrupt, or has another format than its name says."""


class EncryptedFileError(IngestError):
    """The file needs a password."""


class NoTextError(IngestError):
    """The pages are images without text; text recognition (OCR) is needed."""


class FileTooLargeError(IngestError):
    """The file, or its unpacked content, is larger than the limit."""


class ReaderTimeoutError(IngestError):
    """Reading the file, or writing its rows, took longer than its limit, or needed too much of the disk."""


class ReaderMemoryError(IngestError):
    """Reading the file took more memory than the limit, or crashed the reader process."""


class RecordError(IngestError):
    """A publication record is malformed; the message has the JSON path."""


class IngestEndedError(RagraphError):
    """Ingestion ended early; the cause says why, and ``report`` what was done."""

    def __init__(self, message: str, report: IngestReport) -> None:
        super().__init__(message)
        self.report = report


class IngestInterrupt(KeyboardInterrupt):
    """Ingestion was interrupted by Ctrl-C. Like every KeyboardInterrupt, it is not caught by ``except Exception``."""

    def __init__(self, message: str, report: IngestReport) -> None:
        super().__init__(message)
        self.report = report


class AssetError(RagraphError):
    """The original of a document cannot be stored or is missing, or no picture can be made of it."""


class BackupError(RagraphError):
    """A backup cannot be written or read, or the restored store differs from the backup."""


class ModelError(RagraphError):
    """An embedding model cannot be loaded, or its vectors cannot be stored."""


class EndpointError(ModelError):
    """An embedding endpoint cannot be reached, refuses requests, or returns something else; no text is the cause."""


class TuningError(RagraphError):
    """Judged questions cannot be read or learned from, or the gain is not certain; nothing was stored.

    ``report`` has the figures if any were computed, else it is None.
    """

    def __init__(
        self, said: str, *, report: TuneReport | None = None, hint: str = "", argument: str | None = None
    ) -> None:
        super().__init__(said, hint=hint, argument=argument)
        self.report = report


class AnswerError(RagraphError):
    """A language model cannot be reached, or returns no usable answer.

    ``ended`` is True if the model used up its steps.
    """

    def __init__(self, said: str, *, hint: str = "", argument: str | None = None, ended: bool = False) -> None:
        super().__init__(said, hint=hint, argument=argument)
        self.ended = ended


class StoreError(RagraphError):
    """Raised by a function of the database; ``sqlstate`` is its code."""

    sqlstate = "RG000"


class DocumentNotFoundError(StoreError):
    """No document has this id."""

    look = "store.documents() lists the ids"

    sqlstate = "RG001"


class ComponentNotFoundError(StoreError):
    """The document has no component with this id."""

    look = "store.toc(document) lists the sections"

    sqlstate = "RG002"


class NodeNotFoundError(StoreError):
    """The document has no content node with this id."""

    look = "ids of nodes come from a search, store.page() or store.nodes()"

    sqlstate = "RG003"


class ModelNotFoundError(StoreError):
    """No embedding model of this name is registered in the store."""

    sqlstate = "RG004"


class ArgumentError(StoreError):
    """An argument is invalid."""

    sqlstate = "RG005"


class PageNotFoundError(ArgumentError):
    """The document has no such page."""


class VersionNotFoundError(ArgumentError):
    """No such version of the document is kept."""


class DimensionError(StoreError):
    """The query vector does not have the dimensions of the model."""

    sqlstate = "RG006"


class BrokenTreeError(StoreError):
    """The component tree of the document is broken, so its nodes cannot be ordered."""

    sqlstate = "RG007"


class BrokenOrderError(StoreError):
    """The CONTINUES chain of the document branches or has a cycle."""

    sqlstate = "RG008"


class QuoteNotFoundError(StoreError):
    """The node does not have the quoted words."""

    sqlstate = "RG009"


class LeaseLostError(StoreError):
    """Another process took over the file; nothing was written for it."""

    sqlstate = "RG010"


class JobNotFoundError(StoreError):
    """No batch job has this id."""

    look = "store.jobs() lists the ids"

    sqlstate = "RG011"


class EntityNotFoundError(StoreError):
    """No document mentions an entity of this name, or not the given document."""

    look = "store.entities() lists them"

    sqlstate = "RG014"


class WorkNotFoundError(StoreError):
    """No document cites this work, or not the given document."""

    look = "store.works() lists them"

    sqlstate = "RG015"


class RoleNotFoundError(StoreError):
    """The server has no role of this name, so it cannot be granted anything."""

    look = "make it first: CREATE ROLE name LOGIN PASSWORD '...', or grant_collection(..., create=True)"

    sqlstate = "RG016"


STORE_ERRORS: dict[str, type[StoreError]] = {
    error.sqlstate: error
    for error in (
        DocumentNotFoundError,
        ComponentNotFoundError,
        NodeNotFoundError,
        ModelNotFoundError,
        ArgumentError,
        DimensionError,
        BrokenTreeError,
        BrokenOrderError,
        QuoteNotFoundError,
        LeaseLostError,
        JobNotFoundError,
        EntityNotFoundError,
        WorkNotFoundError,
        RoleNotFoundError,
    )
}
"""Exception class by SQLSTATE of class RG."""


_LINE = 500
"""Maximum length of an error's text without its hint, in characters, because arguments may be long texts."""


def one_line(said: str, hint: str = "", argument: str | None = None) -> str:
    """Return what happened and what to do next as one line; a long text is shortened in the middle."""
    said = " ".join(said.split()) if "\n" in said else said
    if len(said) > _LINE:
        said = f"{said[: _LINE - 100]}…{said[-100:]}"
    advice = " ".join(part for part in (hint, argument) if part)
    return f"{said}{'' if said.endswith('?') else ';'} {advice}" if advice else said


def reworded(error: RagraphError, look: Mapping[type[RagraphError], str], argument: str | None) -> str:
    """Return the message of an error for another interface than Python.

    Args:
        error: the error.
        look: the interface's hints by class of error, which replace Python's.
        argument: the interface's name of the argument that the error names.
    """
    return one_line(error.said, (error.hint and look.get(type(error))) or error.hint, argument)


def first_line(error: BaseException) -> str:
    """Return the first line of any exception's message, or the name of its class, for use in a one-line message."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
