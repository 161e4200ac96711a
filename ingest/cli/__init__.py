"""The commands of ingestion."""
