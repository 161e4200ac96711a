"""The store as a service: REST under ``/api``, and pages for people. ``ragraph serve``; extra ``web``.

Both call ``ragraph.Store`` and present its results; they have no SQL and no ranking of their own.
"""
