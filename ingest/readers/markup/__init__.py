"""Modules shared by the readers of JATS, HTML and EPUB."""
