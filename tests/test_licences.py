"""No package that ragraph depends on has a licence that a program under Apache-2.0 may not require."""

from __future__ import annotations

import re
import tomllib
from email.message import EmailMessage
from pathlib import Path

import pytest

from docs.licences import allowed, licence_of, licences

ROOT = Path(__file__).parent.parent


def test_every_installed_package_has_a_licence_that_is_allowed() -> None:
    found = licences()
    assert len(found) > 100
    assert {name: licence for name, licence in found.items() if not allowed(licence)} == {}


def test_the_page_lists_every_package_that_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[\[<>=;, ]", line)[0]).lower() for line in required}
    page = (ROOT / "docs" / "reference" / "licences.md").read_text()
    installed = set(licences())
    assert {name for name in names & installed if f"| {name} |" not in page} == set()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("BSD OR GPL", True),
        ("MIT AND GPL-2.0-only", False),
        ("MPL-2.0 AND (Apache-2.0 OR GPL-2.0-only)", True),
        ("Apache-2.0 WITH LLVM-exception AND MIT", True),
        ("(MIT", False),
        ("MIT GPL", False),
        ("", False),
        ("Proprietary", False),
    ],
)
def test_of_alternatives_one_is_allowed_and_of_a_combination_all(expression: str, expected: bool) -> None:
    assert allowed(expression) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({"License-Expression": "MIT", "License": "GPL"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: GNU Affero General Public License v3"}, "AGPL-3.0-only"),
        ({"Classifier": "License :: OSI Approved", "License": "The MIT License\n\nCopyright"}, "MIT"),
        ({"License": "Commercial"}, "Commercial"),
        ({}, ""),
    ],
)
def test_a_licence_is_read_from_what_the_package_states(lines: dict[str, str], expected: str) -> None:
    stated = EmailMessage()
    for name, value in lines.items():
        stated[name] = value.replace("\n", " ") if name != "License" else value.splitlines()[0]
    assert licence_of(stated) == expected
