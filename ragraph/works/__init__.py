"""Works: parsing of bibliographic entries, and finding entries that refer to the same work.

``parse`` parses the text of an entry, in the styles of ``styles``. ``fields`` has the fields of an entry and the keys
by which entries are compared. ``update`` resolves the pending works of documents. ``sql/functions/24_works.sql``
matches entries and links documents.
"""
