"""What docling reads, and what the readers built on it share."""
