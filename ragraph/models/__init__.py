"""Embedding models and rerankers: loading them, encoding texts, and what a store records of its models."""
