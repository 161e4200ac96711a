"""How documents get in: readers, stage one, stage two, embedding, batch jobs."""
