"""Every backend keeps the same contract."""

from __future__ import annotations

import pytest
from search import backend_contract
from search.backend_contract import BackendContract

from memory_core.errors import ConfigurationError, IndexUnavailableError
from memory_core.search.backends import factory
from memory_core.search.backends.factory import best_kind, require_backend

db = backend_contract.db


class TestExact(BackendContract):
    kind = "exact"


class TestTurbovec(BackendContract):
    kind = "turbovec"


class TestSqliteVec(BackendContract):
    kind = "sqlite-vec"

    def test_failed_backend_falls_back_to_full_text(self, db):
        index = self.index()
        backend_contract.write(db, "red apples")
        backend_contract.follow(db, index)
        index._held.backend._table._db.close()

        with pytest.raises(IndexUnavailableError, match="vector index failed"):
            backend_contract.found(db, index, "apples")


def test_few_vectors_and_odd_dimensions_use_exact_search():
    assert "turbovec" == best_kind(5000, 16, 3000)
    assert "exact" == best_kind(5000, 17, 3000)
    assert "sqlite-vec" == best_kind(5000, 17, 3000, "sqlite-vec")
    assert "exact" == best_kind(5000, 16, 3000, "exact")
    assert ["exact"] * 3 == [
        best_kind(2999, 16, 3000, kind) for kind in ("exact", "turbovec", "sqlite-vec")
    ]


def test_missing_backend_error_names_its_package(monkeypatch):
    monkeypatch.setattr(factory, "find_spec", lambda name: None)

    with pytest.raises(ConfigurationError, match=r"VECTOR_BACKEND.*pip install"):
        require_backend("sqlite-vec")
    require_backend("turbovec")
