from __future__ import annotations

import threading

import numpy as np
import pytest
from embedding_provider import google_form, openai_form, settings_of, shuffled
from local_provider import Answer, provider
from support import PATIENCE, hashed_vectors

from memory_core.embedder_factory import choose_embedder
from memory_core.errors import ConfigurationError, DimensionMismatchError, EmbeddingError
from memory_core.search.remote import PAUSE, RemoteEmbedder
from memory_core.settings import Settings

KINDS = ["openai_compatible", "openai", "voyage", "google"]


def form_of(kind):
    return google_form if kind == "google" else openai_form


def texts(count):
    return [f"text number {number}" for number in range(count)]


def sizes(server):
    """Return how many texts each request had, but for the one that asks for the length."""
    bodies = [asked.body for asked in server.asked[1:]]
    return sorted((len(body.get("input") or body.get("requests")) for body in bodies), reverse=True)


@pytest.mark.parametrize(
    ("kind", "count", "expected"),
    [
        ("openai", 2, [2]),
        ("openai", 250, [100, 100, 50]),
        ("openai_compatible", 101, [100, 1]),
        ("voyage", 300, [128, 128, 44]),
        ("google", 250, [100, 100, 50]),
    ],
)
def test_texts_are_sent_in_provider_sized_batches(kind, count, expected):
    with provider(form_of(kind)) as server:
        embedder = choose_embedder(settings_of(kind, server.address))
        vectors = embedder.embed(texts(count))

    assert expected == sizes(server)
    np.testing.assert_allclose(hashed_vectors(texts(count)), vectors, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_provider_vectors_are_normalized(kind):
    with provider(form_of(kind)) as server:
        vectors = choose_embedder(settings_of(kind, server.address)).embed(texts(3))

    np.testing.assert_allclose(np.ones(3), np.linalg.norm(vectors, axis=1), atol=1e-6)
    assert np.float32 == vectors.dtype


def test_reordered_responses_are_sorted():
    with provider(shuffled) as server:
        vectors = choose_embedder(settings_of("openai", server.address)).embed(texts(150))

    np.testing.assert_allclose(hashed_vectors(texts(150)), vectors, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("openai", "dimensions"),
        ("openai_compatible", "dimensions"),
        ("voyage", "output_dimension"),
        ("google", "outputDimensionality"),
    ],
)
def test_dimension_is_sent_only_if_configured(kind, name):
    with provider(form_of(kind)) as server:
        choose_embedder(settings_of(kind, server.address)).embed(["one"])
        asked = settings_of(kind, server.address, embedding_dimensions=32)
        short = choose_embedder(asked)
        (vector,) = short.embed(["one"])
    bodies = [asked.body.get("requests", [asked.body])[0] for asked in server.asked]

    assert [None, None, 32] == [body.get(name) for body in bodies]
    assert ((32,), 32) == (vector.shape, short.identity().dimension)


def test_default_dimension_of_known_models_needs_no_request():
    with provider(openai_form) as server:
        settings = Settings(
            embedding_provider="openai",
            embedding_base_url=server.address,
            openai_api_key="sk-1",
            embedding_dimensions=1536,
        )
        embedder = choose_embedder(settings)
        identity = embedder.identity()
        asked_before = len(server.asked)
        with pytest.raises(DimensionMismatchError):
            embedder.embed(["one"])

    assert ("openai/text-embedding-3-small/1536", 1536) == (identity.model, identity.dimension)
    assert (0, {"model", "input"}) == (asked_before, server.asked[0].body.keys())


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("openai", 400),
        ("voyage", 401),
        ("google", 404),
        ("openai_compatible", 500),
        ("google", 302),
    ],
)
def test_error_status_raises_embedding_error_without_the_key(kind, status):
    said = Answer(
        {"error": {"message": "sk-secret-1 may not embed text number 0"}},
        status,
        # Longer than anybody waits: no other attempt is made.
        {"retry-after": "90"},
    )
    with provider(form_of(kind), said) as server:
        embedder = choose_embedder(settings_of(kind, server.address))
        embedder.get()
        with pytest.raises(EmbeddingError, match=f"^{kind}/words .*{status}") as caught:
            embedder.embed(texts(1))

    assert "secret" not in str(caught.value) and "number 0" not in str(caught.value)


def test_overloaded_providers_are_retried():
    busy = Answer(b"{}", 429, {"retry-after": "0"})
    with provider(openai_form, busy, busy, openai_form) as server:
        vectors = choose_embedder(settings_of("openai", server.address)).embed(["one"])

    assert ((1, 64), 4) == (vectors.shape, len(server.asked))


def test_a_vector_of_another_length_is_refused():
    def longer(asked):
        return openai_form(type(asked)(asked.path, asked.headers, asked.body | {"dimensions": 80}))

    with provider(openai_form, longer) as server:
        embedder = choose_embedder(settings_of("openai", server.address))
        with pytest.raises(DimensionMismatchError, match=r"80 numbers, not 64.*reindex"):
            embedder.embed(["one"])


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        {"data": None},
        {"data": [{"embedding": [1.0] * 64}]},
        {"data": [{"index": 1, "embedding": [1.0] * 64}]},
        {"data": [{"index": 0, "embedding": "words"}]},
        {"data": [{"index": 0, "embedding": [None] * 64}]},
        {"data": [{"index": 0, "embedding": [[1.0]] * 64}]},
        {"data": [{"index": 0, "embedding": [0.0] * 64}]},
        {"data": [{"index": 0, "embedding": [1.0] * 64}] * 2},
        {"data": []},
    ],
)
def test_invalid_responses_raise_embedding_error(body):
    with provider(openai_form, Answer(body)) as server:
        embedder = choose_embedder(settings_of("openai", server.address))
        with pytest.raises(EmbeddingError, match="openai/words"):
            embedder.embed(["one"])


def test_any_text_can_be_embedded():
    odd = ["", "  ", "\ud800 half", "book " * 10_000]
    with provider(openai_form) as server:
        embedder = choose_embedder(settings_of("openai", server.address))
        vectors = embedder.embed(odd)
        nothing = embedder.embed([])

    sent = server.asked[-1].body["input"]
    assert ["-", "-"] == sent[:2] and all(len(text) <= 8191 for text in sent)
    assert ((4, 64), (0, 64)) == (vectors.shape, nothing.shape)


def test_batches_run_in_parallel_up_to_a_limit(monkeypatch):
    threads, here, lock, four = set(), 0, threading.Lock(), threading.Event()
    whole = RemoteEmbedder._batch

    def counted(self, sent):
        nonlocal here
        with lock:
            threads.add(threading.get_ident())
            here += 1
            if here == 4:
                four.set()
        # No thread is free before four are at work, so that all there may be are needed.
        assert four.wait(PATIENCE)
        return whole(self, sent)

    with provider(openai_form) as server:
        embedder = choose_embedder(settings_of("openai", server.address))
        embedder.get()
        monkeypatch.setattr(RemoteEmbedder, "_batch", counted)
        vectors = embedder.embed(texts(1000))

    assert (4, 10, 1000) == (len(threads), here, len(vectors))


def test_requests_fail_fast_after_a_failure():
    now = [100.0]
    down = Answer(b"{}", 500, {"retry-after": "90"})
    with provider(openai_form, down, openai_form) as server:
        lazy = choose_embedder(settings_of("openai", server.address))
        embedder = lazy.get()
        assert isinstance(embedder, RemoteEmbedder)
        embedder._clock = lambda: now[0]
        for _ in range(3):
            with pytest.raises(EmbeddingError, match="500"):
                lazy.embed(["one"])
        asked_while_down, why = len(server.asked), lazy.reason
        now[0] += PAUSE
        lazy.embed(["one"])

    assert (2, 3) == (asked_while_down, len(server.asked))
    assert "500" in why and "" == lazy.reason


@pytest.mark.parametrize("kind", KINDS)
def test_key_is_sent_in_a_header_only(kind):
    with provider(form_of(kind)) as server:
        choose_embedder(settings_of(kind, server.address)).embed(["one"])
    (asked, _) = server.asked

    shown = asked.headers.get("x-goog-api-key") or asked.headers.get("authorization")
    assert shown in ("sk-secret-1", "Bearer sk-secret-1")
    assert "secret" not in asked.path + str(asked.body)


def test_a_missing_key_or_model_is_named_by_provider():
    with pytest.raises(ConfigurationError, match=r"No API key for voyage\. Set VOYAGE_API_KEY"):
        choose_embedder(Settings(embedding_provider="voyage"))
    with pytest.raises(ConfigurationError, match=r"EMBEDDING_MODEL.*openai_compatible"):
        choose_embedder(Settings(embedding_provider="openai_compatible"))


def test_provider_key_is_shared_by_roles_but_not_providers():
    both = Settings(llm_provider="openai", llm_api_key="sk-both", embedding_provider="openai")
    mixed = Settings(
        llm_provider="anthropic",
        llm_api_key="sk-a",
        embedding_provider="voyage",
        voyage_api_key="pa-v",
    )

    assert "openai/text-embedding-3-small/1536" == choose_embedder(both).identity().model
    assert "voyage/voyage-3.5/1024" == choose_embedder(mixed).identity().model
    assert "pa-v" == mixed.key_of("voyage", mixed.embedding_api_key)
    with pytest.raises(ConfigurationError, match="No API key for google"):
        choose_embedder(mixed.model_copy(update={"embedding_provider": "google"}))


def test_remote_endpoint_requires_permission():
    elsewhere = settings_of("openai_compatible", "http://192.0.2.1:9/v1")
    overridden = settings_of("openai", "https://192.0.2.1:9/v1", embedding_dimensions=64)
    in_the_clear = settings_of("openai", "http://192.0.2.1:9/v1", embedding_allow_remote=True)

    for settings in (elsewhere, overridden):
        with pytest.raises(EmbeddingError, match="EMBEDDING_ALLOW_REMOTE"):
            choose_embedder(settings).embed(["one"])
    with pytest.raises(ConfigurationError, match="in the clear"):
        choose_embedder(in_the_clear)


def test_models_on_different_servers_have_different_identities():
    here = settings_of("openai_compatible", "http://127.0.0.1:9", embedding_dimensions=64)
    names = {
        choose_embedder(settings).identity().model
        for settings in (
            here,
            here.model_copy(update={"embedding_allow_remote": True}),
            here.model_copy(update={"embedding_dimensions": 32}),
            settings_of("openai", "http://127.0.0.1:9", embedding_dimensions=64),
        )
    }

    assert {
        "openai_compatible-local/words/64",
        "openai_compatible-remote/words/64",
        "openai_compatible-local/words/32",
        "openai/words/64",
    } == names


def test_late_starting_server_is_used():
    now = [0.0]
    down = Answer(b"{}", 404)
    with provider(down, openai_form) as server:
        lazy = choose_embedder(settings_of("openai_compatible", server.address))
        lazy._clock = lambda: now[0]
        reasons = []
        for _ in range(2):
            with pytest.raises(EmbeddingError) as caught:
                lazy.get()
            reasons.append(str(caught.value))
        now[0] += PAUSE
        reported = lazy.warm_if_due()
        lazy.warm().join()

    assert 1 == len(set(reasons)) and "could not be loaded" in reported
    assert (True, 64, "") == (lazy.ready, lazy.identity().dimension, lazy.reason)
