"""Small graphs with obvious clusters."""

from __future__ import annotations

SAILING = ("rope", "anchor", "mast")
BAKING = ("dough", "oven", "flour")


def group(memory, words, count=4, *, node_type="technology", project_id="default", first=0):
    """Make entities that are similar: they share three words and have one of their own."""
    shared = " ".join(words)
    made = []
    for number in range(first, first + count):
        name = f"{words[0]} {chr(97 + number)}x{words[1]}"
        written = memory.graph.create_entity(
            name,
            node_type,
            project_id=project_id,
            observations=[f"{shared} {shared} {shared} {words[2]}kind{chr(97 + number)}"],
        )
        made.append(written.entity.id)
    return made


def concepts(memory, *, status="active", project_id="default"):
    """Return the concepts of a project, by name."""
    page = memory.graph.list_entities(node_type="concept", status=status, project_id=project_id)
    return {entity.name: entity for entity in page.entities}


def members(memory, concept_id, *, project_id="default"):
    """Return the ids of what belongs to a concept."""
    around = memory.exploration.hologram(concept_id, project_id=project_id)
    return {
        relation.from_node_id
        for relation in around.relations
        if relation.relationship_type == "MEMBER_OF" and relation.to_node_id == concept_id
    }


def newest_change(memory):
    return memory.atlas.version()
