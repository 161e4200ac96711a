"""Works: entries of bibliographies taken apart, and which of them mean the same.

``parse`` takes an entry apart by its text, in the styles of ``styles``; ``fields`` says what an entry states and by
which keys it is compared; ``update`` works out what documents owe. ``sql/functions/24_works.sql`` matches entries and
links documents.
"""
