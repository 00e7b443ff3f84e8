"""Which mutations touched an entity: SQL that the journal's lists and the entity's own timeline share."""

TOUCHING = """
    SELECT c.mutation_seq FROM mutation_change c WHERE c.table_name IN ('entity', 'entity_merge')
           AND c.row_id IN (SELECT value FROM json_each(:about))
    UNION ALL SELECT c.mutation_seq FROM fact f CROSS JOIN mutation_change c
                     ON c.table_name = 'fact' AND c.row_id = f.id
               WHERE f.entity_id IN (SELECT value FROM json_each(:about))
    UNION ALL SELECT c.mutation_seq FROM fact f CROSS JOIN mutation_change c
                     ON c.table_name = 'fact' AND c.row_id = f.id
               WHERE f.object_entity_id IN (SELECT value FROM json_each(:about))
    UNION ALL SELECT c.mutation_seq FROM entity_alias a CROSS JOIN mutation_change c
                     ON c.table_name = 'entity_alias' AND c.row_id = a.id
               WHERE a.entity_id IN (SELECT value FROM json_each(:about))
    UNION ALL SELECT c.mutation_seq FROM document_entity d CROSS JOIN mutation_change c
                     ON c.table_name = 'document_entity' AND c.row_id = d.id
               WHERE d.entity_id IN (SELECT value FROM json_each(:about))
"""
"""The numbers of the mutations, repeated ones among them, of the entities whose ids `:about` lists as JSON."""
