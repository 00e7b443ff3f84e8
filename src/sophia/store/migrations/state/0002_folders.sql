CREATE TABLE folder (
  id TEXT PRIMARY KEY NOT NULL REFERENCES entity (id),
  user_id TEXT NOT NULL,
  location TEXT NOT NULL UNIQUE,
  include TEXT NOT NULL,
  exclude TEXT NOT NULL,
  watch INTEGER NOT NULL CHECK (watch IN (0, 1)),
  connection_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

ALTER TABLE document ADD COLUMN gone_at INTEGER;
ALTER TABLE document_text ADD COLUMN places TEXT;

CREATE TABLE folder_scan (
  id TEXT PRIMARY KEY NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  due INTEGER NOT NULL CHECK (due IN (0, 1)),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'here', 'gone', 'not_granted', 'too_many')),
  root TEXT
) STRICT;

CREATE TABLE ingest_file (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  folder_id TEXT NOT NULL REFERENCES folder (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  document_id TEXT REFERENCES document (id) ON DELETE CASCADE,
  state TEXT NOT NULL CHECK (state IN ('queued', 'scanned', 'kept', 'failed', 'quarantined', 'missing', 'gone')),
  signature TEXT,
  content_sha256 TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0,
  reason TEXT
) STRICT;
CREATE INDEX ingest_file_folder ON ingest_file (folder_id, path);
CREATE INDEX ingest_file_state ON ingest_file (state, due_at) WHERE state != 'kept';
CREATE INDEX ingest_file_document ON ingest_file (document_id);

CREATE TABLE import_wish (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  folders TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
