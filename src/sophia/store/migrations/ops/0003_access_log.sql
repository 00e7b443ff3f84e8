CREATE TABLE subscriber_agent_entity_access_log (
  n INTEGER PRIMARY KEY NOT NULL,
  at INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  call_id TEXT NOT NULL
) STRICT;
CREATE INDEX access_log_entity ON subscriber_agent_entity_access_log (entity_id, at);
CREATE INDEX access_log_connection ON subscriber_agent_entity_access_log (connection_id, at);
CREATE INDEX access_log_at ON subscriber_agent_entity_access_log (at);

CREATE TABLE entity_access_count (
  entity_id TEXT PRIMARY KEY NOT NULL,
  accesses INTEGER NOT NULL,
  last_at INTEGER NOT NULL
) STRICT;

CREATE TABLE access_log_state (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  mutation_seq INTEGER NOT NULL,
  kept_from INTEGER NOT NULL,
  looked_at INTEGER,
  looked_awake INTEGER,
  looked_boot TEXT,
  doubted_us INTEGER NOT NULL
) STRICT;
INSERT INTO access_log_state (id, mutation_seq, kept_from, doubted_us) VALUES (1, 0, 0, 0);

CREATE TABLE tool_usage (
  hour INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (hour, connection_id, tool)
) STRICT;

CREATE TRIGGER access_counted AFTER INSERT ON subscriber_agent_entity_access_log BEGIN
  INSERT INTO entity_access_count (entity_id, accesses, last_at) VALUES (new.entity_id, 1, new.at)
    ON CONFLICT (entity_id) DO UPDATE SET accesses = accesses + 1, last_at = max(last_at, excluded.last_at);
END;
CREATE TRIGGER append_only_access_u BEFORE UPDATE ON subscriber_agent_entity_access_log
  BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_access_d BEFORE DELETE ON subscriber_agent_entity_access_log
  WHEN old.at >= (SELECT kept_from FROM access_log_state)
  BEGIN SELECT raise(ABORT, 'still kept'); END;
CREATE TRIGGER append_only_count_u BEFORE UPDATE ON entity_access_count
  WHEN new.entity_id <> old.entity_id OR new.accesses <= old.accesses
  BEGIN SELECT raise(ABORT, 'counts only go up'); END;
CREATE TRIGGER append_only_count_d BEFORE DELETE ON entity_access_count
  BEGIN SELECT raise(ABORT, 'counts are kept'); END;
