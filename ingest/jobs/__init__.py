"""Ingesting many files: the request, the run, and how it is shared between processes."""
