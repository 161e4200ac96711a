"""Quotes of numbers: sign, currency, percent, parentheses and scale belong to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

if TYPE_CHECKING:
    Connection = psycopg.Connection[tuple[Any, ...]]


def refused(connection: Connection, body: str, quote: str) -> str | None:
    """Return why a quote is not found in a text; None for one that is."""
    asked = "SELECT f.refusal FROM ragraph_private.find_quote(%s, %s, 1) AS f"
    row = connection.execute(asked, (body, quote)).fetchone()
    assert row
    refusal: str | None = row[0]
    return refusal


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("Net loss (1,200) in 2020", "1,200"),
        ("Net loss (1,200) in 2020", "1,200) in 2020"),
        ("Net loss (1,200) in 2020", "Net loss (1,200"),
        ("Net loss (1,200)", "1,200"),
        ("fell (5.2)% to", "5.2"),
        ("fell (5.2)% to", "(5.2)"),
        ("fell (5.2) % to", "(5.2)"),
        ("fell (5.2%) to", "5.2%"),
        ("fell (5.2%) to", "5.2"),
        ("fell (5.2%) to", "(5.2"),
        ("of $(1,200) here", "(1,200)"),
        ("of $ (1,200) here", "(1,200)"),
        ("of $(1,200) here", "1,200"),
        ("of ($1,200) here", "$1,200"),
        ("of ($ 1,200) here", "1,200"),
        ("of ( 1,200 ) here", "1,200"),
        ("at 5 €/kg here", "5 €"),
        ("at €5/kg here", "at €5"),
        ("of -5 men", "5"),
        ("of −5 men", "5 men"),
        ("|-5|", "5"),
        ("| −5 |", "5"),
        ("is: -5", "5"),
        ("a\n-5 b", "5"),
        ("a\t-5 b", "5"),
        ("“-5”", "5"),
        ("is +5 b", "5"),
        ("[-5]", "5"),
        ("for $5 a", "5"),
        ("for $ 5 a", "5 a"),
        ("for US$5 a", "$5"),
        ("for € 5 a", "5"),
        ("for 5 € a", "for 5"),
        ("for 5€ a", "for 5"),
        ("for 5% a", "for 5"),
        ("for 5 % a", "for 5"),
        ("for 5 ‰ a", "for 5"),
        ("5 °C", "5"),
        ("of 11.2 a", "1.2"),
        ("of 1,200,000 a", "1,200"),
        ("of H2O a", "H"),
        ("of H2O a", "2"),
        ("of H₂O a", "H"),
        ("p < 0.05 was", "0.05 was"),
        ("p ≤ .05 was", "05 was"),
        ("of $5 million a", "of $5"),
        ("of 5 percent a", "of 5"),
        ("of 5 per cent a", "of 5"),
        ("3億円", "3"),
        ("３億円", "3"),
        ("二十人", "十人"),
        ("二十人", "二"),
        ("5 млн рублей", "5"),
        ("5 ½ cups", "5"),
        ("5 1/2 cups", "5"),
        ("5 1/2 cups", "1/2 cups"),
        ("5½ cups", "5"),
        ("净亏损（1,200）元", "1,200"),
        ("（５.２）％", "５.２"),
        ("-٥٪", "٥"),
        ("(١٬٢٠٠)", "١٬٢٠٠"),
        ("of 5.0 Mio. Euro", "5.0"),
        ("(.5) here", ".5"),
        ("(1 200) here", "1 200"),
        ("a (12) b", "12"),
        ("| (1,200) | 3", "1,200"),
        ("(1,200)|3", "1,200"),
    ],
)
def test_a_number_without_its_sign_or_parentheses_is_another(connection: Connection, body: str, quote: str) -> None:
    assert refused(connection, body, quote) == "cut"


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("as is (see 12) shown", "see 12"),
        ("as is (see 12) shown", "12) shown"),
        ("as is (see 12) shown", "is (see 12"),
        ("as is (12 of 15) b", "12 of 15"),
        ("(5 kg) b", "5 kg"),
        ("Net loss (1,200) in", "(1,200)"),
        ("fell (5.2)% to", "(5.2)%"),
        ("of $(1,200) here", "$(1,200)"),
        ("(1) The tenant pays", "The tenant pays"),
        ("of -5 men", "-5 men"),
        ("of −5 men", "−5"),
        ("of -5 men", "of -5"),
        ("(10–20) b", "10–20"),
        ("(1, 2) b", "1, 2"),
        ("|-5|", "-5"),
        ("for $5 a", "$5"),
        ("for 5 % a", "5 %"),
        ("for 5 % a", "for 5 % a"),
        ("2023 $ 5.2 $ 4.1", "$ 5.2"),
        ("the year 2020, and", "2020"),
        ("in 2020 (see Note 5) we", "see Note 5"),
        ("H2O is", "H2O"),
        ("It was 11.2 a", "11.2"),
        ("shown (12), b", "shown"),
        ("shown (12), b", "b"),
        ("of 1,200,000 a", "1,200,000"),
        ("3億円", "3億"),
        ("3億円", "円"),
        ("零信任架构", "信任架构"),
        ("二十人", "二十"),
        ("Smith et al. (2020) found", "found"),
        ("Smith (2020) found", "(2020) found"),
        ("5 men and 6", "5 men"),
        ("5 minutes", "5"),
        ("- 5 apples", "5 apples"),
        ("a – 5 men came", "5 men came"),
        ("text—5 men", "5 men"),
        ("(a)-5 b", "5 b"),
        ("in 2020 thousands of", "in 2020"),
        ("a 5 mild", "5"),
        ("a 5 mnemonic", "5"),
        ("page 5. $5 is", "page 5"),
        ("for 10 $ 5 is", "for 10"),
        ("the company (the “Buyer”) pays 5", "Buyer"),
        ("C + 5", "5"),
        ("3 x 5", "5"),
        ("1. First", "First"),
        ("It rose 5 (or 6) points", "5"),
        ("It rose 5 (or 6) points", "or 6"),
        ("f(x) = 5", "5"),
        ("(i) pay", "pay"),
        ("5%, then", "5%"),
        ("99.9%) of", "99.9%"),
    ],
)
def test_a_number_with_its_signs_is_found(connection: Connection, body: str, quote: str) -> None:
    assert refused(connection, body, quote) is None
