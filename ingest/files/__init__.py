"""Which files there are, which document each one is, and which process works on it."""
