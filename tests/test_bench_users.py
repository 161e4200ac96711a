"""The page of bench.users has a table for each size of the store."""

from __future__ import annotations

from bench.users.__main__ import BEGIN, END, NODES, with_table

PAGE = f"Before\n\n{BEGIN}\nold\n{END}\n\nAfter\n"


def test_a_table_of_another_size_is_below_the_first_and_replaced_alone() -> None:
    both = with_table(PAGE, "large", 200_000)
    assert both.index("old") < both.index("With 200,000 nodes:") < both.index("large") < both.index("After")
    assert with_table(both, "larger", 200_000) == both.replace("large", "larger")
    assert with_table(both, "new", NODES) == both.replace("old", "new")
