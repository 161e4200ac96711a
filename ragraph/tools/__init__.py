"""The store as tools for a language model: offered by MCP, and used by ``Store.answer`` to navigate.

Each tool calls public methods of the store and returns a limited, structured result; there is no SQL and no ranking
here.
"""
