"""Count the words a sentence of each page, and phrases that readers stumble over.

    python -m docs.words            pages of docs/ and README.md, then the odd phrases in pages and in code
    python -m docs.words PAGE...    the sentences of some pages that have more than 35 words

Code blocks, tables, headings, comments and the targets of links are left out; a code span counts as one word.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from statistics import fmean, quantiles

ROOT = Path(__file__).parent.parent
MEAN = 20.0
"""Words a sentence that a page written for users has at most, in the mean."""
README_WORDS = 900
"""Words that README.md has at most, code and tables included, so that it is read to its end."""
LONG = 35
"""Words above which a sentence is long."""
GENERATED = frozenset({"docs/reference/cli.md", "docs/reference/sql.md", "docs/reference/python.md"})
"""Pages that are made from code: their sentences are those of docstrings, help and comments."""
GONE = {
    "Say whether": r"\bsays? whether\b",
    "from which on": r"\bfrom which on\b",
    "taken in": r"\b(?:taken|takes?|took|taking) (?:(?!time|place)\w+ )?in\b(?! (?:the|an?|its|their|this)\b)",
    "told by": r"\btold by\b",
    "is none": r"\b(?:is|are|was|were|be) (?-i:none)\b",
    "anew": r"\banew\b",
    "asked for were": r"\basked for (?:is|are|was|were)\b|\bas asked\b",
    "let go": r"\blets? go\b",
    "owed": r"\bowed\b",
}
"""Phrases that pages for users no longer have, by name."""
ODD = {
    **GONE,
    "what is": r"\bwhat (?:is|are|was|were|they|it|comes?|came|goes|went|has|had|stands?)\b",
    "put back": r"\bput (?:back|in)\b",
    "hands on": r"\bhand(?:s|ed)? on\b",
    "stands": r"\bstands?\b",
}
"""Phrases that are counted; these too are right in places."""

_LEFT_OUT = re.compile(r"^```.*?^```$|^<!--.*?-->$|^\|.*?$|^#.*?$|^!?\[!?\[?[^\n]*\.(?:png|svg)\)[^\n]*$", re.M | re.S)
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”)*]*\s+(?=[\"“(\[*]*[A-Z0-9`])")
_SHORT = re.compile(r"\b(e\.g|i\.e|cf|p|pp|No|vs|et al|Fig|Sec|approx)\.(?=\s)")


def pages() -> list[Path]:
    """Return the README and the pages of docs/, without the decisions."""
    written = (path for path in (ROOT / "docs").rglob("*.md") if path.parent.name != "decisions")
    return [ROOT / "README.md", *sorted(written)]


def written_pages() -> list[Path]:
    """Return the pages that a person writes for users."""
    return [path for path in pages() if str(path.relative_to(ROOT)) not in GENERATED]


def sentences(text: str) -> list[str]:
    """Return the sentences of a Markdown page, in order."""
    text = _LEFT_OUT.sub("\n", text)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`+[^`]+`+", "Code", text)
    found = []
    for block in _BLOCK.split(text):
        line = _SHORT.sub(r"\1", " ".join(block.split()).lstrip("-* "))
        found += [sentence for sentence in _SENTENCE.split(line) if re.search(r"\w", sentence)]
    return found


def words(sentence: str) -> int:
    """Return how many words a sentence has."""
    return len(re.findall(r"[^\W_][\w.,'’/-]*", sentence))


def odd(text: str, phrases: dict[str, str]) -> dict[str, int]:
    """Return how often each phrase occurs in a text, by its name; without those that do not."""
    counts = {
        name: len(re.findall(pattern, " ".join(text.split()), re.IGNORECASE)) for name, pattern in phrases.items()
    }
    return {name: count for name, count in counts.items() if count}


def main() -> None:
    """Print the table of the pages and that of the phrases."""
    if sys.argv[1:]:
        for page in map(Path, sys.argv[1:]):
            for sentence in sentences(page.read_text()):
                if words(sentence) > LONG:
                    print(f"{page}: {words(sentence)}: {sentence}")
            print(f"{page}: {odd(page.read_text(), GONE)}")
        return
    print(f"{'page':44} {'words':>6} {'sentences':>9} {'mean':>5} {'p90':>4}")
    for page in pages():
        lengths = [words(sentence) for sentence in sentences(page.read_text())]
        tenth = quantiles(lengths, n=10)[-1] if len(lengths) > 1 else sum(lengths)
        name = page.relative_to(ROOT)
        print(f"{name!s:44} {sum(lengths):6} {len(lengths):9} {fmean(lengths or [0]):5.1f} {tenth:4.0f}")
    tracked = subprocess.run(
        ["git", "ls-files", "*.py", "*.sql"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    code = [name for name in tracked if not name.startswith(("tests/", "docs/words.py", "schema/ragraph.sql"))]
    in_pages = odd("\n".join(page.read_text() for page in written_pages()), ODD)
    in_code = odd("\n".join((ROOT / name).read_text() for name in code), ODD)
    print(f"\n{'phrase':20} {'pages':>6} {'code':>6}")
    for phrase in ODD:
        print(f"{phrase:20} {in_pages.get(phrase, 0):6} {in_code.get(phrase, 0):6}")


if __name__ == "__main__":
    main()
