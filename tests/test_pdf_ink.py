"""The ink of recognised lines."""

from __future__ import annotations

import numpy as np

from ragraph.pdf.page.ink import Letter, ink_words


def test_letters_placed_beyond_the_end_of_their_line_are_taken_at_its_end() -> None:
    # Where the line is short, the recogniser counts columns that it filled up.
    picture = np.full((24, 152), 255, dtype=np.uint8)
    picture[4:20, 10:30] = picture[4:20, 60:80] = 0
    words = [[Letter("a", 0.1), Letter("b", 0.45)], [Letter("c", 1.0), Letter("d", 1.2)], [Letter("e", 1.6)]]

    found = ink_words(picture, words)

    assert [word.text for word in found] == ["ab", "cd", "e"]
    assert all(0 <= word.left <= word.right <= 152 for word in found)
