ALTER TABLE mutation ADD COLUMN reason_digest TEXT;
ALTER TABLE mutation_change ADD COLUMN forgotten_by TEXT;

CREATE TABLE tombstone (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  forgotten_id TEXT NOT NULL UNIQUE,
  noun TEXT NOT NULL CHECK (noun IN ('entity', 'document')),
  rows INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE forgotten_value (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  tombstone_id TEXT NOT NULL REFERENCES tombstone (id),
  keyed TEXT NOT NULL
) STRICT;
CREATE INDEX forgotten_value_keyed ON forgotten_value (keyed);
CREATE INDEX forgotten_value_tombstone ON forgotten_value (tombstone_id);

CREATE INDEX mutation_change_forgotten ON mutation_change (forgotten_by) WHERE forgotten_by IS NOT NULL;

DROP TRIGGER append_only_mutation_u;
CREATE TRIGGER append_only_mutation_u BEFORE UPDATE ON mutation
WHEN NOT (
  NEW.reason IS NULL AND OLD.reason_digest IS NOT NULL AND NEW.seq = OLD.seq AND NEW.user_id = OLD.user_id
  AND NEW.at = OLD.at AND NEW.connection_id = OLD.connection_id AND NEW.actor_name = OLD.actor_name
  AND NEW.tool = OLD.tool AND NEW.call_id = OLD.call_id AND NEW.import_session_id IS OLD.import_session_id
  AND NEW.rows = OLD.rows AND NEW.hash = OLD.hash AND NEW.reason_digest = OLD.reason_digest
)
BEGIN SELECT raise(ABORT, 'append only'); END;

DROP TRIGGER append_only_change_u;
CREATE TRIGGER append_only_change_u BEFORE UPDATE ON mutation_change
WHEN NOT (
  NEW.before IS NULL AND NEW.after IS NULL AND OLD.forgotten_by IS NULL AND NEW.forgotten_by IS NOT NULL
  AND NEW.n = OLD.n AND NEW.mutation_seq = OLD.mutation_seq AND NEW.table_name = OLD.table_name
  AND NEW.row_id = OLD.row_id AND NEW.op = OLD.op AND NEW.digest = OLD.digest
)
BEGIN SELECT raise(ABORT, 'append only'); END;

CREATE TRIGGER forgotten_entity_i BEFORE INSERT ON entity
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('name', NEW.name_key))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_entity_u BEFORE UPDATE OF name_key ON entity
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('name', NEW.name_key))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_alias_i BEFORE INSERT ON entity_alias
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('name', NEW.alias_key))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_document_i BEFORE INSERT ON document
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('bytes', NEW.content_sha256))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_document_u BEFORE UPDATE OF content_sha256 ON document
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('bytes', NEW.content_sha256))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_text_i BEFORE INSERT ON document_text
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('text', NEW.text))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
CREATE TRIGGER forgotten_text_u BEFORE UPDATE OF text ON document_text
WHEN EXISTS (SELECT 1 FROM forgotten_value)
  AND EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('text', NEW.text))
BEGIN SELECT raise(ABORT, 'forgotten'); END;
