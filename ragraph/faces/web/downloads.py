"""Files that are fetched from allowed hosts, within a time."""

from __future__ import annotations

import http.client
import socket
import string
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path, PurePosixPath
from threading import Event, Timer
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from ragraph.base.arguments import text
from ragraph.base.content_names import folders_of, relative
from ragraph.base.labels import name_as_text
from ragraph.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from http.client import HTTPMessage
    from typing import IO, BinaryIO

_QUIET_S = 60
"""Seconds without data after which a download is given up."""
MOST_S = 600.0
"""Seconds after which a download is given up, however much has arrived."""


class Download:
    """A file of an allowed host, which may not redirect to another one.

    Args:
        url: its address.
        hosts: the allowed hosts, as ``example.org`` or ``example.org:8080``.
        seconds: maximum duration of the download.

    Raises:
        ArgumentError: the address is not valid, or its host not allowed.
    """

    def __init__(self, url: str, hosts: Collection[str], seconds: float = MOST_S) -> None:
        self.url = url
        self._url = _ascii(url)
        self._hosts = frozenset(_ascii_host(host) for host in hosts)
        _check(self._url, self._hosts)
        self._seconds = seconds
        self._ended = Event()
        self._sockets: list[socket.socket] = []
        self.name = _name(url)

    def save(self, folder: Path, copy: Callable[[BinaryIO, Path], None]) -> Path:
        """Fetch the file into a folder; return its path, whose name a redirect may have changed.

        Its place will be its address (``ragraph.base.content_names``), so that pages of one name are several documents.

        Args:
            folder: where the file is written.
            copy: copies what arrives to a path.

        Raises:
            ArgumentError: the host refuses, is too slow or ends early, or the download was stopped.
        """
        timer = Timer(self._seconds, self.stop)
        timer.daemon = True
        timer.start()
        try:
            with self._opener().open(
                urllib.request.Request(self._url, headers={"User-Agent": "ragraph"}),  # noqa: S310 - checked
                timeout=min(_QUIET_S, self._seconds),
            ) as file:
                name = _name(file.url)
                if "." not in name and "html" in file.headers.get_content_type():
                    name += ".html"
                saved = folder / folders_of(self.url) / name
                saved.parent.mkdir(parents=True)
                copy(file, saved)
                if file.length and not self._ended.is_set():
                    raise ArgumentError(f"{self._url[:80]!r} ended {file.length:,} bytes early")
        except urllib.error.HTTPError as error:
            error.close()
            raise ArgumentError(f"{self._url[:80]!r} answers {error.code} {error.reason}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            if not self._ended.is_set():
                reason = " ".join(str(getattr(error, "reason", None) or error or type(error).__name__).split())
                raise ArgumentError(f"{self._url[:80]!r} cannot be fetched: {reason}") from None
        finally:
            timer.cancel()
        if self._ended.is_set():  # what was cut off looks like the end of a file
            raise ArgumentError(f"{self._url[:80]!r} was given up: {self._seconds:g} seconds are the most")
        return saved

    def stop(self) -> None:
        """End the download from another thread, also one that waits for data."""
        self._ended.set()
        for connected in self._sockets:
            with suppress(OSError):  # the host has ended the connection
                connected.shutdown(socket.SHUT_RDWR)

    def _connected(self, connected: socket.socket) -> None:
        self._sockets.append(connected)
        if self._ended.is_set():
            connected.close()
            raise TimeoutError("it took too long")

    def _opener(self) -> urllib.request.OpenerDirector:
        download = self

        class Plain(http.client.HTTPConnection):
            def connect(self) -> None:
                super().connect()
                download._connected(self.sock)

        class Encrypted(http.client.HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                download._connected(self.sock)

        class Http(urllib.request.HTTPHandler):
            def http_open(self, req: urllib.request.Request) -> Any:
                return self.do_open(Plain, req)

        class Https(urllib.request.HTTPSHandler):
            def https_open(self, req: urllib.request.Request) -> Any:
                return self.do_open(Encrypted, req)

        class Redirects(urllib.request.HTTPRedirectHandler):
            def redirect_request(
                self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
            ) -> urllib.request.Request | None:
                _check(newurl, download._hosts)
                return super().redirect_request(req, fp, code, msg, headers, newurl)

        return urllib.request.build_opener(urllib.request.ProxyHandler({}), Http, Https, Redirects)


def file_name(given: str | None) -> str:
    """Return the name of an upload, with its folders.

    Raises:
        ArgumentError: it has none, or is too long.
    """
    called = relative(text("the name of the file", given or ""))
    if called is None:
        raise ArgumentError("the file has no name")
    return called.as_posix()


def name_at(address: str | None) -> str:
    """Return the name of the file that an address ends with; empty if there is none."""
    return name_as_text(unquote_to_bytes(PurePosixPath(urlsplit(address or "").path).name))


def _name(url: str) -> str:
    return file_name(name_at(url) or "page.html")


def _ascii(url: str) -> str:
    """Return an address with what is not ASCII as HTTP sends it (RFC 3987, 3.1); escapes stay as they are."""
    with suppress(ValueError):  # _check says what is wrong
        parts = urlsplit(url)
        url = parts._replace(netloc=_ascii_host(parts.netloc)).geturl()
    return quote(url, safe=string.punctuation, errors="replace")


def _ascii_host(host: str) -> str:
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def _check(url: str, hosts: Collection[str]) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ArgumentError(f"url is {url[:80]!r}", hint="write it as https://host/path") from None
    name = (parts.hostname or "").lower()
    if parts.scheme not in ("http", "https") or not name or "@" in parts.netloc:
        raise ArgumentError(f"url is {url[:80]!r}", hint="write it as https://host/path")
    if name not in hosts and f"{name}:{port}" not in hosts:
        raise ArgumentError(f"the service may not fetch from {name[:80]!r}", hint="start it with --ingest-from HOST")
