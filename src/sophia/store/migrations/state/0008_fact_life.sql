ALTER TABLE fact ADD COLUMN ended_at INTEGER;
ALTER TABLE fact ADD COLUMN ended_by_connection_id TEXT;
ALTER TABLE fact ADD COLUMN ended_by_name TEXT;
ALTER TABLE fact ADD COLUMN superseded_reason TEXT;
CREATE INDEX fact_ended_at ON fact (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX fact_current ON fact (predicate, entity_id, object_key, object_entity_id, user_id) WHERE status = 'current';

CREATE TABLE fact_clash (
  id INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entity (id) ON DELETE CASCADE,
  predicate TEXT NOT NULL,
  UNIQUE (predicate, entity_id)
) STRICT;
CREATE INDEX fact_clash_entity ON fact_clash (entity_id);
INSERT INTO fact_clash (user_id, entity_id, predicate)
  SELECT min(user_id), entity_id, predicate FROM fact WHERE status = 'current'
   GROUP BY predicate, entity_id HAVING min(object_key) <> max(object_key);
CREATE TRIGGER fact_clash_i AFTER INSERT ON fact BEGIN
  INSERT OR IGNORE INTO fact_clash (user_id, entity_id, predicate)
    SELECT NEW.user_id, NEW.entity_id, NEW.predicate
     WHERE (SELECT min(f.object_key) FROM fact f WHERE f.predicate = NEW.predicate AND f.entity_id = NEW.entity_id AND f.status = 'current') <>
         (SELECT max(f.object_key) FROM fact f WHERE f.predicate = NEW.predicate AND f.entity_id = NEW.entity_id AND f.status = 'current');
END;
CREATE TRIGGER fact_clash_u AFTER UPDATE OF entity_id, predicate, object_key, status ON fact BEGIN
  DELETE FROM fact_clash WHERE entity_id = OLD.entity_id AND predicate = OLD.predicate
     AND (SELECT min(f.object_key) FROM fact f WHERE f.predicate = OLD.predicate AND f.entity_id = OLD.entity_id AND f.status = 'current') IS
         (SELECT max(f.object_key) FROM fact f WHERE f.predicate = OLD.predicate AND f.entity_id = OLD.entity_id AND f.status = 'current');
  INSERT OR IGNORE INTO fact_clash (user_id, entity_id, predicate)
    SELECT NEW.user_id, NEW.entity_id, NEW.predicate
     WHERE (SELECT min(f.object_key) FROM fact f WHERE f.predicate = NEW.predicate AND f.entity_id = NEW.entity_id AND f.status = 'current') <>
         (SELECT max(f.object_key) FROM fact f WHERE f.predicate = NEW.predicate AND f.entity_id = NEW.entity_id AND f.status = 'current');
END;
CREATE TRIGGER fact_clash_d AFTER DELETE ON fact BEGIN
  DELETE FROM fact_clash WHERE entity_id = OLD.entity_id AND predicate = OLD.predicate
     AND (SELECT min(f.object_key) FROM fact f WHERE f.predicate = OLD.predicate AND f.entity_id = OLD.entity_id AND f.status = 'current') IS
         (SELECT max(f.object_key) FROM fact f WHERE f.predicate = OLD.predicate AND f.entity_id = OLD.entity_id AND f.status = 'current');
END;

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
