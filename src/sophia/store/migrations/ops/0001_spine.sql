CREATE TABLE owner_epoch (id INTEGER PRIMARY KEY CHECK (id IN (1, 2)), epoch INTEGER NOT NULL) STRICT;
INSERT INTO owner_epoch VALUES (1, 0);

CREATE TABLE connection (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  profile TEXT NOT NULL CHECK (profile IN ('observer', 'assistant', 'full')),
  entity_scope TEXT NOT NULL,
  write_approval_mode TEXT NOT NULL CHECK (write_approval_mode IN ('pre_approved', 'per_call')),
  can_delegate INTEGER NOT NULL CHECK (can_delegate IN (0, 1)),
  can_post INTEGER NOT NULL CHECK (can_post IN (0, 1)),
  siblings_may_review INTEGER NOT NULL DEFAULT 0 CHECK (siblings_may_review IN (0, 1)),
  surface TEXT NOT NULL CHECK (surface IN ('full', 'core')),
  name_style TEXT NOT NULL CHECK (name_style IN ('dotted', 'underscore')),
  parent_id TEXT REFERENCES connection (id),
  spawn_id TEXT,
  task_label TEXT,
  epoch INTEGER NOT NULL,
  bearer_token_hash TEXT NOT NULL UNIQUE,
  old_token_hash TEXT UNIQUE,
  old_token_boot TEXT,
  old_token_until INTEGER,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  expires_at INTEGER,
  expires_awake INTEGER,
  boot_id TEXT NOT NULL,
  revoked_at INTEGER,
  revoke_reason TEXT,
  delivered INTEGER NOT NULL DEFAULT 0,
  last_seen INTEGER,
  request_count INTEGER NOT NULL DEFAULT 0,
  CHECK (write_approval_mode = 'per_call' OR profile = 'full')
) STRICT;
CREATE INDEX connection_parent ON connection (parent_id);

CREATE TABLE approval (
  id TEXT PRIMARY KEY NOT NULL,
  connection_id TEXT NOT NULL REFERENCES connection (id),
  epoch INTEGER NOT NULL,
  tool TEXT NOT NULL,
  arguments TEXT NOT NULL,
  arguments_sha256 TEXT NOT NULL,
  preview TEXT NOT NULL,
  preview_sha256 TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'void', 'failed')),
  created_at INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  expires_awake INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_awake INTEGER,
  reason TEXT,
  result TEXT,
  error TEXT
) STRICT;
CREATE INDEX approval_call ON approval (connection_id, arguments_sha256, created_at);
CREATE INDEX approval_status ON approval (status, created_at);

CREATE TABLE allowance (
  connection_id TEXT NOT NULL REFERENCES connection (id),
  tool TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  expires_awake INTEGER NOT NULL,
  PRIMARY KEY (connection_id, tool)
) STRICT;

CREATE TABLE grant_code (
  code_sha256 TEXT PRIMARY KEY NOT NULL,
  parameters_sha256 TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  expires_awake INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  used_at INTEGER
) STRICT;

CREATE TABLE granted_root (
  id TEXT PRIMARY KEY NOT NULL,
  path TEXT NOT NULL UNIQUE,
  granted_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE TABLE security_event (
  n INTEGER PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  what TEXT NOT NULL,
  who TEXT NOT NULL,
  about TEXT,
  details TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TRIGGER append_only_security_u BEFORE UPDATE ON security_event BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_security_d BEFORE DELETE ON security_event BEGIN SELECT raise(ABORT, 'append only'); END;

CREATE TABLE setting (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;
