"""Files to what can be searched: ragraph's command beside pipelines that cut documents into chunks."""
