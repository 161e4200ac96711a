"""Questions whose answer depends on the structure of a document: `make bench-structure-qa`.

``make`` makes the questions from JATS files by their stated references and sections, ``__main__`` asks ragraph and flat
chunks. The set itself is ``questions.jsonl``; ``LICENCE.md`` says whose texts it has.
"""
