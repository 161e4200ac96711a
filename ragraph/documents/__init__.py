"""Data of stored documents besides their text.

``assets`` stores originals and pictures by their SHA-256. ``pictures`` draws pages and cuts out figures. ``csl``
formats citations in styles. ``graph`` builds networkx graphs. ``updating`` changes metadata and moves documents between
collections. ``exporting`` writes documents as lines of JSON.
"""
