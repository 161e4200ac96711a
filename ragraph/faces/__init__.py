"""What people and programs reach the store by: command line, web pages and REST, MCP, frameworks."""
