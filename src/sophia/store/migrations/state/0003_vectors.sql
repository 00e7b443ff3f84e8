CREATE TABLE chunk_place (
  id INTEGER PRIMARY KEY NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL,
  document_id TEXT NOT NULL REFERENCES document (id)
) STRICT;
CREATE INDEX chunk_place_document ON chunk_place (document_id);
INSERT INTO chunk_place SELECT id, user_id, document_id FROM chunk;

CREATE TABLE chunk_vector (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  chunk_id INTEGER NOT NULL REFERENCES chunk (id) ON DELETE CASCADE,
  model_id TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  scale REAL NOT NULL,
  vector BLOB NOT NULL,
  UNIQUE (chunk_id, model_id)
) STRICT;
CREATE INDEX chunk_vector_model ON chunk_vector (model_id, id);

CREATE TABLE chunk_vector_gone (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  vector_id INTEGER NOT NULL,
  chunk_id INTEGER NOT NULL
) STRICT;
