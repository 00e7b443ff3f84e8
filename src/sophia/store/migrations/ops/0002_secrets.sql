CREATE TABLE secret_hit (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  keyed TEXT NOT NULL,
  last_four TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  found_by TEXT NOT NULL,
  found_in TEXT NOT NULL,
  allowed_at INTEGER
) STRICT;
CREATE INDEX secret_hit_allowed ON secret_hit (allowed_at) WHERE allowed_at IS NOT NULL;
