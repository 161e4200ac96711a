"""How likely a reader would find a fault in what was read of a page, and of a table."""
