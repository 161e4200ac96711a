"""Readers that use docling, and their shared modules."""
