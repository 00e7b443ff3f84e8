"""What was mined, recorded: by the same judgement of claims that agents meet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sophia.capabilities.entities import names, records as entities, resolve
from sophia.capabilities.knowledge import graph
from sophia.capabilities.knowledge.claims import MAX_CLAIMS, Claim, NewEntity
from sophia.capabilities.knowledge.graph import Draft, Graph
from sophia.capabilities.knowledge.recording import Recorder
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining import records
from sophia.capabilities.mining.mined import Mined, Subject
from sophia.capabilities.mining.miners import mined
from sophia.catalog.call import WriteCall

KIND = "document"
"""The kind of the entity that a document itself is, as far as something is known of it."""

Told = dict[Subject | None, tuple[str, str | None]]
"""Of each subject its id or name, and the kind that it is made as where it is not there."""


def mine(call: WriteCall, document_id: str, most: Tier = Tier.QUOTED) -> int:
    """Record what the miners find in the document, trusted `most` at most, and call it indexed; how many stand."""
    source = records.found(call.db, document_id)
    statements = mined(source.text)
    known = resolve.exact(call.db, {one.subject.name for one in statements if one.subject})
    barred = entities.forgotten(call.db, {source.title, *known})
    told: Told = {}
    if any(one.subject is None for one in statements) and (source.subject_id or source.title not in barred):
        itself = source.subject_id or _subject(call, source)
        told[None] = (itself, None)
    for subject in dict.fromkeys(one.subject for one in statements if one.subject):
        meant = known[subject.name]
        if len(meant) <= 1 and (meant or subject.name not in barred):
            told[subject] = (meant[0].entity_id, None) if meant else (subject.name, subject.kind)
    return record(call, document_id, statements, told, most)


def record(call: WriteCall, document_id: str, statements: Sequence[Mined], told: Told, most: Tier = Tier.QUOTED) -> int:
    """Record what is said of the subjects that are told, trusted `most` at most, and call the document indexed.

    How many facts stand of it.
    """
    recorder, facts = Recorder(call), 0
    for some in _in_parts([one for one in statements if one.subject in told]):
        judged = graph.judged(call.db, _graph(document_id, some, told))
        drafts = [_at_most(each.draft, most) for each in judged if each.draft is not None]
        facts += len(recorder.drafts(drafts))
    call.db.update("document", document_id, tier="indexed")
    return facts


def _at_most(draft: Draft, most: Tier) -> Draft:
    return replace(draft, tier=most) if draft.tier.rank > most.rank else draft


def _graph(document_id: str, statements: Sequence[Mined], told: Told) -> Graph:
    ids = {subject.name: entity for subject, (entity, kind) in told.items() if subject and kind is None}
    claims = [
        Claim(
            id=str(n), entity=told[one.subject][0], predicate=one.predicate,
            object=ids.get(one.object, one.object) if one.object_type is ValueType.ENTITY else one.object,
            object_type=one.object_type, quote=one.quote, quote_start=one.start,
        )
        for n, one in enumerate(statements)
    ]  # fmt: skip
    made = {names.key(name): NewEntity(name=name, kind=kind) for name, kind in told.values() if kind}
    wanted = {names.key(claim.entity) for claim in claims}
    return Graph(document_id, claims, [entity for key, entity in made.items() if key in wanted], atomic=False)


def _subject(call: WriteCall, source: records.Source) -> str:
    """The entity that the document itself is, made."""
    entity_id = call.new_id("e")
    entities.insert(call.db, entity_id, call.now, kind=KIND, name=source.title, attributes="{}")
    call.db.update("document", source.document_id, subject_id=entity_id)
    return entity_id


def _in_parts(statements: Sequence[Mined]) -> Iterator[Sequence[Mined]]:
    for at in range(0, len(statements), MAX_CLAIMS):
        yield statements[at : at + MAX_CLAIMS]
