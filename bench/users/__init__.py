"""How many searches, contexts and pages users get: by REST, MCP, threads, the command line and a pooler."""
