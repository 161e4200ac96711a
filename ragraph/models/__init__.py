"""Embedding models and rerankers: loading them, encoding texts, and the store's record of its models.

``embedding`` loads a model by name, folder or address. ``bert`` computes the default model in numpy. ``endpoint`` sends
texts to a service. ``encoding/`` has faster encoders for many texts and chooses among them. ``registry`` records and
loads the models of a store. ``rerank`` orders hits with a cross-encoder.
"""
