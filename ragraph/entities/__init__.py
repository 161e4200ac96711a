"""Entities: what documents name, found by extractors that plug in, and looked up."""
