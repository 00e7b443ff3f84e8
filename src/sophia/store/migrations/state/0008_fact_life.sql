ALTER TABLE fact ADD COLUMN ended_at INTEGER;
ALTER TABLE fact ADD COLUMN ended_by_connection_id TEXT;
ALTER TABLE fact ADD COLUMN ended_by_name TEXT;
ALTER TABLE fact ADD COLUMN superseded_reason TEXT;
CREATE INDEX fact_ended_at ON fact (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX fact_current ON fact (predicate, entity_id, object_key, object_entity_id, user_id) WHERE status = 'current';

CREATE TABLE fact_dispute (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  fact_id TEXT NOT NULL REFERENCES fact (id),
  by_fact_id TEXT NOT NULL REFERENCES fact (id),
  UNIQUE (fact_id, by_fact_id)
) STRICT;
CREATE INDEX fact_dispute_by ON fact_dispute (by_fact_id);

CREATE TABLE rejected_value (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entity (id),
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  object_entity_id TEXT REFERENCES entity (id),
  value_type TEXT NOT NULL,
  unit TEXT,
  reason TEXT NOT NULL,
  rejected_by_connection_id TEXT NOT NULL,
  rejected_by_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  lifted_at INTEGER
) STRICT;
CREATE INDEX rejected_value_entity ON rejected_value (entity_id, predicate);
CREATE INDEX rejected_value_object ON rejected_value (object_entity_id) WHERE object_entity_id IS NOT NULL;
