"""Ingestion: read files, assemble graphs, store and embed documents, run batch jobs."""
