"""User files are opened in one module: see memory_core/readers/safe_open.py."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from architecture.source import ROOT, core_modules, tree_of

# Methods and functions that open a file by its path, also when passed to another function.
FUNCTIONS = {
    *("open", "fdopen", "read_text", "read_bytes", "write_text", "write_bytes", "touch"),
    *("copy2", "copyfile", "copytree", "copymode", "from_file", "from_pretrained", "memmap"),
    *("fromfile", "loadtxt", "genfromtxt", "read_csv", "read_excel", "read_json", "read_parquet"),
    *("sqlite3.connect", "np.load", "shutil.copy", "shutil.move", "mmap.mmap", "runpy.run_path"),
    *("fileinput.input", "linecache.getlines"),
}
# Classes that take a path or a file object. With io.BytesIO(...) they open no file. Our own
# connection class is not here: it refuses links to an open database, and keeps its locks.
CLASSES = {
    *("ZipFile", "PyZipFile", "TarFile", "GzipFile", "BZ2File", "LZMAFile", "FileIO"),
    *("PdfReader", "Document", "InferenceSession", "SentenceTransformer", "CrossEncoder"),
    *("Connection", "FileHandler", "RotatingFileHandler", "TimedRotatingFileHandler"),
}

# Module and name -> why this does not open a file that a user can name.
ALLOWED = {
    ("memory_core/readers/safe_open.py", "open"): "the one module that opens user files",
    ("memory_core/readers/safe_open.py", "fdopen"): "the one module that opens user files",
    ("memory_core/readers/zipped.py", "ZipFile"): "gets an open file",
    ("memory_core/readers/zipped.py", "open"): "an archive entry; a new file in a new folder",
    ("memory_core/readers/import_formats.py", "open"): "a new file in a new temporary folder",
    ("memory_core/storage/open_files.py", "Connection"): "registers what SQLite opens",
    ("memory_core/storage/files/backups.py", "open"): "creates a file that does not exist",
    (
        "memory_core/storage/search/vector_table.py",
        "Connection",
    ): "temporary databases without a name",
    (
        "memory_core/storage/files/atomic_write.py",
        "open",
    ): "creates a file that does not exist; syncs a folder",
    ("memory_core/storage/files/atomic_write.py", "fdopen"): "the file created above",
    ("memory_core/storage/files/temporary.py", "open"): "the lock file in a folder of ours",
    ("memory_core/storage/schema.py", "read_text"): "our migrations",
    ("memory_core/storage/files/file_system.py", "read_text"): "the mount table of the system",
    ("memory_core/search/snapshot.py", "open"): "snapshots of the index and their lock",
    ("memory_core/search/snapshot.py", "read_bytes"): "snapshots of the index",
    ("memory_core/installation.py", "read_text"): "our licence and requirements",
    ("memory_core/ontology_loader.py", "read_text"): "our ontology",
    ("memory_core/search/models.py", "read_text"): "a packaged tokenizer",
    ("memory_core/search/models.py", "open"): "model files, compared with the open databases",
    ("memory_core/search/onnx_engine.py", "InferenceSession"): "a packaged model",
    ("memory_core/search/torch_engine.py", "SentenceTransformer"): "a model set by the owner",
    ("memory_core/search/reranker.py", "CrossEncoder"): "a model set by the owner",
    ("memory_core/services/demonstration.py", "read_text"): "our demonstration",
    ("memory_core/server/calls/catalogue.py", "read_text"): "our list of tools",
    ("memory_core/server/mcpb.py", "read_bytes"): "our source",
    ("memory_core/server/mcpb.py", "ZipFile"): "an archive in memory",
    ("memory_core/server/logs.py", "RotatingFileHandler"): "our server log",
    ("memory_core/docs.py", "read_text"): "our documentation, in a process without a memory",
    ("memory_core/docs.py", "write_text"): "our documentation, in a process without a memory",
    ("dashboard/graph/graph_element.py", "read_text"): "an installed library",
    ("dashboard/embedded.py", "open"): "an address of this machine, not a file",
    ("dashboard/maintenance/importing.py", "write_bytes"): "a new file in a new temporary folder",
}


def product_files() -> list[Path]:
    return [ROOT / "main.py", *core_modules(), *sorted((ROOT / "dashboard").rglob("*.py"))]


def last(name: str) -> str:
    return name.rpartition(".")[2]


def openers(tree: ast.AST) -> Iterator[str]:
    """Yield the short name of everything in a module that may open a file by its path."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from called(node)
        elif isinstance(node, ast.ClassDef):
            yield from {last(ast.unparse(base)) for base in node.bases} & CLASSES
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from {alias.name for alias in node.names} & FUNCTIONS


def called(call: ast.Call) -> Iterator[str]:
    for node in (call.func, *call.args, *(each.value for each in call.keywords)):
        if isinstance(node, ast.Attribute) or (node is call.func and ast.unparse(node) == "open"):
            name = ast.unparse(node)
            if {name, last(name)} & FUNCTIONS:
                yield last(name)
    name = last(ast.unparse(call.func))
    if name in CLASSES and call.args and not ast.unparse(call.args[0]).startswith("io.BytesIO("):
        yield name


def test_only_one_module_opens_user_files():
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in product_files()
        for name in openers(tree_of(path))
    }

    assert set() == found - ALLOWED.keys()
    assert set() == ALLOWED.keys() - found, "entries that are no longer needed"


@pytest.mark.parametrize(
    "source",
    [
        "open(path)",
        "os.open(path, os.O_RDONLY)",
        "io.open(path)",
        "path.open('rb')",
        "path.read_text()",
        "call(path.read_bytes)",
        "from os import open",
        "from shutil import copyfile",
        "zipfile.ZipFile(path)",
        "tarfile.open(path)",
        "PdfReader(path)",
        "docx.Document(path)",
        "apsw.Connection(path)",
        "sqlite3.connect(path)",
        "np.load(path)",
        "class Log(logging.FileHandler): pass",
    ],
)
def test_every_way_to_open_a_file_is_noticed(source):
    assert [*openers(ast.parse(source))]


@pytest.mark.parametrize(
    "source", ["PdfReader(io.BytesIO(content))", "Document(id=id)", "opened(place, roots)"]
)
def test_a_reader_of_bytes_opens_nothing(source):
    assert [] == [*openers(ast.parse(source))]
