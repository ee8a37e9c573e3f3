# ruff: noqa: RUF001
"""Queries find rows that are spelled in another way."""

from __future__ import annotations

import pytest


@pytest.fixture
def write(memory):
    """Store sentences about one entity in their order."""

    def written(*sentences):
        memory.graph.create_entity("Notes", "concept", observations=list(sentences))

    return written


def first_hit(memory, query):
    hits = memory.search.search_memory(query, kinds=["observation"]).hits
    return hits[0].text if hits else ""


@pytest.mark.parametrize(
    ("others", "wanted", "query"),
    [
        (["คุณมานะทำงานที่เชียงใหม่", "คุณอารีทำงานที่ขอนแก่น"], "คุณสมชายทำงานที่กรุงเทพ", "กรุงเทพ"),
        (["ວຽງຈັນເປັນນະຄອນຫຼວງ", "ປາກເຊຢູ່ພາກໃຕ້"], "ຫຼວງພະບາງເປັນເມືອງເກົ່າ", "ພະບາງ"),
        (["គាត់រស់នៅបាត់ដំបង", "គាត់រស់នៅកំពត"], "គាត់រស់នៅភ្នំពេញ", "ភ្នំពេញ"),
        (["သူမန္တလေးမှာနေတယ်", "သူပဲခူးမှာနေတယ်"], "သူရန်ကုန်မှာနေတယ်", "ရန်ကုန်"),
        (["Łukasz w Łodzi", "Bolesław w Płocku"], "Michał w Gdańsku", "Michal"),
        (["Anna bor i Malmö", "Per bor i Oslo"], "Søren bor i Ærøskøbing", "Soren"),
        (["Anna lives in Ulm", "Per lives in Bonn"], "Jón lives in Þingeyri", "thingeyri"),
        (["der Bus", "die Bahn"], "die Goethestraße", "GOETHESTRASSE"),
        (["Ｏｓａｋａ支店は月曜", "Ｎａｇｏｙａ支店は火曜"], "Ｔｏｋｙｏ支店は水曜", "Tokyo"),
        (["Tokyo支店", "Nagoya支店"], "Osaka支店", "Ｏｓａｋａ"),
        (["コーヒー", "ラジオ"], "ﾃﾚﾋﾞを買った", "テレビ"),
        (["أحمد يسكن في القاهرة", "يوسف يسكن في الرباط"], "إبراهيم يسكن في صنعاء", "ابراهيم"),
        (["مريم في تونس", "سعيد في بغداد"], "فاطمة في عمان", "فاطمه"),
        (["مريم في تونس", "سعيد في بغداد"], "مُصْطَفَى في مكـــة", "مصطفي"),
        (["الغرفة ١٢٤", "الغرفة ١٢٥"], "الغرفة ۴۵۶۷", "4567"),
        (["בית קפה", "ספר טוב"], "שָׁלוֹם לכולם", "שלום"),
        (["Пётр в Твери", "Иван в Омске"], "Семён купил ёлку", "Семен елку"),
        (["Ankara güzel", "İzmir sıcak"], "Toplantı ISPARTA şehrinde", "ısparta"),
        (["Ankara güzel", "Isparta soğuk"], "DİYARBAKIR sıcak", "diyarbakır"),
        (["लखनऊ में", "पटना में"], "वह ज़मीन पर है", "जमीन"),
    ],
)
def test_a_word_is_found_in_another_spelling(memory, write, others, wanted, query):
    write(*others, wanted)

    assert wanted == first_hit(memory, query)


DATES = ["Kickoff 2024-03-06", "Launch on 2024-04-05", "Audit on 2023-03-05", "Review 05.04.2024"]


@pytest.mark.parametrize("query", ["5 March 2024", "2024-03-05", "March 5, 2024", "05.03.2024"])
@pytest.mark.parametrize(
    "spelling",
    [
        "2024-03-05",
        "5 March 2024",
        "March 5th, 2024",
        "5.3.2024",
        "Mar 5 2024",
        "5. März 2024",
        "2024年3月5日",
        "2024/03/05",
        "03/05/2024",
    ],
)
def test_a_date_is_found_in_every_spelling(memory, write, spelling, query):
    wanted = f"Meeting was on {spelling}"
    write(*DATES, wanted)

    assert wanted == first_hit(memory, query)


AMOUNTS = ["Invoice 17 was 1,250.00", "Invoice 18 was 1,520.00", "Invoice 20 was 125.00 EUR"]


@pytest.mark.parametrize("query", ["12500", "12,500", "12,500.00", "12.500,00", "12 500"])
@pytest.mark.parametrize(
    "spelling", ["12500", "12,500.00 EUR", "€12.500,00", "12\u00a0500", "12'500.00 CHF"]
)
def test_a_number_is_found_in_every_spelling(memory, write, spelling, query):
    wanted = f"Invoice 19 was {spelling}"
    write(*AMOUNTS, wanted)

    assert wanted == first_hit(memory, query)


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("RTX4090 was ordered", "RTX 4090"),
        ("an RTX 4090 was ordered", "RTX4090"),
        ("login uses OAuth2", "OAuth 2"),
        ("login uses OAuth 2", "oauth2"),
        ("the laptop has 16GB", "16 GB"),
        ("the laptop has 16 GB", "16gb"),
        ("fixed in e83c5163316f89bfbde7d9ab23ca2e25604af290", "e83c516"),
        ("fixed in e83c516", "e83c5163316f89bfbde7d9ab23ca2e25604af290"),
        ("fixed in 1234567890abcdef1234567890abcdef12345678", "12345678"),
    ],
)
def test_an_identifier_is_found_in_another_spelling(memory, write, written, query):
    write("an RX 580 was ordered", "login uses OAuth", "the laptop has 8 GB", "fixed it", written)

    assert written == first_hit(memory, query)


def test_a_short_date_may_be_read_in_both_orders(memory, write):
    write("due 2024-03-05", "due 2024-05-03", "due 2024-06-07")

    hits = memory.search.search_memory("due 3/5/2024", kinds=["observation"], limit=2).hits

    assert {"due 2024-03-05", "due 2024-05-03"} == {hit.text for hit in hits}


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("Michał", "michal"),
        ("Søren Ærø", "Soren Aero"),
        ("إبراهيم", "ابراهيم"),
        ("Ｔｏｋｙｏ", "tokyo"),
        ("Zoë", "Zoe"),
        ("Diyarbakır", "DİYARBAKIR"),
    ],
)
def test_an_entity_is_found_by_a_simpler_spelling_of_its_name(memory, name, query):
    memory.graph.create_entity(name, "person", observations=["likes tea"])

    assert name == memory.graph.get_entity(query).entity.name
    assert [name] == [each.name for each in memory.graph.list_entities(query=query).entities]
    assert name == memory.search.search_memory(query).hits[0].entity.name


def test_an_equal_name_comes_before_a_similar_one(memory):
    memory.graph.create_entity("Michał", "person")
    memory.graph.create_entity("Michal", "person")

    assert "Michal" == memory.graph.get_entity("Michal").entity.name
    assert "Michał" == memory.graph.get_entity("Michał").entity.name
