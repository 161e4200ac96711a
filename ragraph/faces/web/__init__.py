"""The store behind a service: REST under ``/api``, and pages for people. ``ragraph serve``; extra ``web``.

Both are faces: they call ``ragraph.Store`` and show what it gives, and hold no SQL and no ranking of their own.
"""
