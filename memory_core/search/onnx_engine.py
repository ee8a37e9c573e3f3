"""all-MiniLM-L6-v2 on ONNX Runtime: a tenth of PyTorch's load time, a third of its memory.

The packaged file has 8-bit weights and computes in float32; its vectors of
sentences agree with PyTorch's to a cosine of 0.999 (tests/search/test_engines.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..model.search.vectors import ModelIdentity
from .embedder import readable, unit_length

# Tokens per run, padding included: more are not faster and take more memory.
_TOKENS_A_RUN = 4096

# Texts per tokenizer call.
_TEXTS_AT_ONCE = 2048


class OnnxEmbedder:
    """Mean-pooled token states of a BERT-like model."""

    def __init__(
        self, model: Path, tokenizer: str, *, identity: ModelIdentity, threads: int
    ) -> None:
        """
        Load the model file and a tokenizer in the JSON format of the tokenizers library.

        *threads* is the number of parallel runs for a large request.
        """
        self._session = _session(model)
        self._tokenizer = _tokenizer(tokenizer, identity.max_tokens)
        self._identity = identity
        self._threads = threads

    def identity(self) -> ModelIdentity:
        return self._identity

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        out = np.zeros((len(texts), self._identity.dimension), dtype=np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            some = texts[first : first + _TEXTS_AT_ONCE]
            self._embed(some, out[first : first + len(some)])
        return out

    def _embed(self, texts: Sequence[str], out: NDArray[np.float32]) -> None:
        tokens = [item.ids for item in self._tokenizer.encode_batch([readable(t) for t in texts])]
        runs = _runs([len(ids) for ids in tokens])

        def fill(run: list[int]) -> None:
            out[run] = self._run([tokens[row] for row in run])

        if len(runs) == 1 or self._threads == 1:
            for run in runs:
                fill(run)
            return
        # A session computes on the calling thread only, so runs are independent.
        with ThreadPoolExecutor(self._threads) as pool:
            list(pool.map(fill, runs))

    def _run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, these in enumerate(tokens):
            ids[row, : len(these)] = these
            mask[row, : len(these)] = 1
        (states,) = self._session.run(
            None,
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
        )
        # The mean over the tokens of each text; a batched product, as einsum is slower.
        weights = mask[:, None, :].astype(np.float32)
        return unit_length((weights @ states)[:, 0, :])


def _runs(lengths: list[int]) -> list[list[int]]:
    """Group texts of similar length to minimise padding, longest first."""
    runs: list[list[int]] = []
    room = longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        # Padding a word to the length of a sentence costs more than a separate run.
        if room < 1 or 2 * lengths[row] < longest:
            runs.append([])
            longest = lengths[row]
            room = max(1, _TOKENS_A_RUN // longest)
        runs[-1].append(row)
        room -= 1
    return runs


def _session(model: Path) -> Any:
    import onnxruntime

    # Of the supported versions, only Windows builds have telemetry to disable.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    # One thread per run: a query is short, and runs are parallel.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(model), sess_options=options, providers=["CPUExecutionProvider"]
    )


def _tokenizer(text: str, max_tokens: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(text)
    # The packaged tokenizer truncates and pads to 128.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer
