"""The store as tools for a language model: what MCP offers, and what ``Store.answer`` navigates with.

Each tool calls the store's public methods and gives a bounded, structured result; no SQL and no ranking stand here.
"""
