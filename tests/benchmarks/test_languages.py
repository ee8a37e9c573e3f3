from __future__ import annotations

from benchmarks.languages import DATA, load_cases, measure


def test_twenty_languages_have_ten_sentences_each():
    languages = load_cases(DATA.read_text("utf-8"))

    assert [10] * 20 == [len(cases) for cases in languages.values()]


def test_every_keyword_of_a_polish_sentence_finds_it(memory):
    cases = load_cases(DATA.read_text("utf-8"))["Polish"]
    memory.graph.create_entity(
        "Notes", "concept", project_id="Polish", observations=[case.sentence for case in cases]
    )

    assert 100 == measure(memory, "Polish", cases)["keyword query, keyword, recall@1"]
