"""Files made to harm their reader, and the result of a run that ingests them: ``python -m bench.hostile``."""
