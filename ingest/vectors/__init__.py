"""Cutting texts into parts, embedding them, and keeping the vector indexes."""
