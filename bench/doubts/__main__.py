"""Learn how likely a fault is in a page and in a table, and judge it; see ``learning``."""

from __future__ import annotations

from bench.doubts.learning import main

if __name__ == "__main__":
    main()
