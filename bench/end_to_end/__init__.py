"""From files to a searchable store: ragraph's command compared with pipelines that cut documents into chunks."""
