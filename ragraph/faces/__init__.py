"""What people and programs reach the store by: ``cli`` (command line), ``web`` (pages and REST), ``mcp`` (agents).

``frameworks`` is what the doors for LangChain, LlamaIndex and Haystack share, ``framework_drafts`` turns their
documents into drafts. A face calls the store and words what it gives; no SQL and no ranking stand here.
"""
