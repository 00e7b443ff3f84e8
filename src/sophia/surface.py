"""The explicit list of tool groups: the whole of what agents can call."""

from typing import Any

from sophia.capabilities.documents import mutate as mutate_documents, read as read_documents
from sophia.capabilities.entities import mutate as mutate_entities, read as read_entities
from sophia.capabilities.knowledge import mutate as mutate_knowledge, read as read_knowledge
from sophia.capabilities.logbook import (
    mutate as mutate_logbook,
    read as read_logbook,
    read_briefings,
)
from sophia.capabilities.meta import mutate_imports, read as read_meta, read_imports
from sophia.capabilities.orient import read as orient
from sophia.capabilities.preflight import read as preflight
from sophia.capabilities.system import read as system
from sophia.catalog.group import Group

GROUPS: tuple[Group[Any], ...] = (
    orient.tools,
    system.tools,
    read_entities.tools,
    read_knowledge.tools,
    read_logbook.tools,
    read_documents.tools,
    read_meta.tools,
    read_imports.tools,
    read_briefings.tools,
    preflight.tools,
    mutate_entities.tools,
    mutate_knowledge.tools,
    mutate_imports.tools,
    mutate_logbook.tools,
    mutate_documents.tools,
)
