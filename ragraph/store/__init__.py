"""The Python interface: ``Store``, a part of it in each module, and how a store is opened.

``store`` puts the parts together: ``reading``, ``searching``, ``citing``, ``writing`` (with ``ingest_options``),
``jobs``, ``models``, ``pictures``, ``versions``, ``works``, ``entities``, ``learning`` (tuning and evaluation),
``keeping`` (backup, doctor). ``opening`` opens and restores stores, ``places`` knows where one lies, ``intake`` hands
over to the ingester, ``doctor`` looks a store over.
"""
