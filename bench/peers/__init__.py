"""The store beside others on the same server with the same vectors: `make bench-peers`.

The peers live in an environment of their own (``bench/peers/requirements.txt``); ``stores.py`` runs there, alone.
"""
