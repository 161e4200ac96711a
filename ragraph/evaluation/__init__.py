"""How well a store answers judged questions.

``evaluate`` asks them, ``measures`` counts, ``baseline`` compares with an earlier run, ``make`` makes questions of a
store.
"""
