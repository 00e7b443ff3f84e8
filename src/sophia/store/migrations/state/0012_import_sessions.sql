CREATE TABLE import_session (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  connection_name TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  max_rows INTEGER,
  ttl_minutes INTEGER,
  status TEXT NOT NULL CHECK (status IN ('begun', 'committed', 'aborted')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX import_session_connection ON import_session (connection_id, status);
CREATE INDEX import_session_created ON import_session (created_at, id);

CREATE TABLE import_session_use (
  id TEXT PRIMARY KEY NOT NULL REFERENCES import_session (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  boot_id TEXT,
  expires_awake INTEGER,
  ended_by INTEGER,
  writes INTEGER NOT NULL DEFAULT 0,
  rows INTEGER NOT NULL DEFAULT 0
) STRICT;
