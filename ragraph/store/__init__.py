"""The Python interface: the class ``Store``, one part of it in each module, and functions that open a store.

``store`` combines the parts: ``reading``, ``searching``, ``citing``, ``writing`` (with ``ingest_options``), ``jobs``,
``models``, ``pictures``, ``versions``, ``works``, ``entities``, ``learning`` (tuning and evaluation) and ``keeping``
(backup, doctor). ``opening`` opens and restores stores, ``places`` finds the server of a store, ``intake`` calls the
ingester, and ``doctor`` checks a store.
"""
