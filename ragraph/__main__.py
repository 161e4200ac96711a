"""``python -m ragraph``: the command line, if the script is not on the path."""

from __future__ import annotations

from ragraph.faces.cli import main

if __name__ == "__main__":
    main()
