"""Documents in the store: listing, reading, citing, updating, exporting, and their originals and pictures."""
