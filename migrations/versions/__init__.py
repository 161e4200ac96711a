"""Revisions, one file each, never edited after release."""
