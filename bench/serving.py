"""How long a reader waits: pages of the service, and the time from an installation to the first cited hit on its page.

    python -m bench.serving [--documents 10000] [--json]

Wall-clock time. First two commands run as a user runs them, in a new home: `ragraph ingest` and `ragraph serve`; the
time ends when the picture of the page with a hit has arrived. Then a service with the documents of examples/ and many
small ones answers repeatedly; the figures are medians of warm requests, each over an open connection. For the REST
searches and `/healthz` there are two figures: the first request of a new connection, and further ones on a connection
that is kept open, as browsers and clients do. The last ones are searches per second for one client and for 16.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from bench.throwaway import throwaway_store
from ragraph import server
from ragraph.ingest.draft import DraftDocument, DraftMetadata, DraftNode
from ragraph.schema.enums import ContentNodeType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragraph import Store

ROOT = Path(__file__).parent.parent
DOCUMENTS = ROOT / "examples" / "documents"
RAGRAPH = [sys.executable, "-c", "from ragraph.faces.cli import main; main()"]
QUESTION = "who makes the decision to grant access"
REPEATS = 30
PARALLEL = 20
CLIENTS = 16
REQUESTS: dict[str, tuple[str, dict[str, str]]] = {
    "health": ("/healthz", {}),
    "search_words": ("/api/search", {"q": QUESTION, "mode": "text"}),
    "search_hybrid": ("/api/search", {"q": QUESTION, "mode": "hybrid"}),
}


def main() -> None:
    """Run the benchmark; exit code 1 if a request fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000, help="small documents in the library")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = {"install_to_first_hit_s": first_hit()}
    with throwaway_store() as store:
        store.ingest(DOCUMENTS)
        store.add_many((_small(number) for number in range(given.documents)), model=None)
        with served(store.database.url) as client:
            figures |= _answers(client, store) | connections(client.base_url)
    for name, value in figures.items():
        figures[name] = round(value, 3)
    print(json.dumps(figures) if given.json else "\n".join(f"{name:28} {value}" for name, value in figures.items()))


def first_hit() -> float:
    """Return the seconds from a new home to the picture of the page with a cited hit: two commands and a browser."""
    with tempfile.TemporaryDirectory(prefix="ragraph-", ignore_cleanup_errors=True) as home:
        environment = {name: value for name, value in os.environ.items() if name != "RAGRAPH_DATABASE_URL"}
        environment["RAGRAPH_HOME"] = home
        begin = time.monotonic()
        try:
            ingest = [*RAGRAPH, "ingest", str(DOCUMENTS / "dl_nist_sp_800_207.pdf")]
            subprocess.run(ingest, env=environment, check=True, stdout=subprocess.DEVNULL)
            with served(None, environment) as client:
                page = client.get("/search", params={"q": QUESTION}).raise_for_status().text
                hit = re.search(r'href="(/documents/[^"]*node=[^"]*)"', page)
                if hit is None:
                    raise SystemExit("the search found nothing")
                shown = client.get(hit[1].replace("&amp;", "&")).raise_for_status().text
                _picture(client, shown)
            return time.monotonic() - begin
        finally:
            server.stop(Path(home))


def _answers(client: httpx.Client, store: Store) -> dict[str, float]:
    (hit,) = store.search(QUESTION, k=1, document="dl_nist_sp_800_207")
    place = f"/documents/{hit.document_id}"
    page = hit.citation.pages[0]
    found = {
        "library_s": _median(lambda: client.get("/").raise_for_status()),
        "search_in_document_s": _median(
            lambda: client.get(place, params={"q": QUESTION, "within": "document"}).raise_for_status()
        ),
        "page_with_boxes_s": _median(
            lambda: _picture(client, client.get(place, params={"page": page}).raise_for_status().text)
        ),
    }
    pages = [f"/api/documents/{hit.document_id}/pages/{number}/image" for number in range(1, PARALLEL + 1)]
    begin = time.monotonic()
    with ThreadPoolExecutor(PARALLEL) as threads:
        for answer in threads.map(lambda path: httpx.get(client.base_url.join(path), timeout=60), pages):
            answer.raise_for_status()
    return found | {f"images_{PARALLEL}_at_once_s": time.monotonic() - begin}


def connections(address: httpx.URL) -> dict[str, float]:
    """Return the time of requests on new and on open connections, and the number answered per second.

    Args:
        address: address of a service.

    Returns:
        Seconds of a first and of a further request by name, and requests per second of one client and of 16.
    """
    figures = {}
    with httpx.Client(base_url=address, timeout=60) as kept, httpx.Client(base_url=address, timeout=60) as new:
        new.headers["Connection"] = "close"
        for name in REQUESTS:
            figures[f"{name}_first_s"] = _median(partial(_ask, new, name))
            figures[f"{name}_kept_s"] = _median(partial(_ask, kept, name))
    for name in ("search_words", "search_hybrid"):
        for clients in (1, CLIENTS):
            figures[f"{name}_{clients}_clients_per_s"] = _rate(address, clients, name)
    return figures


def _ask(client: httpx.Client, name: str) -> None:
    path, query = REQUESTS[name]
    client.get(path, params=query).raise_for_status()


def _rate(address: httpx.URL, clients: int, name: str) -> float:
    """Return the requests per second of this many clients, each on an open connection."""

    def work(client: httpx.Client) -> None:
        for _ in range(REPEATS):
            _ask(client, name)

    with ExitStack() as stack, ThreadPoolExecutor(clients) as threads:
        kept = [stack.enter_context(httpx.Client(base_url=address, timeout=60)) for _ in range(clients)]
        for client in kept:
            _ask(client, name)  # connected
        begin = time.monotonic()
        list(threads.map(work, kept))
        return clients * REPEATS / (time.monotonic() - begin)


def _picture(client: httpx.Client, page: str) -> None:
    """Get the picture of the page shown with a document; it must exist, with boxes over it."""
    image = re.search(r'<img[^>]*src="([^"]*/pages/\d+/image[^"]*)"', page) or re.search(
        r'<image[^>]*href="([^"]*/pages/\d+/image[^"]*)"', page
    )
    if image is None or "<rect" not in page:
        raise SystemExit("no page with boxes is shown")
    client.get(image[1].replace("&amp;", "&")).raise_for_status()


def _median(ask: Any) -> float:
    times = []
    for _ in range(REPEATS + 3):
        begin = time.monotonic()
        ask()
        times.append(time.monotonic() - begin)
    return statistics.median(times[3:])


@contextmanager
def served(url: str | None, environment: dict[str, str] | None = None) -> Iterator[httpx.Client]:
    """Yield a client of a service that runs in a separate process."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**(environment or os.environ), **({"RAGRAPH_DATABASE_URL": url} if url else {})}
    process = subprocess.Popen(
        [*RAGRAPH, "serve", "--port", str(port)], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            for _ in range(600):
                try:
                    client.get("/healthz").raise_for_status()
                    break
                except httpx.HTTPError:
                    time.sleep(0.1)
            else:
                raise SystemExit("the service did not begin to answer")
            yield client
    finally:
        process.terminate()
        process.wait(30)


def _small(number: int) -> DraftDocument:
    return DraftDocument(
        id=f"dl_small_{number:06}",
        metadata=DraftMetadata(title=f"A small document, {number}"),
        nodes=[DraftNode(key="p", type=ContentNodeType.PARAGRAPH, text=f"What the document {number} says.")],
    )


if __name__ == "__main__":
    main()
