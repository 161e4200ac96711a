"""Reading a file in a process of its own, with limits. Nothing here knows a database."""
