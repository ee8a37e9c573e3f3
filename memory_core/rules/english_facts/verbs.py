"""
Verbs of plain statements, and their relations and types.

Each line has the third person, the first person, the relation of the ontology, and the types of its
ends. A relation with ``<`` is directed from object to subject: "X is used by Y" means that Y uses
X. ``-`` means no relation, or any type.
"""

from __future__ import annotations

from dataclasses import dataclass

_VERBS = """
works at        | work at       | WORKS_AT   | person organization
works for       | work for      | WORKS_AT   | person organization
works on        | work on       | WORKS_ON   | person project
works as        | work as       | HAS_ROLE   | person role
works with      | work with     | -          | person -
works in        | work in       | -          | person -
lives in        | live in       | LOCATED_IN | person place
works from      | work from     | -          | person -
lives with      | live with     | -          | person -
lives near      | live near     | -          | person place
lives at        | live at       | -          | person place
lives on        | live on       | -          | person -
comes from      | come from     | -          | person place
reports to      | report to     | REPORTS_TO | person person
uses            | use           | USES       | - technology
depends on      | depend on     | DEPENDS_ON | - -
relies on       | rely on       | DEPENDS_ON | - -
requires        | require       | DEPENDS_ON | - -
owns            | own           | OWNS       | - -
maintains       | maintain      | OWNS       | - -
leads           | lead          | OWNS       | person -
manages         | manage        | -          | person -
supervises      | supervise     | REPORTS_TO<| person person
speaks          | speak         | HAS_SKILL  | person skill
studies         | study         | INTERESTED_IN | person topic
plays           | play          | -          | person -
eats            | eat           | -          | person -
drinks          | drink         | -          | person -
drives          | drive         | -          | person -
teaches         | teach         | -          | person -
collects        | collect       | -          | person -
learns          | learn         | INTERESTED_IN | person topic
takes           | take          | -          | - -
meets           | meet          | -          | person -
plans to        | plan to       | -          | - -
used to         | used to       | -          | - -
decided to      | decided to    | -          | - -
decided not to  | decided not to | -         | - -
chose           | chose         | -          | - -
switched from   | switched from | -          | - -
switched to     | switched to   | -          | - -
migrated from   | migrated from | -          | - -
migrated to     | migrated to   | -          | - -
moved from      | moved from    | -          | - -
joined          | joined        | -          | person -
quit            | quit          | -          | person -
stopped using   | stopped using | -          | - -
stopped working at | stopped working at | -  | person organization
moved to        | moved to      | -          | person place
grew up in      | grew up in    | -          | person place
studied at      | studied at    | -          | person organization
graduated from  | graduated from | -         | person organization
worked at       | worked at     | -          | person organization
worked for      | worked for    | -          | person organization
contains        | contain       | HAS_PART   | - -
includes        | include       | HAS_PART   | - -
belongs to      | belong to     | PART_OF    | - -
implements      | implement     | IMPLEMENTS | component feature
replaces        | replace       | SUPERSEDES | - -
imports         | import        | DEPENDS_ON | - -
calls           | call          | CALLS      | service service
stores          | store         | STORES     | service dataset
runs on         | run on        | DEPLOYED_TO| service environment
is used by      | am used by    | USES<      | technology -
is owned by     | am owned by   | OWNS<      | - -
is maintained by | am maintained by | OWNS<  | - -
is led by       | am led by     | OWNS<      | - person
is managed by   | am managed by | -          | - -
is supervised by | am supervised by | REPORTS_TO | person person
is required by  | am required by | DEPENDS_ON< | - -
is needed by    | am needed by  | DEPENDS_ON< | - -
is called by    | am called by  | CALLS<     | service service
is implemented by | am implemented by | IMPLEMENTS< | feature component
is replaced by  | am replaced by | SUPERSEDES< | - -
is stored in    | am stored in  | STORES<    | dataset service
is employed by  | am employed by | WORKS_AT  | person organization
was replaced by | was replaced by | SUPERSEDES< | - -
is working on   | am working on | WORKS_ON   | person project
is working at   | am working at | WORKS_AT   | person organization
is working for  | am working for | WORKS_AT  | person organization
is working with | am working with | -        | person -
is living in    | am living in  | LOCATED_IN | person place
is using        | am using      | USES       | - technology
is learning     | am learning   | INTERESTED_IN | person topic
is studying     | am studying   | INTERESTED_IN | person topic
is building     | am building   | WORKS_ON   | person project
is developing   | am developing | WORKS_ON   | person project
is planning to  | am planning to | -         | - -
is moving to    | am moving to  | -          | - -
is switching to | am switching to | -        | - -
is migrating to | am migrating to | -        | - -
is migrating from | am migrating from | -    | - -
is written by   | am written by | AUTHORED_BY | document person
was written by  | was written by | AUTHORED_BY | document person
was created by  | was created by | AUTHORED_BY | thing person
was built by    | was built by  | AUTHORED_BY | thing person
is written in   | am written in | USES       | project technology
is built with   | am built with | USES       | project technology
is powered by   | am powered by | USES       | project technology
is based on     | am based on   | DERIVED_FROM | - -
is based in     | am based in   | LOCATED_IN | - place
is located in   | am located in | LOCATED_IN | - place
is hosted on    | am hosted on  | DEPLOYED_TO | service environment
is deployed to  | am deployed to | DEPLOYED_TO | service environment
is part of      | am part of    | PART_OF    | - -
is a member of  | am a member of | MEMBER_OF | person team
is married to   | am married to | FAMILY_OF  | person person
is the mother of | am the mother of | PARENT_OF | person person
is the father of | am the father of | PARENT_OF | person person
is the son of   | am the son of | PARENT_OF< | person person
is the daughter of | am the daughter of | PARENT_OF< | person person
is the sister of | am the sister of | FAMILY_OF | person person
is the brother of | am the brother of | FAMILY_OF | person person
is responsible for | am responsible for | OWNS | person -
is interested in | am interested in | INTERESTED_IN | person topic
is allergic to  | am allergic to | -         | person -
is             | am             | -          | - -
are            | are            | -          | - -
was            | was            | -          | - -
has            | have           | -          | - -
likes          | like           | PREFERS    | person thing
loves          | love           | PREFERS    | person thing
enjoys         | enjoy          | PREFERS    | person thing
prefers        | prefer         | PREFERS    | person thing
hates          | hate           | DISLIKES   | person thing
dislikes       | dislike        | DISLIKES   | person thing
avoids         | avoid          | DISLIKES   | person thing
cannot stand   | cannot stand   | DISLIKES   | person thing
cannot eat     | cannot eat     | -          | person -
cannot drink   | cannot drink   | -          | person -
"""

_PREFERENCES = ("PREFERS", "DISLIKES")


@dataclass(frozen=True)
class Verb:
    """A verb of a plain statement."""

    third: str
    first: str
    relation: str
    is_backwards: bool
    subject_type: str
    object_type: str

    @property
    def is_preference(self) -> bool:
        return self.relation in _PREFERENCES

    @property
    def is_state(self) -> bool:
        """Whether it only connects the subject with a description."""
        return self.third in ("is", "are", "was")


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _parse_verb(line: str) -> Verb:
    third, first, relation, types = (part.strip() for part in line.split("|"))
    subject_type, object_type = (word.strip("-") for word in types.split())
    return Verb(
        third=third,
        first=first,
        relation=relation.rstrip("<").strip("-"),
        is_backwards=relation.endswith("<"),
        subject_type=subject_type,
        object_type=object_type,
    )


VERBS = tuple(_parse_verb(line) for line in _VERBS.strip().splitlines())

# Verbs by first word, longest first.
_ORDERED = sorted(VERBS, key=lambda verb: -len(verb.third.split()))
THIRD_PERSON = {
    word: [verb for verb in _ORDERED if verb.third.split()[0] == word]
    for word in {verb.third.split()[0] for verb in VERBS}
}
FIRST_PERSON = {
    word: [verb for verb in _ORDERED if verb.first.split()[0] == word]
    for word in {verb.first.split()[0] for verb in VERBS}
}
