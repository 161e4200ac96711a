"""Queries by name, read by ragraph.base.queries."""
