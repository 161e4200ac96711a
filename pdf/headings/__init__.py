"""Headings: contents pages and outline as evidence, which blocks are headings, and their levels."""
