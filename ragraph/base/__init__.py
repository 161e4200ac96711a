"""Helpers that every other package builds on. No module here imports the database.

``arguments`` checks the arguments of public methods by their annotations. ``settings`` reads the environment.
``defaults`` holds values that several interfaces share. ``queries`` reads named queries from ``sql/queries``.
``notices`` delivers warnings with an answer. ``log`` and ``telemetry`` report to operators, and ``terminal`` removes
control characters from printed text. ``languages`` and ``labels`` check language tags, document ids and tags.
``counts`` formats numbers with their nouns. ``extras`` lists the optional packages. ``hyphens`` joins words that a line
break divided. ``scratch`` makes temporary folders. ``extra_time`` lets a reader request more seconds,
and ``pages_done`` lets it report its pages.
"""
