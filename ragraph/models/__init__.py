"""Embedding models and rerankers: loading them, encoding texts, and what a store records of its models.

``embedding`` loads a model by name, folder or address; ``bert`` computes the default one in numpy; ``endpoint`` asks a
service; ``encoding/`` has faster ways to compute many texts and chooses among them; ``registry`` keeps what a store
recorded of its models; ``rerank`` orders hits by a cross-encoder.
"""
