"""Jobs over one store while everything beneath them is killed, stopped, filled and cut: ``python -m bench.chaos``."""
