CREATE TABLE owner_epoch (id INTEGER PRIMARY KEY CHECK (id IN (1, 2)), epoch INTEGER NOT NULL) STRICT;
INSERT INTO owner_epoch VALUES (1, 0);

CREATE TABLE party (
  connection_id TEXT PRIMARY KEY NOT NULL,
  epoch INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1))
) STRICT;

CREATE TABLE joined_scope (
  connection_id TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  PRIMARY KEY (connection_id, entity_id)
) STRICT;

CREATE TABLE once (
  connection_id TEXT NOT NULL,
  key TEXT NOT NULL,
  tool TEXT NOT NULL,
  arguments_sha256 TEXT NOT NULL,
  result TEXT NOT NULL,
  mutation_seq INTEGER,
  epoch INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (connection_id, key)
) STRICT;

CREATE TABLE journal_head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
INSERT INTO journal_head VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TABLE mutation (
  seq INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  tool TEXT NOT NULL,
  call_id TEXT NOT NULL,
  reason TEXT,
  import_session_id TEXT,
  rows INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX mutation_connection ON mutation (connection_id, seq);
CREATE INDEX mutation_at ON mutation (at);

CREATE TABLE mutation_change (
  n INTEGER PRIMARY KEY NOT NULL,
  mutation_seq INTEGER NOT NULL,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  op TEXT NOT NULL CHECK (op IN ('insert', 'update', 'delete')),
  before TEXT,
  after TEXT,
  digest TEXT NOT NULL
) STRICT;
CREATE INDEX mutation_change_seq ON mutation_change (mutation_seq);
CREATE INDEX mutation_change_row ON mutation_change (table_name, row_id);

CREATE TRIGGER append_only_mutation_u BEFORE UPDATE ON mutation BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_mutation_d BEFORE DELETE ON mutation BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_change_u BEFORE UPDATE ON mutation_change BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_change_d BEFORE DELETE ON mutation_change BEGIN SELECT raise(ABORT, 'append only'); END;

CREATE TABLE entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  summary TEXT,
  attributes TEXT NOT NULL DEFAULT '{}',
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'merged', 'archived')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX entity_name ON entity (name_key, id);
CREATE INDEX entity_kind ON entity (kind, name_key, id);

CREATE TABLE entity_alias (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entity (id),
  alias TEXT NOT NULL,
  alias_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (entity_id, alias_key)
) STRICT;
CREATE INDEX entity_alias_key ON entity_alias (alias_key);

CREATE TABLE entity_index (
  id INTEGER PRIMARY KEY NOT NULL,
  entity_id TEXT NOT NULL UNIQUE REFERENCES entity (id) ON DELETE CASCADE
) STRICT;
CREATE VIRTUAL TABLE entity_fts USING fts5 (names, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');

CREATE TABLE document (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  mime TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('owner', 'import', 'folder', 'agent')),
  collection TEXT,
  location TEXT,
  content_sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  chars INTEGER NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('scanned', 'searchable', 'indexed')),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
  connection_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX document_location ON document (location) WHERE location IS NOT NULL;
CREATE INDEX document_sha256 ON document (content_sha256);
CREATE INDEX document_collection ON document (collection, id);

CREATE TABLE document_text (
  id TEXT PRIMARY KEY NOT NULL REFERENCES document (id),
  user_id TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE document_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES document (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (document_id, entity_id)
) STRICT;
CREATE INDEX document_entity_entity ON document_entity (entity_id);

CREATE TABLE document_tag (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES document (id),
  tag TEXT NOT NULL,
  UNIQUE (document_id, tag)
) STRICT;
CREATE INDEX document_tag_tag ON document_tag (tag);

CREATE TABLE chunk (
  id INTEGER PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES document (id),
  starts INTEGER NOT NULL,
  ends INTEGER NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX chunk_document ON chunk (document_id);
CREATE VIRTUAL TABLE chunk_fts USING fts5 (
  body, scope, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TABLE predicate (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  value_type TEXT NOT NULL,
  single_valued INTEGER NOT NULL CHECK (single_valued IN (0, 1)),
  inverse TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE fact (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  entity_id TEXT NOT NULL REFERENCES entity (id),
  predicate TEXT NOT NULL,
  object TEXT NOT NULL,
  object_key TEXT NOT NULL,
  object_entity_id TEXT REFERENCES entity (id),
  value_type TEXT NOT NULL,
  unit TEXT,
  observed_at INTEGER,
  valid_from INTEGER,
  valid_to INTEGER,
  recorded_at INTEGER NOT NULL,
  observer_connection_id TEXT NOT NULL,
  observer_name TEXT NOT NULL,
  trust_tier TEXT NOT NULL CHECK (trust_tier IN ('owner', 'verified', 'quoted', 'imported', 'inferred')),
  trust_rank INTEGER NOT NULL,
  source_kind TEXT NOT NULL CHECK (source_kind IN ('document', 'word')),
  source_id TEXT REFERENCES document (id),
  source_sha256 TEXT,
  quote TEXT,
  quote_start INTEGER,
  quote_end INTEGER,
  quote_match TEXT CHECK (quote_match IN ('exact', 'normalized')),
  status TEXT NOT NULL DEFAULT 'current' CHECK (status IN ('current', 'superseded', 'retracted')),
  superseded_by TEXT,
  retracted_reason TEXT
) STRICT;
CREATE INDEX fact_recorded ON fact (recorded_at, id);
CREATE INDEX fact_entity ON fact (entity_id, recorded_at, id);
CREATE INDEX fact_predicate ON fact (predicate, recorded_at, id);
CREATE INDEX fact_object ON fact (object_key, recorded_at, id);
CREATE INDEX fact_value ON fact (entity_id, predicate, object_key);
CREATE INDEX fact_object_entity ON fact (object_entity_id) WHERE object_entity_id IS NOT NULL;
CREATE INDEX fact_source ON fact (source_id) WHERE source_id IS NOT NULL;

CREATE TABLE fact_index (
  id INTEGER PRIMARY KEY NOT NULL,
  fact_id TEXT NOT NULL UNIQUE REFERENCES fact (id) ON DELETE CASCADE
) STRICT;
CREATE VIRTUAL TABLE fact_fts USING fts5 (
  said, quote, source, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
