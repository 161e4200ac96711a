"""Character sets: stated ones, found ones, guesses with their warnings, and what a user names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragraph
from ragraph.errors import ArgumentError, DamagedFileError
from ragraph.ingest.common.charset import decode_text
from ragraph.ingest.reader_process.preflight import Limits
from ragraph.ingest.reader_process.worker import read_draft
from ragraph.ingest.readers import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ragraph.store.store import Store


WESTERN = {
    "French": "La profondeur du port est très élevée ; l’été, le café coûte 3,50 €.",
    "German": "Die Tiefe des Hafens beträgt zwölf Meter, größer als „früher“ – über alles.",
    "Spanish": "El niño comió ñoquis mañana y después salió.",
    "Portuguese": "O João comprou pão e não voltou, a situação é difícil.",
    "Swedish": "Mannen frågade om båten går på måndag och öppnade dörren.",
    "Danish": "Hvor dyb er havnen? Båden sejler på lørdag, når vejret er køligt.",
    "Finnish": "Sataman syvyys on kaksitoista metriä, ja lähtö on päivällä.",
    "Icelandic": "Það er þægilegt að sigla héðan á morgun.",
    "several": "L’été était très chaud. El niño comió ñoquis. Mannen frågade. O João comprou café à 3,50 €.",
    "degrees": "Temperatures of 20°C, 21°C, 22°C, 25°C and 30°C were kept.",
    "prices": "The lamp costs £450 and the rope costs €12 a metre.",
    "one pound": "£450",
    "half": "Take 2½ cups, ±5 %.",
    "a name": "Zoë’s, by Zoë",
    "a last letter": "Groß",
    "section": "See § 7.2 and ¶ 3 of the “Act”…",
    "micro": "5 µm and 7 µm, × 3",
}
CYRILLIC = "Глубина гавани двенадцать метров."
OTHERS = [
    *((charset, CYRILLIC) for charset in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    *((charset, "Το λιμάνι έχει βάθος δώδεκα μέτρων.") for charset in ("cp1253", "iso8859-7")),
    ("cp1255", "עומק הנמל שנים עשר מטרים."),
    ("cp1256", "عمق الميناء اثنا عشر مترا في الشتاء."),
    ("cp932", "日本の港は深い。船は朝に出る。"),
    ("euc-jp", "日本の港は深い。船は朝に出る。"),
    ("gb18030", "港口的水深为十二米，船只早晨出发。"),
    ("big5", "港口的水深為十二米，船隻早晨出發。"),
    ("euc-kr", "항구의 깊이는 십이 미터이다."),
    ("cp874", "ท่าเรือมีความลึกสิบสองเมตร"),
    *((charset, "Głębokość portu wynosi dwanaście metrów, a łódź płynie.") for charset in ("cp1250", "iso8859-2")),
    *((charset, "Hloubka přístavu je dvanáct metrů, loď vyplouvá a čeká.") for charset in ("cp1250", "iso8859-2")),
    ("cp1250", "A kikötő mélysége tizenkét méter, a hajó hűvös időben indul."),
    ("cp1254", "Limanın derinliği on iki metredir, gemi sabah çıkıyor."),
    ("cp1257", "Uosto gylis yra dvylika metrų, laivas išplaukia rytą, žmonės keliauja į miestą."),
    ("cp850", "Mannen frågade om båten går på måndag och öppnade dörren."),
]


@pytest.mark.parametrize("name", WESTERN)
def test_western_text_is_windows_1252(name: str) -> None:
    text = WESTERN[name]
    found = decode_text(text.encode("cp1252"))
    assert (found.text, found.charset) == (text, "cp1252")


@pytest.mark.parametrize(("charset", "text"), OTHERS, ids=[f"{c}-{n}" for n, (c, _) in enumerate(OTHERS)])
def test_letters_show_another_set_and_it_is_warned(charset: str, text: str) -> None:
    found = decode_text(text.encode(charset))
    assert found.text == text
    assert found.warning is not None
    assert "--charset" in found.warning


PIECES = [*"abcdefgh ,", *(f"e{one}n" for one in "éàüñøß€£½°±“”’–…§")]


@given(st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_no_letter_of_a_western_text_is_lost(text: str) -> None:
    """Each byte gives a character, whatever set the letters of an unlikely text show."""
    data = f"The harbour of the town: {text}.".encode("cp1252")
    assert len(decode_text(data).text) in (len(data), len(data.decode("utf-8", "replace")))


@given(st.text(max_size=200))
def test_utf_8_is_utf_8(text: str) -> None:
    expected = text.removeprefix("\ufeff")
    if "\0" not in text:
        assert decode_text(text.encode()).text == expected
        assert decode_text(("\ufeff" + text).encode("utf-16-le")).text == text
    assert decode_text(text.encode("utf-8-sig")).text == text


def test_a_character_that_is_cut_at_the_end_is_left_out_with_a_warning() -> None:
    whole = "Glück für Zoë".encode()
    found = decode_text(whole[:-1])
    assert (found.text, found.charset) == ("Glück für Zo", "utf-8")
    assert found.warning is not None
    assert "within a character" in found.warning


def test_a_foreign_byte_within_utf_8_keeps_its_letter() -> None:
    text = "Über die Größe der Flüsse und Bäche hört man Schönes; für Öl und Käse gäbe es fünf Gründe. "
    found = decode_text(text.encode() + b"\xa3450 " + text.encode())
    assert found.text == f"{text}£450 {text}"
    assert found.warning is not None
    assert found.warning.startswith("1 byte of the file, which is UTF-8 otherwise")


def test_foreign_bytes_within_a_short_utf_8_text_leave_its_signs() -> None:
    text = "Price £450 — naïve café ½ "
    found = decode_text(text.encode() + b"\xa3" + "12 or £15".encode())
    assert found.text == f"{text}£12 or £15"
    assert found.warning is not None
    assert found.warning.startswith("1 byte of the file, which is UTF-8 otherwise")


def test_zero_bytes_are_utf_16_or_refused() -> None:
    text = "The lake freezes in January and thaws in April.\n"
    for charset in ("utf-16-le", "utf-16-be", "utf-32-le"):
        assert decode_text(text.encode(charset)).text == text
    with pytest.raises(DamagedFileError, match="zero bytes"):
        decode_text(b"a\x00\xff\x00\x00b\x9c\x07\x00")


def test_what_is_stated_counts_before_what_is_found() -> None:
    data = CYRILLIC.encode("koi8-r")
    assert decode_text(data, declared=["koi8-r"]).text == CYRILLIC
    assert decode_text(data, declared=["utf-8", "nonsense", "koi8-r"]).text == CYRILLIC
    assert decode_text(data, charset="koi8-r", declared=["cp1251"]) == decode_text(data, declared=["koi8-r"])
    with pytest.raises(DamagedFileError, match=r"not in the character set ascii: byte 0xe7 at 0 .* with --charset"):
        decode_text(data, charset="ascii")


def test_a_named_set_of_a_text_that_is_utf_8_is_warned_of() -> None:
    found = decode_text("It costs £450".encode(), charset="windows-1252")
    assert (found.text, found.warning is not None) == ("It costs Â£450", True)
    assert decode_text(b"It costs 450", charset="windows-1252").warning is None


def test_a_few_letters_that_may_be_of_another_set_are_warned_of() -> None:
    found = decode_text("śruba;5 €".encode("cp1250"))
    assert found.warning is not None
    assert decode_text("£450; Zoë; 20 °C; Groß".encode("cp1252")).warning is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "{}"),
        ("a.md", "{}"),
        ("a.rst", "{}"),
        ("a.csv", "item,words\n1,{}\n"),
        ("a.html", "<html><body><p>{}</p></body></html>"),
        ("a.eml", "From: a@example.org\nSubject: x\nContent-Type: text/plain\n\n{}\n"),
    ],
)
def test_every_text_format_reads_it_so_and_its_draft_warns(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content.replace("{}", CYRILLIC).encode("cp1251"))
    draft = read_draft(path, ReadOptions(), Limits())
    words = json.dumps([[node.text, node.data] for node in draft.nodes], ensure_ascii=False)
    assert CYRILLIC in words
    assert any("windows-1251" in warning for warning in draft.warnings)
    path.write_bytes(content.replace("{}", "It costs £450").encode("cp1252"))
    draft = read_draft(path, ReadOptions(), Limits())
    assert "It costs £450" in json.dumps([[node.text, node.data] for node in draft.nodes], ensure_ascii=False)
    assert draft.warnings == []


@pytest.mark.parametrize("name", ["nonsense", "base64", "utf 8 x", "", "unicode_escape", "raw_unicode_escape", "idna"])
def test_a_name_that_is_no_character_set_is_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match="charset must name a character set"):
        ReadOptions(charset=name)


def test_the_command_takes_a_name_and_reads_the_file_again(database_url: str, tmp_path: Path) -> None:
    path = tmp_path / "prud.txt"
    path.write_bytes("Пруд. ".encode("cp1251") * 3)
    with ragraph.open(database_url) as store:
        first = store.ingest([path], model=None)
        (file,) = first.files
        assert any("--charset" in warning for warning in file.warnings)
    command = [sys.executable, "-m", "ragraph", "ingest", str(path), "--no-embed", "--charset"]
    environment = {**os.environ, "RAGRAPH_DATABASE_URL": database_url}
    again = subprocess.run([*command, "cp1251"], capture_output=True, text=True, env=environment)
    assert again.returncode == 0, again.stderr
    with ragraph.open(database_url) as store:
        (document,) = store.documents()
        assert store.render(document.id, format="text").strip() == "Пруд. Пруд. Пруд."
    with ragraph.open(database_url) as store:  # the set that was named holds until another one is
        assert [file.status for file in store.ingest([path], model=None).files] == ["unchanged"]
        path.write_bytes("Озеро. ".encode("cp1251"))
        assert [file.status for file in store.ingest([path], model=None).files] == ["changed"]
        (document,) = store.documents()
        assert store.render(document.id, format="text").strip() == "Озеро."
    wrong = subprocess.run([*command, "cp1300"], capture_output=True, text=True, env=environment)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert "charset must name a character set" in wrong.stderr


def test_the_set_that_a_text_was_read_in_is_recorded(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "prud.txt"

    def recorded(text: bytes, charset: str | None = None) -> str | None:
        path.write_bytes(text)
        store.ingest(path, model=None, charset=charset)
        with store.database.read() as connection:
            (found,) = connection.execute("SELECT d.charset FROM ragraph.document AS d").fetchone() or ()
        return cast("str | None", found)

    assert recorded("Глубина гавани двенадцать метров.".encode("cp1251")) == "cp1251"
    assert recorded("Глубина гавани.".encode("koi8-r"), "koi8-r") == "koi8-r"
    assert recorded("Глубина гавани десять.".encode("koi8-r")) == "koi8-r"
    assert recorded("Глубина гавани.".encode(), "auto") is None


def test_auto_forgets_the_set_that_was_named(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "prud.txt"
    path.write_bytes("Пруд и озеро. ".encode() * 3)
    store.ingest(path, model=None, charset="cp1251")
    (document,) = store.documents()
    assert "Пруд" not in store.render(document.id, format="text")
    assert [file.status for file in store.ingest(path, model=None, charset="auto").files] == ["changed"]
    assert store.render(document.id, format="text").strip() == "Пруд и озеро. Пруд и озеро. Пруд и озеро."
    assert [file.status for file in store.ingest(path, model=None).files] == ["unchanged"]
    assert "Пруд" in read_draft(path, ReadOptions(charset="auto"), Limits()).nodes[0].text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"charset": "nonsense"}, "charset must name a character set"),
        ({"charset": 5}, "charset takes text, not 5"),
        ({"colection": "a"}, "ingest takes no option 'colection'; did you mean 'collection'"),
        ({"zzz": "a"}, "ingest takes no option 'zzz'; use one of paths, collection, tags, "),
        ({"layout": "rules"}, r"ingest takes no option 'layout'; it belongs in options=ReadOptions"),
    ],
)
def test_a_wrong_option_of_ingest_is_our_error(
    store: Store, tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    (tmp_path / "a.txt").write_text("Text")
    with pytest.raises(ArgumentError, match=said):
        store.ingest(tmp_path, model=None, **options)
    assert store.documents() == []


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        *(("cp874", text) for text in ("สวัสดีครับ", "ราคา 100 บาท", "กรุงเทพ", "น้ำเปล่า", "ผมรักคุณ", "ข้าว;จำนวน;5\n")),
        *(("cp932", text) for text in ("価格表", "東京", "エラー", "〒100-0001 東京都", "データ Excel ファイル")),
        *(("gb18030", text) for text in ("价格表", "北京", "有限公司", "用户登录失败", "统计数据 2024年")),
        *(("big5", text) for text in ("價格表", "臺北", "你好嗎", "會議記錄")),
        *(("euc_kr", text) for text in ("가격표", "서울", "대한민국", "감사합니다", "오늘 날씨가 좋습니다")),
        *(("euc_jp", text) for text in ("価格表", "東京都", "今日は晴れです")),
    ],
)
def test_short_texts_of_asia(charset: str, text: str) -> None:
    found = decode_text(text.encode(charset))
    assert (found.text, found.charset) == (text, charset)
    assert found.warning


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("cp1251", "АДРЕС"),
        ("cp1251", "ИТОГО"),
        ("koi8-r", "цена;адрес"),
        ("iso8859-5", "СУММА"),
        ("cp1256", "تاريخ"),
        ("cp1253", "ΑΘΗΝΑ"),
    ],
)
def test_short_texts_in_the_order_of_thai_are_in_their_own_script(charset: str, text: str) -> None:
    assert decode_text(text.encode(charset)).text == text


@pytest.mark.parametrize(
    "text",
    ["“‘Oh’” – it’s 5–6 °C", "• Apple\n• Pear", "–—…”“", "Café™ ©2020 ½", "ää öö", "¿¡Sí!?", "»Šašek«"],
)
def test_signs_of_western_texts_are_no_texts_of_asia(text: str) -> None:
    assert decode_text(text.encode("cp1252")).text == text


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("cp850", "Größe"), ("cp850", "café"), ("cp850", "Déjà vu à la carte"), ("cp850", "coração não"),
        ("cp437", "Grüße"), ("mac_roman", "café"), ("mac_roman", "garçon élève"), ("cp1250", "Łódź"),
        ("cp1255", "שלום עולם"), ("cp1255", "זה טקסט קצר מאוד"), ("koi8-r", "Да"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("around", ["{}", "A line before it.\n{}\nAnd one behind."])
def test_a_short_text_is_read_in_the_set_in_which_its_letters_can_stand(charset: str, text: str, around: str) -> None:
    found = decode_text(around.format(text).encode(charset))
    assert found.text == around.format(text)
    assert "--charset" in (found.warning or "")


@pytest.mark.parametrize("text", ["café", "20 °C", "© 2020 Müller", "“Hello” – it’s 5 €", "Smith† said"])
def test_a_short_western_text_stays_one_without_a_warning(text: str) -> None:
    found = decode_text(text.encode("cp1252"))
    assert (found.text, found.warning) == (text, None)


@pytest.mark.parametrize(("charset", "text"), [("cp850", "Ärger"), ("mac_roman", "über")])
def test_a_short_text_that_may_be_in_several_sets_is_told(charset: str, text: str) -> None:
    assert "is near). --charset names another" in (decode_text(text.encode(charset)).warning or "")
