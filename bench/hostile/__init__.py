"""Files made to harm whoever reads them, and what becomes of a run that takes them in: ``python -m bench.hostile``."""
