"""What a reader of Office files loads."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from office_files import make_docx

if TYPE_CHECKING:
    from pathlib import Path

READ = """
import sys
from pathlib import Path
from ragraph.ingest.readers import ReadOptions, reader_for

path = Path(sys.argv[1])
print(len(reader_for(path).read(path, ReadOptions()).nodes), sys.modules.keys() & {"torch", "transformers"})
import torch
"""


def test_no_model_is_loaded_for_a_docx(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READ, str(make_docx(tmp_path / "a.docx"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    nodes, loaded = done.stdout.split(" ", 1)
    assert int(nodes) > 0
    assert loaded == "set()\n"
