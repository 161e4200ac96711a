"""The store compared with others on the same server with the same vectors: `make bench-peers`.

The peers have an environment of their own (``bench/peers/requirements.txt``); only ``stores.py`` runs there.
"""
