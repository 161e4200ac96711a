"""Every error that ragraph raises, drawn as a tree.

    RagraphError
    ├── ServerError            the embedded or remote server cannot be used
    │   ├── ServerNotFoundError
    │   ├── ServerVersionError
    │   ├── ServerLoginError
    │   ├── ServerUnavailableError   it is gone: what may come back, so the same may be tried again
    │   ├── ServerResourcesError     it lacks connections, disk, memory or shared memory
    │   ├── PoolExhaustedError       all connections of this store are in use
    │   ├── StoreClosedError         this store was closed
    │   └── StoreForkedError         this store was opened in another process
    ├── SchemaVersionError     the database is older or newer than the code
    ├── ConstraintError        rows break a rule of the model; the database refuses them
    ├── IngestError            a file cannot be taken in
    │   ├── UnsupportedFormatError
    │   ├── EmptyFileError
    │   ├── DamagedFileError
    │   ├── EncryptedFileError
    │   ├── NoTextError
    │   ├── FileTooLargeError
    │   ├── ReaderTimeoutError
    │   ├── ReaderMemoryError
    │   └── RecordError
    ├── AssetError             an original cannot be kept, or a picture cannot be made of it
    ├── BackupError            a store cannot be backed up, restored or verified
    ├── ModelError             an embedding model cannot be loaded or used
    │   └── EndpointError            the endpoint that computes it cannot be reached, or refuses
    ├── TuningError            judged questions cannot be read, or nothing was learned from them; holds the figures
    ├── AnswerError            a language model cannot be reached, or gives nothing usable
    ├── IngestEndedError       taking in files ended early; holds the report of what was done
    └── StoreError             raised by the functions in the database, one class per SQLSTATE
        ├── DocumentNotFoundError   RG001
        ├── ComponentNotFoundError  RG002
        ├── NodeNotFoundError       RG003
        ├── ModelNotFoundError      RG004
        ├── ArgumentError           RG005
        ├── DimensionError          RG006
        ├── BrokenTreeError         RG007
        ├── BrokenOrderError        RG008
        ├── QuoteNotFoundError      RG009
        ├── LeaseLostError          RG010
        ├── JobNotFoundError        RG011
        ├── EntityNotFoundError     RG014
        ├── WorkNotFoundError       RG015
        └── RoleNotFoundError       RG016

``STORE_ERRORS`` maps each SQLSTATE to its class; docs/reference/errors.md has a line for each, and a test holds the
SQL files, this table and that page together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragraph.schema.rankers import TuneReport
    from ragraph.schema.reports import IngestReport


class RagraphError(Exception):
    """Base of all errors of ragraph; the message is one line that says what to do next.

    Each face words that line for itself: Python names its arguments, the command line its options
    (``ragraph.faces.cli.output``), SQL its functions. So an error keeps the parts apart.

    Args:
        said: what is wrong.
        hint: what to do next; empty where ``said`` has it.
        argument: name of the argument to give, the last word of the hint.
    """

    look = ""
    """Where Python finds what the message says is missing; takes the place of a hint in SQL."""

    def __init__(self, said: str = "", *, hint: str = "", argument: str | None = None) -> None:
        super().__init__(said)
        self.said = said
        self.hint = hint
        self.argument = argument

    def __str__(self) -> str:
        return one_line(self.said, self.hint, self.argument and f"{self.argument}=")


class RagraphNotice(UserWarning):
    """What the database says of a call that did not fail but may not have meant what it found, by ``warnings.warn``."""


class ServerError(RagraphError):
    """The PostgreSQL server cannot be used."""


class ServerNotFoundError(ServerError):
    """The data folder of the embedded server is missing or is not one."""


class ServerVersionError(ServerError):
    """The server is older than PostgreSQL 16, or lacks pgvector."""


class ServerLoginError(ServerError):
    """The server refuses the user, the password or the database."""


class ServerUnavailableError(ServerError):
    """The server does not answer, or ended the connection; it may be back when the same is tried again."""


class ServerResourcesError(ServerError):
    """The server runs but has no connection, disk space, memory or shared memory left."""


class PoolExhaustedError(ServerError):
    """All connections of this store are in use, and none became free in time."""


class StoreClosedError(ServerError):
    """The store was closed; it neither opens a connection nor starts a server again."""


class StoreForkedError(ServerError):
    """The store is used in another process than it was opened in."""


class SchemaVersionError(RagraphError):
    """The schema in the database is older or newer than this version of ragraph."""


class ConstraintError(RagraphError):
    """Rows break a rule of the model that the schema keeps; nothing was written."""


class IngestError(RagraphError):
    """A file cannot be taken in; the store is as it was."""


class UnsupportedFormatError(IngestError):
    """No reader knows the format of the file."""


class EmptyFileError(IngestError):
    """The file has no bytes, or no content."""


class DamagedFileError(IngestError):
    """The file is truncated, corrupt, or not what its name says."""


class EncryptedFileError(IngestError):
    """The file needs a password."""


class NoTextError(IngestError):
    """The pages hold only images; the text has to be recognised first."""


class FileTooLargeError(IngestError):
    """The file, or what it unpacks to, is larger than the limit."""


class ReaderTimeoutError(IngestError):
    """Reading the file took longer than the limit."""


class ReaderMemoryError(IngestError):
    """Reading the file took more memory than the limit, or ended the reader."""


class RecordError(IngestError):
    """A publication record is malformed; the message holds the JSON path."""


class IngestEndedError(RagraphError):
    """Taking in files ended before all was done; the cause is why, ``report`` says what was done."""

    def __init__(self, message: str, report: IngestReport) -> None:
        super().__init__(message)
        self.report = report


class IngestInterrupt(KeyboardInterrupt):
    """The same, by Ctrl-C: no error of ragraph, and like every KeyboardInterrupt not caught by ``Exception``."""

    def __init__(self, message: str, report: IngestReport) -> None:
        super().__init__(message)
        self.report = report


class AssetError(RagraphError):
    """The original of a document cannot be kept or is not there, or no picture can be made of it."""


class BackupError(RagraphError):
    """A backup cannot be written or read, or what was restored is not what was backed up."""


class ModelError(RagraphError):
    """An embedding model cannot be loaded, or gives vectors the store cannot take."""


class EndpointError(ModelError):
    """An endpoint that computes vectors cannot be reached, refuses, or gives something else; no text is to blame."""


class TuningError(RagraphError):
    """Judged questions cannot be read or learned from, or what was learned gains nothing sure; nothing was stored.

    ``report`` has the figures where it came to that.
    """

    def __init__(
        self, said: str, *, report: TuneReport | None = None, hint: str = "", argument: str | None = None
    ) -> None:
        super().__init__(said, hint=hint, argument=argument)
        self.report = report


class AnswerError(RagraphError):
    """A language model cannot be reached, or gives no answer that can be used.

    ``ended`` says that it went on until it might no longer.
    """

    def __init__(self, said: str, *, hint: str = "", argument: str | None = None, ended: bool = False) -> None:
        super().__init__(said, hint=hint, argument=argument)
        self.ended = ended


class StoreError(RagraphError):
    """Raised by a function in the database; ``sqlstate`` is its code."""

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
    """An argument is outside what the function takes."""

    sqlstate = "RG005"


class DimensionError(StoreError):
    """The query vector does not have the dimensions of the model."""

    sqlstate = "RG006"


class BrokenTreeError(StoreError):
    """The component tree of the document is not sound, so it cannot be sequenced."""

    sqlstate = "RG007"


class BrokenOrderError(StoreError):
    """The CONTINUES chain of the document branches or has a cycle."""

    sqlstate = "RG008"


class QuoteNotFoundError(StoreError):
    """The node does not have the words that are quoted from it."""

    sqlstate = "RG009"


class LeaseLostError(StoreError):
    """Another process took the file over; nothing was written for it."""

    sqlstate = "RG010"


class JobNotFoundError(StoreError):
    """No batch job has this id."""

    look = "store.jobs() lists the ids"

    sqlstate = "RG011"


class EntityNotFoundError(StoreError):
    """No document names an entity so, or the one that is asked for does not."""

    look = "store.entities() lists them"

    sqlstate = "RG014"


class WorkNotFoundError(StoreError):
    """No document cites such a work, or the one that is asked for does not."""

    look = "store.works() lists them"

    sqlstate = "RG015"


class RoleNotFoundError(StoreError):
    """The server has no role of this name, so nothing can be granted to it."""

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
"""SQLSTATE of class RG to the exception it becomes."""


_LINE = 500
"""Characters of what an error says, without its hint: others put whole texts into arguments."""


def one_line(said: str, hint: str = "", argument: str | None = None) -> str:
    """Return what is wrong and what to do next as one line; a long value in the middle of it is cut."""
    said = " ".join(said.split()) if "\n" in said else said
    if len(said) > _LINE:
        said = f"{said[: _LINE - 100]}…{said[-100:]}"
    advice = " ".join(part for part in (hint, argument) if part)
    return f"{said}{'' if said.endswith('?') else ';'} {advice}" if advice else said


def reworded(error: RagraphError, look: Mapping[type[RagraphError], str], argument: str | None) -> str:
    """Return what an error says, in the words of a face other than Python.

    Args:
        error: the error.
        look: what the face says to do after an error of a class, in place of what Python says.
        argument: what the face calls the argument that the error names.
    """
    return one_line(error.said, (error.hint and look.get(type(error))) or error.hint, argument)


def first_line(error: BaseException) -> str:
    """Return the first line of what an error of others says, or its name, for a message of one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
