CREATE TABLE page (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX page_title ON page (title_key, id);
CREATE INDEX page_updated ON page (updated_at, id);

CREATE TABLE page_revision (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id),
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  chars INTEGER NOT NULL,
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  reason TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (page_id, number)
) STRICT;

CREATE TABLE page_redirect (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id),
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (page_id, title_key)
) STRICT;
CREATE INDEX page_redirect_key ON page_redirect (title_key);

CREATE TABLE page_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (page_id, entity_id)
) STRICT;
CREATE INDEX page_entity_entity ON page_entity (entity_id);

CREATE TABLE page_link (
  id INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('page', 'fact', 'document')),
  target TEXT NOT NULL,
  written TEXT NOT NULL,
  UNIQUE (page_id, kind, target)
) STRICT;
CREATE INDEX page_link_target ON page_link (kind, target);

CREATE TABLE page_chunk (
  id INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id) ON DELETE CASCADE,
  starts INTEGER NOT NULL,
  ends INTEGER NOT NULL
) STRICT;
CREATE INDEX page_chunk_page ON page_chunk (page_id);
CREATE VIRTUAL TABLE page_fts USING fts5 (
  body, scope, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
