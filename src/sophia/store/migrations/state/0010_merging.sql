CREATE TABLE entity_merge (
  id TEXT PRIMARY KEY NOT NULL REFERENCES entity (id),
  user_id TEXT NOT NULL,
  into_id TEXT NOT NULL REFERENCES entity (id),
  status_before TEXT NOT NULL CHECK (status_before IN ('active', 'archived')),
  created_at INTEGER NOT NULL,
  CHECK (id <> into_id)
) STRICT;
CREATE INDEX entity_merge_into ON entity_merge (into_id);
CREATE TRIGGER entity_merge_insert BEFORE INSERT ON entity_merge
  WHEN EXISTS (SELECT 1 FROM entity_merge m WHERE m.id = new.into_id)
  BEGIN SELECT raise(ABORT, 'what was merged itself keeps nothing'); END;
CREATE TRIGGER entity_merge_update BEFORE UPDATE ON entity_merge
  WHEN EXISTS (SELECT 1 FROM entity_merge m WHERE m.id = new.into_id)
  BEGIN SELECT raise(ABORT, 'what was merged itself keeps nothing'); END;
