from __future__ import annotations

import pytest
from support import HashingEmbedder

from memory_core import MemoryCoreError, Scope, Settings, open_memory
from memory_core.errors import EmbeddingError


class Broken(HashingEmbedder):
    """A model that is there and fails."""

    def embed(self, texts):
        raise EmbeddingError("The model is out of order.")


@pytest.fixture
def opened(tmp_path):
    """Open the memory of one file with a model of the test's own; close it again."""
    memories = []

    def open_with(embedder):
        memories.append(open_memory(path=tmp_path / "m.db", embedder=embedder))
        return memories[-1]

    yield open_with
    for memory in memories:
        memory.close()


def not_initialised(opened, tmp_path):
    memory = opened(HashingEmbedder())
    memory.close()
    memory.conversation.add_messages("I ski.")


def embedding_failed(opened, tmp_path):
    memory = opened(Broken())
    memory.conversation.add_facts(["Alice skis"])
    memory.catch_up()


def storage_failed(opened, tmp_path):
    open_memory(path=tmp_path / "gone" / "memory.db", embedder=HashingEmbedder())


def extraction_failed(opened, tmp_path):
    memory = opened(HashingEmbedder())
    memory.conversation.submit_facts(memory.conversation.extract_facts("I ski.").job_id, ["", 5])


def dimension_mismatch(opened, tmp_path):
    memory = opened(HashingEmbedder())
    memory.conversation.add_facts(["Alice skis"])
    memory.catch_up()
    memory.close()
    other = opened(HashingEmbedder(dimension=32))
    other.conversation.add_facts(["Alice swims"])
    other.catch_up()


def invalid_config(opened, tmp_path):
    Settings.load(env_file=tmp_path / "none", dedup_strategy="sometimes")


def invalid_input(opened, tmp_path):
    opened(HashingEmbedder()).conversation.add_messages([])


def not_found(opened, tmp_path):
    opened(HashingEmbedder()).conversation.get_fact("f", Scope(user_id="alice"))


def conflict(opened, tmp_path):
    memory = opened(HashingEmbedder())
    job_id = memory.conversation.extract_facts("I ski.").job_id
    for _ in range(2):
        memory.conversation.submit_facts(job_id, ["Alice skis"])


def llm_unavailable(opened, tmp_path):
    memory = opened(HashingEmbedder())
    memory.conversation.retry_job(memory.conversation.extract_facts("I ski.").job_id)


CAUSES = (
    not_initialised,
    embedding_failed,
    storage_failed,
    extraction_failed,
    dimension_mismatch,
    invalid_config,
    invalid_input,
    not_found,
    conflict,
    llm_unavailable,
)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.__name__)
def test_every_error_code_is_raised_by_its_cause(opened, tmp_path, cause):
    with pytest.raises(MemoryCoreError) as raised:
        cause(opened, tmp_path)

    assert cause.__name__.upper() == raised.value.code
