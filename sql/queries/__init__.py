"""Queries by name, read by ragraph.queries."""
