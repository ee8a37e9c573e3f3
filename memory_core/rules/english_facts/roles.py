"""Role nouns that state a relation between two persons: Carla is Bob's manager."""

from __future__ import annotations

from .verbs import word_set

# What joins whose it is to who it is; with "<", who it is to whose it is.
_ROLES = """
REPORTS_TO  | manager boss supervisor
PARENT_OF   | son daughter child
PARENT_OF<  | mother father mum mom dad parent
FAMILY_OF   | wife husband spouse sister brother cousin aunt uncle grandmother grandfather
"""

# In one word, these say what somebody is like and not who it is.
_NATIONALITIES = word_set(
    """
    german french dutch swiss greek czech thai mexican african moroccan cuban korean muslim
    catholic hindu buddhist protestant vegan
    """
)
_NATIONALITY_ENDINGS = ("ish", "ese", "ian", "ean", "ican")


def role_relation(word: str) -> tuple[str, bool]:
    """Return the relation that a role is, "" for none; and whether it begins at its bearer."""
    return _RELATIONS.get(word, ("", False))


def is_name(word: str) -> bool:
    """Return whether a word after "is" may well be somebody's name."""
    low = word.casefold()
    return (
        word[:1].isupper() and low not in _NATIONALITIES and not low.endswith(_NATIONALITY_ENDINGS)
    )


_RELATIONS = {
    word: (relation.strip().rstrip("<"), relation.strip().endswith("<"))
    for relation, words in (line.split("|") for line in _ROLES.strip().splitlines())
    for word in words.split()
}
