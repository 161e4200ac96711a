"""Interfaces to the store for people and programs: ``cli`` (command line), ``web`` (pages and REST), ``mcp`` (agents).

``frameworks`` has the common parts of the modules for LangChain, LlamaIndex and Haystack; ``framework_drafts`` converts
their documents into drafts. An interface calls the store and words the results; there is no SQL and no ranking here.
"""
