from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import pytest

from memory_core import Settings, errors, open_memory
from memory_core.errors import EmbeddingError
from memory_core.model.search.recipe import Recipe
from tests.support import HashingEmbedder


def texts(result):
    return [hit.text for hit in result.hits]


@pytest.fixture
def ann(memory):
    """Ann, of whom three things are known."""
    return memory.graph.create_entity(
        "Ann",
        "person",
        observations=["likes green tea", "has a cat called Miso", "moved to the harbour"],
    ).entity.id


def test_a_question_finds_the_row_that_answers_it(memory, ann):
    result = memory.search.search_memory("who likes tea?")

    hit = result.hits[0]
    assert ("observation", "likes green tea") == (hit.kind, hit.text)
    assert ("ann", "Ann", "person") == (hit.entity.id, hit.entity.name, hit.entity.node_type)
    assert hit.score > 0 and hit.created_at is not None
    assert ["lexical", "vector"] == result.channels
    assert ("", 0, False) == (result.notice, result.pending, result.truncated)


def test_observations_are_found_by_current_text(memory, ann):
    id = memory.search.search_memory("green tea", kinds=["observation"]).hits[0].id
    memory.observations.update_observation(id, "likes black coffee")

    assert "likes black coffee" == memory.search.search_memory("coffee").hits[0].text
    assert "likes green tea" not in texts(memory.search.search_memory("green tea"))

    memory.observations.delete_observation(id)

    assert "likes black coffee" not in texts(memory.search.search_memory("black coffee"))


@pytest.mark.parametrize("channel", ["lexical", "vector"])
def test_first_hit_of_a_single_channel_scores_one_sixty_first(memory, ann, channel):
    off = "vector" if channel == "lexical" else "lexical"

    result = memory.search.search_memory("green tea", channel_weights={off: 0})

    assert [channel] == result.channels
    assert 1 / 61 == pytest.approx(result.hits[0].score, abs=1e-6)


def test_scores_of_both_channels_add_up_by_weight(memory, ann):
    plain = memory.search.search_memory("likes green tea", channel_weights={"vector": 1})
    heavy = memory.search.search_memory("likes green tea", channel_weights={"vector": 3})

    assert 2 / 61 == pytest.approx(plain.hits[0].score, abs=1e-6)
    assert 4 / 61 == pytest.approx(heavy.hits[0].score, abs=1e-6)


def test_a_search_counts_what_it_returned(memory, ann):
    memory.search.search_memory("green tea", limit=1)
    memory.telemetry.flush()

    counts = [hit.retrieval_count for hit in memory.search.search_memory("green tea", limit=3).hits]

    assert [1, 0, 0] == counts


def test_archived_rows_are_hidden_and_do_not_displace_hits(memory, ann):
    memory.graph.create_entity("Ben", "person", observations=["likes green tea a little"])
    memory.lifecycle.archive_entities("ann")

    archived = memory.search.search_memory("likes green tea", limit=1)
    asked_for = memory.search.search_memory("likes green tea", limit=1, include_archived=True)
    memory.lifecycle.restore_entity("ann")

    assert ["likes green tea a little"] == texts(archived)
    assert ["archived"] == [hit.status for hit in asked_for.hits]
    assert ["likes green tea"] == texts(memory.search.search_memory("likes green tea", limit=1))


def test_superseded_rows_are_not_returned(memory, ann):
    id = memory.search.search_memory("green tea", kinds=["observation"]).hits[0].id
    memory.observations.supersede_observation(id, "prefers green soup")

    result = memory.search.search_memory("green", kinds=["observation"])

    assert "prefers green soup" == result.hits[0].text
    assert "likes green tea" not in texts(result)


def test_small_projects_are_searched_completely(memory, ann):
    for n in range(4):
        memory.graph.create_entity(
            f"Crowd {n}",
            "person",
            project_id="crowd",
            observations=[f"tea tea tea {n} {m}" for m in range(60)],
        )
    memory.graph.create_entity(
        "Lone", "person", project_id="lone", observations=["tea far away", "rain", "snow"]
    )
    memory.follower.catch_up()

    lone = memory.search.search_memory("tea", project_id="lone", kinds=["observation"])
    everywhere = memory.search.search_memory("green tea tea", project_id="*", limit=100)

    assert {"tea far away", "rain", "snow"} == set(texts(lone))
    assert {"crowd", "default"} <= {hit.project_id for hit in everywhere.hits}


@pytest.mark.parametrize(
    "query",
    [
        '"unclosed', "a-b", "why?", "AND OR NOT", "NEAR(a b)", "'; drop table entities; --", "🎉",
        "\ud800", "a\0b", "*", "{}[]()^~", "部署", "tea " * 30_000,
    ],
)  # fmt: skip
def test_any_text_is_a_valid_query(memory, ann, query):
    assert ["lexical", "vector"] == memory.search.search_memory(query).channels


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "  "}, "blank"),
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"context": -1}, "context"),
        ({"kinds": ["fact", "mood"]}, "mood"),
        ({"node_types": ["person", "mood"]}, "Unknown entity type 'mood'.*Valid: .*person"),
        ({"channel_weights": {"smell": 1}}, "smell"),
        ({"channel_weights": {"vector": -1}}, "vector"),
        ({"channel_weights": {"vector": float("nan")}}, "vector"),
        ({"channel_weights": {"vector": 0, "lexical": 0}}, "weight"),
        ({"rerank": "maybe"}, "rerank"),
        ({"group_by": "mood"}, "group_by"),
    ],
)
def test_invalid_search_arguments_are_rejected_by_name(memory, asked, said):
    with pytest.raises(errors.ValidationError, match=said):
        memory.search.search_memory(**{"query": "tea", **asked})


def test_search_uses_full_text_without_the_model(memory, ann, monkeypatch):
    def fail(texts):
        raise EmbeddingError("The model is broken.")

    monkeypatch.setattr(memory.search._parts.queries._embedder, "embed", fail)
    result = memory.search.search_memory("green tea")

    assert "likes green tea" == result.hits[0].text
    assert ["lexical"] == result.channels
    assert "The model is broken." in result.notice


def test_rows_of_the_named_person_rank_first(memory, ann):
    memory.graph.create_entity("Ben", "person", observations=["likes green tea too"])

    of_ben = memory.search.search_memory("What tea does Ben like?", explain=True).hits[0]
    of_both = memory.search.search_memory("What tea do Ben and Ann like?", explain=True).hits[0]

    assert ("Ben", Recipe().link_boost) == (of_ben.entity.name, of_ben.explain.link)
    assert 0.0 == of_both.explain.link


def test_explanation_components_sum_to_the_score(memory, ann):
    hit = memory.search.search_memory("Ann's green tea", explain=True).hits[0]
    why = hit.explain

    assert hit.score == pytest.approx(why.fused + why.link + why.date + why.session, abs=1e-5)
    assert (1, 1) == (why.lexical_rank, why.vector_rank)


def test_salience_breaks_ties_when_enabled(memory, clock):
    for name in ("Ann", "Ben", "Cas"):
        memory.graph.create_entity(name, "person", observations=["likes tea"])
    memory.relations.create_relation("ben", "cas", "KNOWS")
    clock.advance(days=60)
    boosted = Recipe(salience_boost=0.05)

    plain = memory.search.search_memory("tea", kinds=["observation"], explain=True).hits
    moved = memory.search.search_memory(
        "tea", kinds=["observation"], explain=True, recipe=boosted
    ).hits

    assert [("ann", 0.0), ("ben", 0.0), ("cas", 0.0)] == [
        (hit.entity.id, hit.explain.salience) for hit in plain
    ]
    assert ["ben", "cas", "ann"] == [hit.entity.id for hit in moved]
    assert moved[0].score == pytest.approx(moved[0].explain.fused + moved[0].explain.salience)
    assert 0.05 > moved[0].explain.salience > moved[2].explain.salience > 0


def test_frequently_retrieved_rows_are_salient(memory, ann):
    memory.graph.create_entity("Ben", "person", observations=["likes chess"])
    for _ in range(5):
        memory.search.search_memory("chess", limit=1)
    memory.telemetry.flush()

    hits = memory.search.search_memory(
        "who likes it", explain=True, kinds=["observation"], recipe=Recipe(salience_boost=1)
    ).hits

    salient = {hit.entity.id: hit.explain.salience for hit in hits}
    assert salient["ben"] > salient["ann"]


@pytest.mark.parametrize("said", ["person", "PERSON", "Developer", " human "])
def test_type_filters_accept_ontology_synonyms(memory, ann, said):
    memory.graph.create_entity("Tea", "concept", observations=["tea is a drink"])

    result = memory.search.search_memory("tea", node_types=[said])

    assert {"person"} == {hit.entity.node_type for hit in result.hits}


def test_hits_include_session_neighbours(memory, ann, clock):
    for said in ("Did the crane break?", "Yes, on Monday.", "Who repairs it?", "Nobody."):
        clock.advance(minutes=1)
        memory.observations.add_observation("ann", said, session_id="s1")

    hit = memory.search.search_memory("yes on monday", context=1, kinds=["observation"]).hits[0]

    assert [(-1, "Did the crane break?"), (1, "Who repairs it?")] == [
        (row.offset, row.text) for row in hit.context
    ]
    assert [] == memory.search.search_memory("yes on monday").hits[0].context


def test_time_filters_exclude_rows_outside(memory, ann):
    for year in (2020, 2021, 2022):
        memory.observations.add_observation(
            "ann", f"tea of {year}", occurred_at=datetime(year, 6, 1, tzinfo=UTC)
        )

    result = memory.search.search_memory(
        "tea", since=datetime(2021, 1, 1, tzinfo=UTC), until=datetime(2021, 12, 31, tzinfo=UTC)
    )

    assert ["tea of 2021"] == texts(result)


def test_kinds_and_types_narrow_a_search(memory, ann):
    memory.graph.create_entity("Tea service", "service", observations=["brews green tea"])

    cards = memory.search.search_memory("tea", kinds=["entity"])
    of_services = memory.search.search_memory("tea", node_types=["service"])

    assert {"entity"} == {hit.kind for hit in cards.hits}
    assert {"Tea service"} == {hit.entity.name for hit in of_services.hits}


def test_hits_can_be_grouped_by_entity(memory, ann):
    memory.graph.create_entity("Ben", "person", observations=["likes green tea too"])

    result = memory.search.search_memory("likes green tea", group_by="entity", limit=2)

    assert ["Ann", "Ben"] == sorted(hit.entity.name for hit in result.hits)
    assert all(len(hit.passages) > 1 for hit in result.hits)


def test_long_results_are_truncated_with_notice(memory, ann):
    with memory.db.write("test") as connection:
        entity = connection.execute("select id from entities").get
        connection.executemany(
            "insert into observations (id, project_id, entity_id, content, digest, created_at, "
            "updated_at) values (?1, 'default', ?2, ?3, ?1, '2026-01-01', '2026-01-01')",
            [(f"o{n}", entity, f"kettle {n} " + "and so on " * 40) for n in range(100)],
        )

    result = memory.search.search_memory("kettle", limit=100)

    assert result.truncated
    assert 100 == len(result.hits) + result.hidden


def test_unavailable_reranking_is_reported(memory, ann):
    assert "cross-encoder" in memory.search.search_memory("tea", rerank="on").notice
    assert "" == memory.search.search_memory("tea").notice


@pytest.mark.parametrize("installed", [True, False])
def test_a_missing_cross_encoder_is_reported_without_a_request(tmp_path, monkeypatch, installed):
    if not installed:
        monkeypatch.setattr("memory_core.search.reranker.find_spec", lambda name: None)
    settings = Settings(reranker_enabled=True, reranker_model="no-such-cross-encoder")
    with closing(
        open_memory(settings, path=tmp_path / "m.db", embedder=HashingEmbedder())
    ) as memory:
        notices = [
            memory.search.search_memory("tea", rerank=rerank).notice for rerank in ("auto", "auto")
        ]
        off = memory.search.search_memory("tea", rerank="off").notice

    fix = "RERANKER_MODEL" if installed else "extra 'torch'"
    assert all("'no-such-cross-encoder'" in said and fix in said for said in notices)
    assert "" == off


def test_empty_memory_returns_no_hits(memory):
    result = memory.search.search_memory("anything")

    assert ([], "", ["lexical", "vector"]) == (result.hits, result.notice, result.channels)


def test_empty_project_notice_names_other_projects(memory, ann):
    memory.graph.create_entity("Bob", "person", project_id="Shop")

    notice = memory.search.search_memory("tea", project_id="shop").notice

    assert "Project 'shop' is empty. Projects with records: 'Shop', 'default'." in notice
    assert ["Bob (person)"] == texts(memory.search.search_memory("Bob", project_id=" Shop "))


def test_reversed_time_range_is_rejected(memory, ann):
    march, may = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC)

    with pytest.raises(errors.ValidationError, match="until is before since"):
        memory.search.search_memory("tea", since=may, until=march)
    with pytest.raises(errors.ValidationError, match="end is before start"):
        memory.timelines.list_events(start=may, end=march)
    assert [] == memory.search.search_memory("tea", since=march, until=march).hits


@pytest.fixture
def calibrated(tmp_path):
    """A memory whose model has a known scale of similarities."""
    opened = open_memory(
        path=tmp_path / "calibrated.db",
        embedder=HashingEmbedder(model="all-MiniLM-L6-v2/test"),
    )
    opened.graph.create_entity("Ann", "person", observations=["likes green tea", "has a cat"])
    yield opened
    opened.close()


def test_an_unrelated_question_returns_nothing_and_a_notice(calibrated):
    found = calibrated.search.search_memory("boiling point of tungsten")

    assert [] == found.hits
    assert "Nothing relevant was found" in found.notice
    assert "min_relevance=0" in found.notice


def test_hits_below_the_floor_are_returned_on_request(calibrated):
    question = "boiling point of tungsten"

    every = calibrated.search.search_memory(question, min_relevance=0)
    ranked = calibrated.search.search_memory(question, channel_weights={"vector": 1})

    assert {"likes green tea", "has a cat"} <= set(texts(every))
    assert "" == every.notice == ranked.notice
    assert all(0 <= hit.relevance < 0.1 for hit in every.hits)


def test_related_hits_have_a_high_relevance(calibrated):
    found = calibrated.search.search_memory("who likes green tea?")

    assert "likes green tea" == found.hits[0].text
    assert found.hits[0].relevance > 0.5
    assert "" == found.notice


def test_facts_and_documents_have_the_same_floor(calibrated):
    calibrated.conversation.add_facts(["Ann likes green tea"])
    calibrated.knowledge.add_document("Tea", "Green tea is brewed at 80 degrees.")

    for search in (calibrated.conversation.search_facts, calibrated.knowledge_search.search):
        recalled = search("green tea")
        nothing = search("boiling point of tungsten")
        every = search("boiling point of tungsten", min_relevance=0)
        found = [getattr(each, "facts", None) or each.hits for each in (recalled, every)]

        assert found[0][0].relevance > 0.5 > found[1][0].relevance
        assert "Nothing relevant was found" in nothing.notice


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_floor_outside_zero_to_one_is_refused(memory, least):
    with pytest.raises(errors.ValidationError, match="min_relevance"):
        memory.search.search_memory("tea", min_relevance=least)


def test_the_only_matching_word_is_relevant_in_a_tiny_store(calibrated):
    calibrated.observations.add_observation("ann", "ship it \U0001f680 today")

    found = calibrated.search.search_memory("\U0001f680", kinds=["observation"])

    assert "ship it \U0001f680 today" == found.hits[0].text


def test_no_hit_is_left_out_while_vectors_are_pending(calibrated):
    facts = [f"the build takes {number} minutes" for number in range(100)]
    calibrated.graph.create_entity("Build", "project", observations=facts, project_id="build")

    found = calibrated.search.search_memory("how long is the build?", project_id="build")

    assert found.pending > 0
    assert 10 == len(found.hits)
