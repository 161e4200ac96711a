"""Markdown, AsciiDoc, LaTeX and plain text."""
