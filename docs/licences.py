"""List the licences of all installed packages, and fail on one that ragraph may not depend on: `make licences`.

    python -m docs.licences [--write FILE]

A package states its licence as an SPDX expression, as a classifier, or in words; they are looked at in this order. Of
alternatives ("OR") one must be allowed, of a combination ("AND") all.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from email.message import Message

ALLOWED = frozenset(
    {
        *("0BSD", "AFL-2.1", "Apache-2.0", "BSD-2-Clause", "BSD-2-Clause-Views", "BSD-3-Clause", "BSD", "BSL-1.0"),
        *("CC0-1.0", "CNRI-Python", "HPND", "ISC", "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0"),
        *("Python-2.0", "Unicode-3.0", "Unlicense", "Zlib"),
        # libraries whose own files stay under their licence; a program that imports them may have any
        *("LGPL-2.1-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "LGPL", "MPL-2.0"),
    }
)
"""Licences of packages that a program under Apache-2.0 may require."""

_CLASSIFIERS = {
    "Academic Free License (AFL)": "AFL-2.1",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU General Public License (GPL)": "GPL",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0-only",
    "GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "GNU Affero General Public License v3": "AGPL-3.0-only",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Public Domain": "CC0-1.0",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "zlib/libpng License": "Zlib",
}
"""Names of licences in classifiers, and their SPDX names. Several classifiers are alternatives."""

_WORDS = (
    (r"apache", "Apache-2.0"),
    (r"\bMIT\b", "MIT"),
    (r"BSD[ -]?3|3[ -]clause", "BSD-3-Clause"),
    (r"BSD[ -]?2|2[ -]clause", "BSD-2-Clause"),
    (r"\bBSD\b", "BSD"),
    (r"\bMPL\b", "MPL-2.0"),
    (r"\bLGPL", "LGPL"),
)
"""Patterns in a licence that is stated in words, the first line of it, and SPDX names."""

STATED = {
    "antlr4-python3-runtime": "BSD-3-Clause",  # the repository's LICENSE.txt
    "axe-playwright-python": "MIT",  # LICENSE in the package
    "protobuf": "BSD-3-Clause",  # LICENSE in the package
}
"""Licences of packages whose metadata states none that can be read, and where they are from."""


def main() -> None:
    """Print or write the table. Exit code 1 if a package has a licence that is not allowed, or none that is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    found = licences()
    lines = [f"| {name} | {licence or 'not stated'} |" for name, licence in sorted(found.items())]
    table = "\n".join(["| Package | Licence |", "| --- | --- |", *lines])
    if given.write:
        head, _, _ = given.write.read_text().partition("| Package |")
        given.write.write_text(f"{head}{table}\n")
    else:
        print(table)
    refused = [f"{name}: {licence or 'not stated'}" for name, licence in sorted(found.items()) if not allowed(licence)]
    if refused:
        sys.exit("These licences are not allowed or not known (docs/licences.py):\n" + "\n".join(refused))


def licences() -> dict[str, str]:
    """Return the licence of each installed package but ragraph, as an SPDX expression; empty if it states none."""
    found = {}
    for package in metadata.distributions():
        name = re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()
        if name != "ragraph-store":
            found[name] = STATED.get(name) or licence_of(cast("Message", package.metadata))
    return found


def licence_of(stated: Message) -> str:
    """Return the licence that metadata of a package state, as an SPDX expression; empty if there is none."""
    if expression := stated.get("License-Expression"):
        return str(expression)
    named = [line.rpartition(" :: ")[2] for line in stated.get_all("Classifier") or () if line.startswith("License ::")]
    if known := sorted(
        {_CLASSIFIERS.get(name, name) for name in named if name not in {"OSI Approved", "DFSG approved"}}
    ):
        return " OR ".join(known)
    words = (str(stated.get("License") or "").strip().splitlines() or [""])[0]
    return next((name for pattern, name in _WORDS if re.search(pattern, words, re.IGNORECASE)), words)


def allowed(expression: str) -> bool:
    """Return True if a program under Apache-2.0 may require a package with this licence.

    Args:
        expression: an SPDX expression, such as ``MIT AND (Apache-2.0 OR GPL-2.0-only)``.
    """
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    if not tokens:
        return False
    parsed, rest = _alternatives(tokens)
    return parsed and not rest


def _alternatives(tokens: list[str]) -> tuple[bool, list[str]]:
    good, tokens = _combination(tokens)
    while tokens and tokens[0].upper() == "OR":
        another, tokens = _combination(tokens[1:])
        good = good or another
    return good, tokens


def _combination(tokens: list[str]) -> tuple[bool, list[str]]:
    good, tokens = _single(tokens)
    while tokens and tokens[0].upper() in {"AND", "WITH"}:
        another, tokens = _single(tokens[1:])
        good = good and another
    return good, tokens


def _single(tokens: list[str]) -> tuple[bool, list[str]]:
    if not tokens:
        return False, []
    if tokens[0] == "(":
        good, rest = _alternatives(tokens[1:])
        return (good, rest[1:]) if rest[:1] == [")"] else (False, rest)
    return tokens[0] in ALLOWED, tokens[1:]


if __name__ == "__main__":
    main()
