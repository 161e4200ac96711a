"""What everything stands on. Nothing here knows a database.

``arguments`` checks the arguments of public methods by their annotations; ``settings`` reads the environment;
``defaults`` holds values that several faces share; ``queries`` reads named queries from ``sql/queries``. ``notices``
carries warnings beside an answer, ``log`` and ``telemetry`` what happens to operators, ``terminal`` cleans what is
printed. ``languages`` and ``labels`` check what users call things, ``counts`` words numbers, ``extras`` knows what is
installed, ``hyphens`` joins words that a line broke, ``scratch`` makes temporary folders, ``extra_time`` lets a
reader ask for more seconds.
"""
