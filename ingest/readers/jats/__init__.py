"""JATS XML: all that the format states."""
