"""The store for agents, by the Model Context Protocol: ``ragraph mcp``; extra ``mcp``.

It offers the tools of ``ragraph.tools``, documents and sections as resources, and a prompt.
"""
