"""Notes, their marks in the text, and bibliographic entries."""
