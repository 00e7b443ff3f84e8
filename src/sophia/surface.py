"""The explicit list of tool groups: the whole of what agents can call."""

from typing import Any

from sophia.capabilities.documents import mutate as mutate_documents, read as read_documents
from sophia.capabilities.entities import mutate as mutate_entities, read as read_entities
from sophia.capabilities.knowledge import (
    mutate as mutate_knowledge,
    mutate_life,
    mutate_relations,
    read as read_knowledge,
    read_life,
    read_relations,
    read_sources,
)
from sophia.capabilities.logbook import (
    mutate as mutate_logbook,
    read as read_logbook,
    read_briefings,
)
from sophia.capabilities.meta import mutate_imports, read as read_meta, read_imports, read_trails
from sophia.capabilities.orient import read as orient
from sophia.capabilities.preflight import read as preflight
from sophia.capabilities.profile import mutate as mutate_profile, read as read_profile
from sophia.capabilities.reverting import (
    mutate as mutate_reverting,
    preflight as preflight_reverting,
    read as read_reverting,
)
from sophia.capabilities.system import read as system
from sophia.capabilities.wiki import mutate as mutate_wiki, read as read_wiki
from sophia.catalog.group import Group

GROUPS: tuple[Group[Any], ...] = (
    orient.tools,
    system.tools,
    read_entities.tools,
    read_relations.tools,
    read_profile.tools,
    read_knowledge.tools,
    read_life.tools,
    read_logbook.tools,
    read_documents.tools,
    read_sources.tools,
    read_wiki.tools,
    read_meta.tools,
    read_imports.tools,
    read_briefings.tools,
    read_trails.tools,
    read_reverting.tools,
    preflight.tools,
    preflight_reverting.tools,
    mutate_entities.tools,
    mutate_relations.tools,
    mutate_profile.tools,
    mutate_knowledge.tools,
    mutate_life.tools,
    mutate_imports.tools,
    mutate_logbook.tools,
    mutate_reverting.tools,
    mutate_documents.tools,
    mutate_wiki.tools,
)
