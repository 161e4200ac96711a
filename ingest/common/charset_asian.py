"""The character set of short texts in Japanese, Chinese, Korean and Thai, by the signs that are usual there.

A text of a few signs is valid in several of these sets, and as signs and quotes in windows-1252.
"""

from __future__ import annotations

import re

_FEW_SIGNS = 2
_USUAL_SHARE = 0.4
"""Minimum share of usual signs; in a wrong set about a fiftieth of them are usual."""

_USUAL_THAI = 0.4

_USUAL = {
    "gb18030": (
        "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小"
        "么心多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民"
        "样现分将外但身些与高月第名业务司京北海价格商品数量金额合计统据销售登录失败客户议记部项目产编号期备注"
        "系电话址"
    ),
    "big5": (
        "的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可裡後小"
        "麼心多天而能好都然沒日於起還發成事只作當想看文無開手用主行方又如前所本見經頭面公同三已老從動兩長知民"
        "樣現分將外但身些與高月第名業務司臺台北價格商品數量金額合計統銷售登入失敗客戶議記錄部項目產編號期備註"
        "系電話址灣"
    ),
    "euc_kr": (
        "이다는의에을가하고지한사도기로나를대은인아어서시자일그있수리원정해보장전스부상구제것들라여조만주세무"
        "우선과소성동계면공안녕요격표울오늘날씨좋습니식회민국실패감합록품명량금액총월년번호화직책담당"
    ),
    "euc_jp": (
        "のにはをたがでてとしれさいるなあうえおかきくけこすせそちつぬねひふへほまみむめもやゆよらりろわんアイ"
        "ウエオカキクケコサシスセソタチツテトナニネノハヒフヘホマミムメモヤユヨラリルレロワンー日一国人年大十"
        "二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西"
        "電校語土木聞食車何南万毎白天母火右読友左休父雨価格表商品京都会社"
    ),
}
"""Usual signs of each set."""

_KANA_LEADS = frozenset(b"\x81\x82\x83")
_FIRST_KANJI, _LAST_KANJI = 0x88, 0x98
"""First bytes of punctuation, kana and the usual Chinese signs in Shift JIS."""

_BESIDE_ASCII = re.compile(r"[A-Za-z][^\x00-\x7f]|[^\x00-\x7f][A-Za-z]")
_THAI = frozenset("านรอกเงมยลวดท่้ัี")
_NOT_THAI = re.compile(
    "(?<![\u0e01-\u0e2e\u0e31-\u0e3a\u0e47-\u0e4e])[\u0e31-\u0e3a\u0e47-\u0e4e]"
    "|(?<![\u0e01-\u0e2e\u0e32\u0e34-\u0e3a\u0e47-\u0e4e])\u0e30|[\u0e40-\u0e44](?![\u0e01-\u0e2e])"
)
"""A vowel or tone without the consonant that it stands on, above or before."""


def asian_charset(data: bytes) -> str | None:
    """Return the set of a text whose signs are usual in one of these languages, apart from words in ASCII."""
    if _is_shift_jis(data):
        return "cp932"
    shares = sorted(((_share(data, name), name) for name in _USUAL), reverse=True)
    (share, found), (next_share, _) = shares[0], shares[1]
    return found if share >= _USUAL_SHARE and share >= 2 * next_share else None


def is_thai(data: bytes) -> bool:
    """Return True if all signs of a text in windows-874 are where Thai has them, and many are usual."""
    try:
        text = data.decode("cp874")
    except UnicodeDecodeError:
        return False
    letters = [one for one in text if "\u0e01" <= one <= "\u0e5b"]
    usual = sum(one in _THAI for one in letters)
    return usual >= _USUAL_THAI * len(letters) > 0 and not _NOT_THAI.search(text)


def _share(data: bytes, charset: str) -> float:
    """Return the share of usual signs of a text in a set; 0 if it is not valid, or beside letters of ASCII."""
    try:
        text = data.decode(charset)
    except UnicodeDecodeError:
        return 0.0
    signs = [one for one in text if one.isalpha() and not one.isascii()]
    if len(signs) < _FEW_SIGNS or _BESIDE_ASCII.search(text):
        return 0.0
    return sum(one in _USUAL[charset] for one in signs) / len(signs)


def _is_shift_jis(data: bytes) -> bool:
    """Return True if a text in Shift JIS has only usual signs of Japanese, apart from words in ASCII."""
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return False
    signs = [one for one in text if not one.isascii()]
    if len(signs) < _FEW_SIGNS or _BESIDE_ASCII.search(text):
        return False
    leads = {one.encode("cp932")[0] for one in signs}
    return all(lead in _KANA_LEADS or _FIRST_KANJI <= lead <= _LAST_KANJI for lead in leads)
