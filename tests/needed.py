"""Test modules that need an extra: without it they are skipped, but in .ci/run they fail."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def needed(module: str, extra: str, variable: str) -> Any:
    """Return a module; if it cannot be imported, skip the calling file, or fail if the environment requires it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if os.environ.get(variable) == "required":
            raise
        pytest.skip(f"{error.name} is not there; it comes with the extra {extra}", allow_module_level=True)
