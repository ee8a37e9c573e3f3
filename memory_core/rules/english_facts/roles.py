"""Relations between people by role, such as "Carla is Bob's manager"."""

from __future__ import annotations

from .verbs import word_set

# Relation from the owner to the person in the role; with "<" in the other direction.
_ROLES = """
REPORTS_TO  | manager boss supervisor
PARENT_OF   | son daughter child
PARENT_OF<  | mother father mum mom dad parent
FAMILY_OF   | wife husband spouse sister brother cousin aunt uncle grandmother grandfather
"""

# Capitalized words that describe a person instead of naming one.
_NATIONALITIES = word_set(
    """
    german french dutch swiss greek czech thai mexican african moroccan cuban korean muslim
    catholic hindu buddhist protestant vegan
    """
)
_NATIONALITY_ENDINGS = ("ish", "ese", "ian", "ean", "ican")


def role_relation(word: str) -> tuple[str, bool]:
    """
    Return the relation of a role, "" for none, and whether the person in the role is its source.
    """
    return _RELATIONS.get(word, ("", False))


def is_name(word: str) -> bool:
    """Return whether a word after "is" may be a name."""
    low = word.casefold()
    return (
        word[:1].isupper() and low not in _NATIONALITIES and not low.endswith(_NATIONALITY_ENDINGS)
    )


_RELATIONS = {
    word: (relation.strip().rstrip("<"), relation.strip().endswith("<"))
    for relation, words in (line.split("|") for line in _ROLES.strip().splitlines())
    for word in words.split()
}
