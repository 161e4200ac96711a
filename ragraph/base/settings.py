"""Settings from the environment, read at each call so that a test or a notebook can change them.

=============================  =====================================================================
``RAGRAPH_HOME``               folder of the embedded store (default: the platform's user data folder)
``RAGRAPH_DATABASE_URL``       another PostgreSQL 16+ with pgvector, used instead of the embedded one
``RAGRAPH_ROLE``               role that connections assume: reader, writer, owner (``ragraph db roles``) or any other
``RAGRAPH_ASSETS``             folder or fsspec URL that originals are stored in (default: ``assets`` in the home)
``RAGRAPH_POSTGRES_VERSION``   major version of a new embedded store: 18 (default) or 16
``RAGRAPH_SERVER_TIMEOUT``     seconds to wait for the embedded server to start or recover (default 300)
``RAGRAPH_NICE``               CPU priority of jobs, a nice value: 0 (normal) to 19 (lowest); default 10
``RAGRAPH_LOG``                the log of jobs on standard error: none (default), text, json
``RAGRAPH_BACKEND``            encoder backend for documents: auto (default), plain, torch, openvino, onnx
``RAGRAPH_EMBEDDING_URL``      address of the endpoint of models called ``openai:NAME`` (default OpenAI's)
``RAGRAPH_EMBEDDING_KEY``      key for such endpoints; ``OPENAI_API_KEY`` is sent to OpenAI's own alone
=============================  =====================================================================
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, get_args

from ragraph.errors import ArgumentError, ServerError, ServerVersionError

LogKind = Literal["none", "text", "json"]


def home() -> Path:
    """Return the absolute path of the embedded store's folder, which need not exist.

    Root gets the machine's data folder instead of its own home, which the server's system user could not enter.
    """
    value = os.environ.get("RAGRAPH_HOME")
    if value:
        return Path(value).expanduser().absolute()
    import platformdirs  # imported here because the command line prints its help without it

    return Path(platformdirs.user_data_dir("ragraph", appauthor=False, use_site_for_root=True))


def database_url() -> str | None:
    """Return the URL of the PostgreSQL to use instead of the embedded server, or None."""
    return os.environ.get("RAGRAPH_DATABASE_URL") or None


def direct_url() -> str | None:
    """Return ``RAGRAPH_DIRECT_URL``, the server behind a pooler, or None."""
    return os.environ.get("RAGRAPH_DIRECT_URL") or None


def role() -> str | None:
    """Return the role that connections assume, or None to stay the user of the URL."""
    return os.environ.get("RAGRAPH_ROLE") or None


def assets() -> str | None:
    """Return the folder or fsspec URL that originals are stored in, or None for the default folder in the home."""
    return os.environ.get("RAGRAPH_ASSETS") or None


def postgres_version() -> int | None:
    """Return the requested major version of the embedded server.

    None means the version that the store was created with, and 18 for a new store.

    Raises:
        ServerVersionError: the value is not 16 or 18.
    """
    value = os.environ.get("RAGRAPH_POSTGRES_VERSION")
    if not value:
        return None
    if value not in {"16", "18"}:
        raise ServerVersionError(f"RAGRAPH_POSTGRES_VERSION is {value!r}: set it to 16 or 18, or unset it")
    return int(value)


def server_timeout() -> float:
    """Return the seconds to wait for the embedded server to start, recover or stop.

    Raises:
        ServerError: the value is not a positive number.
    """
    value = os.environ.get("RAGRAPH_SERVER_TIMEOUT")
    if not value:
        return 300.0
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ServerError(f"RAGRAPH_SERVER_TIMEOUT is {value!r}: set it to a number of seconds, or unset it")
    return seconds


def nice() -> int:
    """Return the nice value of jobs: 0 is normal priority, 19 the lowest.

    Raises:
        ArgumentError: the value is not a whole number from 0 to 19.
    """
    value = os.environ.get("RAGRAPH_NICE") or "10"
    if not value.isdecimal() or int(value) > 19:
        raise ArgumentError(f"RAGRAPH_NICE is {value!r}: set it to a number from 0 to 19, or unset it")
    return int(value)


def log() -> LogKind:
    """Return the format in which the log of jobs is printed on standard error.

    Raises:
        ArgumentError: the value is not one of none, text and json.
    """
    value = os.environ.get("RAGRAPH_LOG") or "none"
    for kind in get_args(LogKind):
        if value == kind:
            found: LogKind = kind
            return found
    raise ArgumentError(f"RAGRAPH_LOG is {value!r}: set it to none, text or json, or unset it")


def proxy_secret() -> str | None:
    """Return the secret that a proxy which signs users in shares with the service."""
    return os.environ.get("RAGRAPH_PROXY_SECRET") or None


def backend() -> str:
    """Return the encoder backend for documents: ``auto``, or a name that ``embedding.load_model`` accepts."""
    return os.environ.get("RAGRAPH_BACKEND") or "auto"


def embedding_url() -> str:
    """Return the address of the endpoint for models called ``openai:NAME``."""
    return os.environ.get("RAGRAPH_EMBEDDING_URL") or "https://api.openai.com/v1"
