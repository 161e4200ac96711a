"""JATS XML articles, with everything that the format states."""
