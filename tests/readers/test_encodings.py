from __future__ import annotations

import pytest

from memory_core.readers import read_bytes

RUSSIAN = "Привет, мир. Встреча в понедельник, принесите отчёт.\n"
JAPANESE = "会議は月曜日の午前九時に始まります。売上報告書を持ってきてください。\n"
CHINESE = "会议将于星期一上午九点开始。请带上上个月的销售报告。\n"
KOREAN = "회의는 월요일 오전 아홉시에 시작합니다. 지난달 매출 보고서를 가져오세요.\n"
POLISH = "Zażółć gęślą jaźń. Spotkanie w poniedziałek, proszę przynieść sprawozdanie.\n"
FRENCH = "La réunion commence à neuf heures ; le mois passé, déjà prévu, où ?\n"
GERMAN = "Die Besprechung beginnt am Montag, bitte für März die Verkäufe mitbringen. Größe.\n"
GREEK = "Αυτή η συνάντηση αρχίζει τη Δευτέρα στις εννέα, φέρτε την έκθεση πωλήσεων.\n"

LEGACY = [
    *((RUSSIAN, encoding) for encoding in ("cp1251", "koi8-r", "cp866", "iso-8859-5")),
    *((JAPANESE, encoding) for encoding in ("shift_jis", "euc-jp", "iso2022_jp")),
    (CHINESE, "gb18030"),
    (KOREAN, "euc-kr"),
    *((POLISH, encoding) for encoding in ("iso-8859-2", "cp1250")),
    *((FRENCH, encoding) for encoding in ("cp1252", "latin-1")),
    (GERMAN, "cp1252"),
    (GREEK, "cp1253"),
]
WIDE = ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]


def read(content, name="a.txt"):
    return read_bytes(name, content, max_bytes=1_000_000)


@pytest.mark.parametrize(("text", "encoding"), LEGACY)
@pytest.mark.parametrize("repeats", [1, 5])
def test_a_legacy_encoding_is_detected_and_named_in_the_notice(text, encoding, repeats):
    file = read((text * repeats).encode(encoding))

    assert text * repeats == file.text
    assert "It is not UTF-8; it was read as " in file.notice


@pytest.mark.parametrize(("text", "encoding"), LEGACY)
def test_a_few_foreign_lines_in_much_code_are_detected(text, encoding):
    code = "def add(one, other):\n    return one + other\n" * 500
    source = code + f"# {text}" + code

    assert source == read(source.encode(encoding), "a.py").text


@pytest.mark.parametrize("text", [RUSSIAN, JAPANESE, CHINESE, KOREAN, POLISH, "words\n", GREEK])
@pytest.mark.parametrize("encoding", WIDE)
def test_wide_characters_are_read_without_a_byte_order_mark(text, encoding):
    assert text == read(text.encode(encoding)).text


def test_doubt_about_an_encoding_is_reported_with_a_fix():
    notice = read("Größe café".encode("cp1252")).notice

    assert "Latin-1" in notice
    assert "guess" in notice and "save it as UTF-8" in notice


def test_a_certain_encoding_is_reported_without_doubt():
    assert "guess" not in read(JAPANESE.encode("iso2022_jp")).notice


def test_a_declared_encoding_is_taken_without_detection():
    page = f'<meta charset="koi8-r"><p>{RUSSIAN}</p>'.encode("koi8-r")

    file = read(page, "a.html")

    assert (RUSSIAN.strip(), "") == (file.text, file.notice)
