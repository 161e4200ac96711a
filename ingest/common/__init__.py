"""What several steps of ingestion share. Nothing here knows a database."""
