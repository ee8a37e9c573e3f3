from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=["legacy", "auto"])
def era(request):
    """Both generations of the protocol that clients speak."""
    return request.param
