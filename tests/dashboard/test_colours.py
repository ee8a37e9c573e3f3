"""The colours of types and of changes: each is a word somewhere, so each can be read."""

from __future__ import annotations

import pytest

from dashboard.components.colours import BECAME, FAMILIES
from tests.dashboard.test_theme import MARK, MODES, TEXT, colour, contrast


@pytest.mark.parametrize("mode", MODES)
def test_a_type_can_be_read_in_its_colour(mode):
    page = colour(mode, "backgroundColor")
    faint = {
        name: round(contrast(family[MODES.index(mode)], page), 2)
        for name, family in FAMILIES.items()
        if contrast(family[MODES.index(mode)], page) < TEXT
    }

    assert {} == faint


@pytest.mark.parametrize("mode", MODES)
def test_what_became_of_a_thing_can_be_seen(mode):
    page = colour(mode, "backgroundColor")

    assert min(contrast(each[MODES.index(mode)], page) for each in BECAME.values()) >= MARK
