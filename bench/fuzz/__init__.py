"""Made-up calls of every command and of every method: wrong ones are refused in one line and change nothing."""
