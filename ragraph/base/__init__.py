"""What everything stands on: argument checks, settings, names, messages. Nothing here knows a database."""
