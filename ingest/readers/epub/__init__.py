"""EPUB, packed or unpacked: one document in spine order."""
