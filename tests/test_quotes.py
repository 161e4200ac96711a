"""Quotes: ends that cut no word, a least length, ellipses, and time that goes with length."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from factories import make_document, make_node
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ragraph.answers.claims import CitedAnswer
from ragraph.errors import ArgumentError, NodeNotFoundError, QuoteNotFoundError

if TYPE_CHECKING:
    from ragraph import Store

    Connection = psycopg.Connection[tuple[Any, ...]]

DENIED = "It never denied the claim."
SIGNS = "We can't join the non-profit at l'État; it fell by -5.3 % to 1,000 in snake_case, re\u00adlated."
CHINESE = "零信任架构是一种安全模型。2020年发布。"
THAI = "ที่นี่มีน้ำดี"
DEVANAGARI = "हिन्दी भाषा है।"
ACCENT = "A nai\u0308ve re\u0301sume\u0301 here."
DOTS = "He wrote \u201cand so on ... until noon\u201d \u2013 *twice* that **very** day."

spread = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def found(connection: Connection, body: str, quote: str, min_words: int = 1) -> tuple[list[str], str | None]:
    """Return the pieces of a quote as they stand in a text, and why it is refused."""
    row = connection.execute(
        "SELECT f.pieces, f.refusal FROM ragraph_private.find_quote(%s, %s, %s) AS f", (body, quote, min_words)
    ).fetchone()
    assert row
    return [body[piece.lower - 1 : piece.upper - 1] for piece in row[0]], row[1]


MARKED = "It denied¹ by law.²,³ The oﬃce ﬁled 5 m² at sin² x of x² = 4, and the state’s⁴ part¹⁰."


@pytest.mark.parametrize(
    ("quote", "pieces"),
    [
        ("It denied by law. The", ["It denied¹ by law.²,³ The"]),
        ("It denied¹ by law", ["It denied¹ by law"]),
        ("denied", ["denied"]),
        ("The office filed 5 m² at", ["The oﬃce ﬁled 5 m² at"]),
        ("The oﬃce ﬁled", ["The oﬃce ﬁled"]),
        ("filed", ["ﬁled"]),
        ("the state's part.", ["the state’s⁴ part¹⁰."]),
        ("sin² x of x² = 4", ["sin² x of x² = 4"]),
    ],
)
def test_marks_of_notes_and_ligatures_may_differ(connection: Connection, quote: str, pieces: list[str]) -> None:
    assert found(connection, MARKED, quote) == (pieces, None)
    plain = MARKED.replace("ﬁ", "fi").replace("ﬃ", "ffi")
    assert found(connection, plain, quote)[1] is None


WIDE = "株式会社ＡＢＣは：１２３円（税込）。"


@pytest.mark.parametrize(
    ("body", "quote", "refusal"),
    [
        (WIDE, "株式会社ABCは:123円(税込)。", None),
        (WIDE, WIDE, None),
        (WIDE.replace("ＡＢＣ", "ABC").replace("：", ":"), WIDE, None),
        (WIDE, "AB", "cut"),
        (WIDE, "12", "cut"),
        (WIDE, "１２", "cut"),
        (WIDE, "124円", "absent"),
        ("他们不承认：是。", "承认:是", "cut"),
    ],
)
def test_wide_letters_are_what_they_stand_for(
    connection: Connection, body: str, quote: str, refusal: str | None
) -> None:
    pieces, refused = found(connection, body, quote)
    assert refused == refusal
    assert refusal is not None or unicodedata.normalize("NFKC", pieces[0]) == unicodedata.normalize("NFKC", quote)


@pytest.mark.parametrize(
    "quote", ["filed 5 m at", "at sin x", "of x = 4", "o\ufb03", "ﬁle", "le", "denied¹5 by", "state part"]
)
def test_what_small_digits_say_is_not_left_out(connection: Connection, quote: str) -> None:
    assert found(connection, MARKED, quote)[1] in ("absent", "cut")


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("他们不承认这一点。", "承认这一点"),
        ("他们没有承认这一点。", "有承认这一点"),
        ("他们没有承认这一点。", "承认这一点"),
        ("他們沒有承認這一點。", "承認這一點"),
        ("不得转让本协议。", "转让本协议"),
        ("这不是事实。", "事实"),
        ("คณะกรรมการไม่ได้อนุมัติ", "อนุมัติ"),
        ("這並非事實。", "事實"),
        ("ที่นี่ไม่ดี", "ดี"),
        ("他们不承认这一点。", "他们不"),
    ],
)
def test_a_negation_is_not_cut_off(connection: Connection, body: str, quote: str) -> None:
    assert found(connection, body, quote) == ([], "cut")
    assert found(connection, body, body.rstrip("。")) == ([body.rstrip("。")], None)


def test_what_only_ends_like_a_negation_is_cut(connection: Connection) -> None:
    assert found(connection, "南非经济增长。", "经济增长") == (["经济增长"], None)
    assert found(connection, "这是新的。ที่นี่ใหม่ดี", "ดี") == (["ดี"], None)
    assert found(connection, "能不能 good", "good") == (["good"], None)


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        (DENIED, "ever denied the claim"),
        (DENIED, "e"),
        (DENIED, "denied the clai"),
        (SIGNS, "can"),
        (SIGNS, "t join"),
        (SIGNS, "profit"),
        (SIGNS, "non"),
        (SIGNS, "5.3 %"),
        (SIGNS, "fell by -5"),
        (SIGNS, "000"),
        (SIGNS, "in snake"),
        (SIGNS, "lated"),
        (THAI, "ที่น"),
        (DEVANAGARI, "हिन"),
        (DEVANAGARI, "भाष"),
        (ACCENT, "A nai"),
        (ACCENT, "re\u0301sume"),
    ],
)
def test_an_end_within_a_word_is_refused(connection: Connection, body: str, quote: str) -> None:
    assert quote.replace("lated", "re") in body
    assert found(connection, body, quote)[1] == "cut"


@pytest.mark.parametrize(
    ("body", "quote", "pieces"),
    [
        (DENIED, "never denied the claim", ["never denied the claim"]),
        (DENIED, DENIED, [DENIED]),
        (SIGNS, "can’t join", ["can't join"]),
        (SIGNS, "État", ["État"]),
        (SIGNS, "-5.3 %", ["-5.3 %"]),
        (SIGNS, "related", ["re\u00adlated"]),
        (CHINESE, "信任架构", ["信任架构"]),
        (CHINESE, "年发布", ["年发布"]),
        (THAI, "มีน้ำ", ["มีน้ำ"]),
        (DEVANAGARI, "भाषा है", ["भाषा है"]),
        ("A naïve résumé here.", "nai\u0308ve re\u0301sume\u0301", ["naïve résumé"]),
        (DOTS, "and so on … noon", ["and so on", "noon"]),
        (DOTS, "so on ... until", ["so on ... until"]),
        (DOTS, "that very day", ["that **very** day"]),
        (DOTS, '[...] noon" - twice', ["noon” – *twice"]),
        (DENIED, "never […] the (...) claim.", ["never", "the", "claim."]),
        (DENIED, "… never … … claim …", ["never", "claim"]),
        ("It fell. Not so here. It rose.", "It fell. … It rose.", ["It fell.", "It rose."]),
        ("The note is inert, nothingness aside, and safe.", "note is … safe", ["note is", "safe"]),
        ("主張を認めた。反論はない。", "主張を認めた", ["主張を認めた"]),
        ("ずっと前から一つずつ", "前から一つ", ["前から一つ"]),
        ("12 women and/or men", "12 women and", ["12 women and"]),
        ("ever, never ever", "never", ["never"]),
        ("non-ever ever", "ever", ["ever"]),
    ],
)
def test_words_are_found(connection: Connection, body: str, quote: str, pieces: list[str]) -> None:
    assert found(connection, body, quote) == (pieces, None)


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("It is **un**likely; see above.", "likely; see above"),
        ("It is **un**likely; see above.", "is un"),
        ("**W**hen it rains", "hen it rains"),
        ("so un*friend*ly a man", "ly a man"),
        ("see [un](https://x.y)likely things", "likely things"),
        ("run `foo`bar now", "bar now"),
        ("about 1/2 of it", "about 1"),
        ("about 1/2 of it", "2 of it"),
        ("it has 1 000 000 men", "000 000 men"),
        ("it has 1 000 000 men", "it has 1"),
        ("it has 1 000 000 men", "it has 1 000"),
        ("it has 1\u202f000\u202f000 men", "000 000 men"),
        ("it has 1\u00a0000 men", "000 men"),
        ("shares of AT&T fell", "shares of AT"),
        ("shares of AT&T fell", "T fell"),
        ("written in C++ and C#", "written in C"),
        ("written in C++ and C#", "written in C+"),
        ("written in C++ and C#", "and C"),
        ("of the U.S.A. in 1999", "S.A. in 1999"),
        ("of the U.S.A. in 1999", "of the U.S"),
        ("mail user@example.com or", "example.com or"),
        ("mail user@example.com or", "com or"),
        ("mail user@example.com or", "mail user"),
        ("at https://example.com/some/path?x=a-b, or", "at https://example.com"),
        ("at https://example.com/some/path?x=a-b, or", "path?x=a-b, or"),
        ("on example.com/some/path or", "path or"),
        ("he went w/o a hat", "o a hat"),
        ("at 50 km/h on", "at 50 km"),
        ("from 10:30 to noon", "from 10"),
        ("from 10–20 to 30", "20 to 30"),
        ("with p <0.05 it", "0.05 it"),
        ("it rose by 5% to", "it rose by 5"),
        ("of 10⁻³ metres", "of 10"),
        ("as O'Brien said", "Brien said"),
        ("пример.рф и другие", "рф и другие"),
        ("Profit of -$5.30 per share.", "$5.30 per share"),
        ("Total 1'250'000 Franken wurden bezahlt.", "250'000 Franken wurden"),
        ("Total 1’250’000 Franken wurden bezahlt.", "000 Franken wurden"),
        ("non–small-cell lung cancer were cured", "small-cell lung cancer"),
        ("of 10−20 mg were given", "20 mg were"),
        ("of 10‒20 mg were given", "20 mg were"),
        ("add 5⁄8 cups of it", "8 cups of"),
        ("at 10^-5 per year", "5 per year"),
        ("some 3，500 percent more", "500 percent more"),
        ("aujourd'hui. Encore une fois", "hui. Encore une"),
        ("Цей комп'ютер не працює", "ютер не працює"),
        ("Y'all were cured", "all were cured"),
        ("isn`t true at all", "t true at all"),
        ("it is (un)safe for adults", "safe for adults"),
        ("it is un(safe) for adults", "it is un"),
        ("with p<=0.05 it is", "0.05 it is"),
        ("with p⩽0.05 it is", "0.05 it is"),
        ("some ∼5 kg of it", "5 kg of"),
        ("for ₹5 a day", "5 a day"),
        (unicodedata.normalize("NFD", "한국어 문서"), "한국어 문"),
    ],
)
def test_what_signs_and_markup_bind_is_not_cut(connection: Connection, body: str, quote: str) -> None:
    assert found(connection, body, quote)[1] == "cut"


@pytest.mark.parametrize(
    ("body", "quote", "pieces"),
    [
        ("It is **un**likely; see above.", "unlikely; see", ["un**likely; see"]),
        ("It is **un**likely; see above.", "is **un**likely", ["is **un**likely"]),
        ("of ***E. coli* growth** in", "E. coli growth in", ["E. coli* growth** in"]),
        ("so **bold words** are", "**bold", ["bold"]),
        ("so **bold words** are", "words** are", ["words** are"]),
        ("so **bold words** are", "so **bold", ["so **bold"]),
        ("so un**like**ly", "un**likely", ["un**like**ly"]),
        ("see the [guide](https://x.y/z) for", "see the guide for", ["see the [guide](https://x.y/z) for"]),
        ("see the [guide](https://x.y/z) for", "guide](https://x.y/z) for", ["guide](https://x.y/z) for"]),
        ("see the [guide](https://x.y/z) for", "the [guide", ["the [guide"]),
        ("run `foo` now", "run foo now", ["run `foo` now"]),
        ("run `foo` now", "run `foo", ["run `foo"]),
        ("**Note.**The rest", "The rest", ["The rest"]),
        (r"of a\*b\*c here", "of a*b*c here", [r"of a\*b\*c here"]),
        ("2*3*4 is 24", "2*3*4 is", ["2*3*4 is"]),
        ("about 1/2 of it", "1/2 of", ["1/2 of"]),
        ("it has 1\u202f000\u202f000 men", "1 000 000 men", ["1\u202f000\u202f000 men"]),
        ("shares of AT&T fell", "of AT&T", ["of AT&T"]),
        ("written in C++ and C#", "in C++", ["in C++"]),
        ("of the U.S.A. in 1999", "the U.S.A", ["the U.S.A"]),
        ("mail user@example.com.", "mail user@example.com", ["mail user@example.com"]),
        ("at (https://example.com/some) or", "https://example.com/some", ["https://example.com/some"]),
        ("it is either/or here", "or here", ["or here"]),
        ("the claim.Next one", "Next one", ["Next one"]),
        ("This was denied.¹ The court said so.", "This was denied.", ["This was denied."]),
        ("L’État, c’est moi", "État, c’est moi", ["État, c’est moi"]),
        ("as was shown[12] before", "as was shown", ["as was shown"]),
        ("It never denied the claim.", "'It never denied the claim.'", ["It never denied the claim."]),
        ("the claim.12 Next one", "the claim", ["the claim"]),
    ],
)
def test_what_belongs_together_is_found(connection: Connection, body: str, quote: str, pieces: list[str]) -> None:
    assert found(connection, body, quote) == (pieces, None)


WRAPPED = (
    "We found non-\ncompliance of self- employed people\u00a0in 2-\n3 acts"
    " of the un-  \n  lawful kind, pre- and post-war."
)


@pytest.mark.parametrize(
    "quote", ["compliance of", "found non", "employed people", "lawful kind", "We found … compliance of", "the un"]
)
def test_a_word_divided_at_the_end_of_a_line_is_not_cut(connection: Connection, quote: str) -> None:
    assert found(connection, WRAPPED, quote)[1] in {"cut", "absent"}


@pytest.mark.parametrize(
    ("quote", "piece"),
    [
        ("found non-compliance of", "found non-\ncompliance of"),
        ("non- compliance", "non-\ncompliance"),
        ("self-employed people in 2- 3", "self- employed people\u00a0in 2-\n3"),
        ("the un-lawful kind", "the un-  \n  lawful kind"),
        ("and post-war", "and post-war"),
        ("pre- and post-war", "pre- and post-war"),
    ],
)
def test_a_word_divided_at_the_end_of_a_line_is_found(connection: Connection, quote: str, piece: str) -> None:
    assert found(connection, WRAPPED, quote) == ([piece], None)


def test_multiplication_is_no_markup(connection: Connection) -> None:
    assert found(connection, "2*3*4 is 24", "234 is 24")[1] == "absent"
    assert found(connection, "2*3*4 is 24", "4 is 24")[1] == "cut"


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_letters_with_accents_match_however_they_are_composed(connection: Connection, stored: Any, typed: Any) -> None:
    for text in ("Die Häuser – **naïve** Ünïcöde, é.", "A\u030a fjord is ộ deep", "이것은 한국어 문서 입니다"):
        body, quote = unicodedata.normalize(stored, text), unicodedata.normalize(typed, text[3:-3])
        words = quote[quote.index(" ") + 1 : quote.rindex(" ")].replace("*", "")
        (piece,), refusal = found(connection, body, words)
        assert refusal is None
        assert piece in body
        assert unicodedata.normalize(typed, piece).replace("*", "") == words


@pytest.mark.parametrize(
    ("body", "quote", "refusal"),
    [
        (DENIED, ".", "empty"),
        (DENIED, "…", "empty"),
        (DENIED, "… [...] ...", "empty"),
        (DENIED, "“”", "empty"),
        (DENIED, "*_*", "empty"),
        (DENIED, "It Never", "absent"),
        (DENIED, "claim … never", "absent"),
        (DENIED, "ever … claim", "absent"),
        (DENIED, "never denied … claim" + " … claim" * 30, "pieces"),
        ("5 * 3 = 15", "5 3", "absent"),
        ("snake_case", "snakecase", "absent"),
    ],
)
def test_what_is_refused(connection: Connection, body: str, quote: str, refusal: str) -> None:
    assert found(connection, body, quote)[1] == refusal


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("The drug is not safe for children.", "The drug is … safe for children"),
        ("The drug isn't, we found, safe.", "The drug … safe"),
        ("Sales rose. The drug is NOT safe.", "Sales rose. … safe"),
        ("The drug is not safe. It sells.", "The drug is [...] It sells."),
        ("It is, e.g. not by law, safe.", "It is … safe"),
        (DENIED, "It ... claim."),
        ("Die Behörde hat keinen Antrag genehmigt.", "Die Behörde hat … genehmigt"),
        ("Le médicament n’est pas sûr.", "Le médicament … sûr"),
        ("El fármaco no es seguro.", "El fármaco … es seguro"),
        ("Суд не признал иск.", "Суд … признал иск"),
        ("لم تنكر الشركة هذا. هذا غير صحيح.", "هذا … صحيح"),
        ("בית הספר לא נסגר", "הספר … נסגר"),
        ("법원은 주장을 인정하지 않았다고 말했다.", "주장을 … 말했다"),
        ("法院没有明确承认该主张。", "法院 … 承认该主张"),
        ("主張を認めないと述べた", "主張 … 述べた"),
    ],
)
def test_an_ellipsis_leaves_no_negation_out(connection: Connection, body: str, quote: str) -> None:
    assert found(connection, body, quote)[1] == "negation"


@pytest.mark.parametrize(
    ("body", "quote"),
    [
        ("主張を認めなかった。", "主張を認め"),
        ("主張は認められなかった。", "主張は認め"),
        ("賠償を請求できない。", "賠償を請求"),
        ("被告は有罪ではありません。", "被告は有罪"),
        ("dass 3.5 mg/kg genügen", "dass 3.5 mg"),
        ("at 80 km/h or more", "at 80 km"),
    ],
)
def test_what_turns_or_measures_the_words_before_it_is_not_cut_off(
    connection: Connection, body: str, quote: str
) -> None:
    assert found(connection, body, quote)[1] == "cut"


@pytest.mark.parametrize(
    ("body", "quote", "refusal"),
    [
        (DENIED, "denied the", "short"),
        (DENIED, "denied the claim", None),
        (DENIED, "It never denied … claim", "short"),
        ("Not so.", "Not so", None),
        ("Not so.", "Not", "short"),
        ("Well-known, isn't it?", "isn't it", "short"),
        (CHINESE, "零信任", "short"),
        (CHINESE, "零信任架构", None),
        ("安全", "安全", None),
    ],
)
def test_a_least_length_in_words(connection: Connection, body: str, quote: str, refusal: str | None) -> None:
    assert found(connection, body, quote, 3)[1] == refusal


def test_ten_thousand_ellipses_and_long_nodes_end(connection: Connection) -> None:
    body = "lorem ipsum dolor sit amet " * 2000
    assert found(connection, body, "ipsum … " * 10_000)[1] == "pieces"
    assert found(connection, body, "… " * 10_000)[1] == "empty"
    assert found(connection, "e-" * 20_000, "e")[1] == "cut"
    assert found(connection, body, body[6:20_001].replace(" ", "\n")) == ([body[6:20_001]], None)


WORDS = st.text(
    st.characters(categories=("Lu", "Ll", "Nd"), exclude_characters="\u0345", max_codepoint=0xDFF),
    min_size=1,
    max_size=8,
)


@spread
@given(words=st.lists(WORDS, min_size=1, max_size=12), data=st.data())
def test_any_run_of_whole_words_is_found_and_given_back(connection: Connection, words: list[str], data: Any) -> None:
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "\n ", ", ", "; ", " – ", " (", ") "]), min_size=len(words), max_size=len(words))
    )
    pairs = [word + gap for word, gap in zip(words, gaps, strict=True)]
    body = "".join(pairs)
    assume(unicodedata.is_normalized("NFC", body))
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin + 1, len(words)))
    run = "".join([*pairs[begin : end - 1], words[end - 1]])
    assert run in body
    assert found(connection, body, run) == ([run], None)
    assert found(connection, body, "“" + run.replace(" ", "\u00a0\n") + "”")[1] is None


@spread
@given(words=st.lists(WORDS, min_size=1, max_size=6, unique=True), data=st.data())
def test_any_cut_inside_a_word_is_refused(connection: Connection, words: list[str], data: Any) -> None:
    body = " ".join(words)
    assume(unicodedata.is_normalized("NFC", body))
    long = [word for word in words if len(word) > 1]
    assume(long)
    word = data.draw(st.sampled_from(long))
    cut = data.draw(st.integers(1, len(word) - 1))
    place = words.index(word)
    for quote in (" ".join([*words[:place], word[:cut]]), " ".join([word[cut:], *words[place + 1 :]])):
        if f" {quote} " not in f" {body} ":
            assert found(connection, body, quote)[1] == "cut"


LETTERS = st.text(
    st.characters(categories=("Lu", "Ll"), exclude_characters="\u0345", max_codepoint=0x52F), min_size=1, max_size=8
)
LINK = "](https://example.com/a_b)"


@st.composite
def marked_up(draw: st.DrawFn) -> tuple[str, list[str], list[str]]:
    """Give a text with inline markup, its words, and what stands after each of them."""
    words = draw(st.lists(LETTERS, min_size=1, max_size=10))
    gaps = [draw(st.sampled_from([" ", " ", "\n", ", ", "; ", " – ", " ("])) for _ in words]
    body = ""
    for word, gap in zip(words, gaps, strict=True):
        begin = draw(st.integers(0, len(word) - 1))
        end = draw(st.integers(begin + 1, len(word)))
        before, after = draw(
            st.sampled_from([("", ""), ("**", "**"), ("*", "*"), ("***", "***"), ("`", "`"), ("[", LINK)])
        )
        body += word[:begin] + before + word[begin:end] + after + word[end:] + gap
    return body, words, gaps


@spread
@given(text=marked_up(), forms=st.tuples(*[st.sampled_from(["NFC", "NFD"])] * 2), data=st.data())
def test_whole_words_of_marked_up_text_are_found_and_no_letter_less(
    connection: Connection, text: tuple[str, list[str], list[str]], forms: tuple[Any, Any], data: Any
) -> None:
    body, words, gaps = text
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin + 1, len(words)))
    run = "".join(word + gap for word, gap in zip(words[begin : end - 1], gaps[begin:], strict=False)) + words[end - 1]
    body, run = unicodedata.normalize(forms[0], body), unicodedata.normalize(forms[1], run)
    (piece,), refusal = found(connection, body, run)
    assert refusal is None
    assert piece in body
    plain = piece.replace(LINK, "").translate(dict.fromkeys(map(ord, "*`[")))
    # the same words may stand earlier, with other space between them
    assert unicodedata.normalize("NFC", plain).split() == unicodedata.normalize("NFC", run).split()
    composed = [unicodedata.normalize("NFC", word) for word in words]
    for first, last in ((1, None), (None, -1)):
        edge = composed[begin if first else end - 1]
        cut = [*composed[begin:end]]
        cut[0 if first else -1] = edge[first:last]
        if len(edge) > 1 and cut not in [composed[at : at + len(cut)] for at in range(len(words))]:
            assert found(connection, body, unicodedata.normalize("NFC", run)[first:last])[1] in ("cut", "absent")


@pytest.fixture
def said(connection: Connection) -> Connection:
    make_document(connection)
    make_node(connection, "dl_a", "cn_0", 0, content="Before.", char_start=0, char_end=7)
    make_node(connection, "dl_a", "cn_1", 1, content=DENIED, char_start=9, char_end=9 + len(DENIED))
    return connection


@pytest.mark.parametrize(
    ("quote", "words", "code", "told"),
    [
        ("ever denied the claim", 1, "RG009", "only within a longer word"),
        ("e", 1, "RG009", "only within a longer word"),
        (".", 1, "RG005", "has no words"),
        ("denied", 3, "RG005", "is too short"),
        ("It … " * 30, 1, "RG005", "too many ellipses"),
        ("It always denied", 1, "RG009", "does not contain"),
        ("denied", 0, "RG005", "min_words is 0"),
    ],
)
def test_refusals_say_why(said: Connection, quote: str, words: int, code: str, told: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        said.execute("SELECT * FROM ragraph.cite_quote('dl_a', 'cn_1', %s, %s)", (quote, words))
    assert caught.value.sqlstate == code
    assert told in str(caught.value)


def test_a_quote_with_an_ellipsis_has_a_span_for_each_side(said: Connection) -> None:
    row = said.execute(
        "SELECT quote_start, quote_end, verbatim, pieces::text"
        " FROM ragraph.cite_quote('dl_a', 'cn_1', 'never … claim.')"
    ).fetchone()
    assert row == (12, 35, "never […] claim.", '{"[12,17)","[29,35)"}')


def test_a_negation_left_out_is_told(said: Connection) -> None:
    with pytest.raises(psycopg.Error, match="leaves out a negation") as caught:
        said.execute("SELECT * FROM ragraph.cite_quote('dl_a', 'cn_1', 'It … claim.')")
    assert caught.value.sqlstate == "RG009"


def test_refusals_say_what_to_do_next(library: Store) -> None:
    from sample_library import GUIDE

    node = next(node for node in library.nodes(GUIDE) if len(node.content.split()) > 20)
    with pytest.raises(ArgumentError, match="is too short; quote at least 3 words in a row"):
        library.quote(GUIDE, node.id, node.content.split()[0], min_words=3)
    with pytest.raises(QuoteNotFoundError, match="; begin and end the quote with whole words; text joined by signs"):
        library.quote(GUIDE, node.id, node.content[1:30])
    with pytest.raises(NodeNotFoundError, match=r"has no content node 'cn_x'; ids of nodes come from a search"):
        library.cite(GUIDE, "cn_x")
    quote = {"document_id": GUIDE, "node_id": node.id, "text": node.content[:30]}
    data = {"question": "?", "claims": [{"text": "It is.", "quotes": [quote]}]}
    with pytest.raises(ArgumentError, match=r"^min_words takes a whole number, not 2.5"):
        CitedAnswer.model_validate(data, context={"store": library, "min_words": 2.5})


def test_a_claim_needs_whole_words_and_several(library: Store) -> None:
    from sample_library import GUIDE

    node = next(node for node in library.nodes(GUIDE) if len(node.content.split()) > 20)
    words = node.content.split()

    def answer(text: str) -> dict[str, Any]:
        quote = {"document_id": GUIDE, "node_id": node.id, "text": text}
        return {"question": "Is the moon cheese?", "claims": [{"text": "It is.", "quotes": [quote]}]}

    for text in ("e", ".", words[0], f"{words[0]} … {words[5]}", node.content[1:30]):
        pruned = CitedAnswer.model_validate(answer(text)).pruned(library)
        assert (pruned.claims, pruned.sufficient) == ([], False)
    good = " ".join(words[:5])
    assert CitedAnswer.model_validate(answer(good)).verified(library).is_verified
    loose = {"store": library, "min_words": 1}
    assert CitedAnswer.model_validate(answer(" ".join(words[:2])), context=loose).is_verified
    with pytest.raises(QuoteNotFoundError, match="longer word"):
        library.quote(GUIDE, node.id, node.content[1:30])
    with pytest.raises(ArgumentError, match="has no words"):
        library.quote(GUIDE, node.id, "…")
