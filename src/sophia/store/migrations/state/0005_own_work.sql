CREATE TABLE goal (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT,
  parent_id TEXT REFERENCES goal (id),
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  outcome TEXT,
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  ended_by_connection_id TEXT,
  ended_by_name TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX goal_status ON goal (status, created_at, id);
CREATE INDEX goal_parent ON goal (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE decision (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  alternatives TEXT NOT NULL DEFAULT '[]',
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE question (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  question TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'answered')),
  answer TEXT,
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  ended_by_connection_id TEXT,
  ended_by_name TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX question_status ON question (status, created_at, id);

CREATE TABLE interrupt (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT,
  urgency TEXT NOT NULL CHECK (urgency IN ('low', 'normal', 'high')),
  urgency_rank INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'resolved')),
  note TEXT,
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  ended_by_connection_id TEXT,
  ended_by_name TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX interrupt_status ON interrupt (status, created_at, id);
CREATE INDEX interrupt_urgency ON interrupt (status, urgency_rank, created_at, id);

CREATE TABLE briefing (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  goal_id TEXT REFERENCES goal (id),
  author_connection_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX briefing_goal ON briefing (goal_id) WHERE goal_id IS NOT NULL;

CREATE INDEX goal_created ON goal (created_at, id);

CREATE TABLE goal_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  goal_id TEXT NOT NULL REFERENCES goal (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (goal_id, entity_id)
) STRICT;
CREATE INDEX goal_entity_entity ON goal_entity (entity_id);

CREATE INDEX decision_created ON decision (created_at, id);

CREATE TABLE decision_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  decision_id TEXT NOT NULL REFERENCES decision (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (decision_id, entity_id)
) STRICT;
CREATE INDEX decision_entity_entity ON decision_entity (entity_id);

CREATE INDEX question_created ON question (created_at, id);

CREATE TABLE question_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  question_id TEXT NOT NULL REFERENCES question (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (question_id, entity_id)
) STRICT;
CREATE INDEX question_entity_entity ON question_entity (entity_id);

CREATE TABLE question_fact (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  question_id TEXT NOT NULL REFERENCES question (id),
  fact_id TEXT NOT NULL REFERENCES fact (id),
  UNIQUE (question_id, fact_id)
) STRICT;
CREATE INDEX question_fact_fact ON question_fact (fact_id);

CREATE INDEX interrupt_created ON interrupt (created_at, id);

CREATE TABLE interrupt_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  interrupt_id TEXT NOT NULL REFERENCES interrupt (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (interrupt_id, entity_id)
) STRICT;
CREATE INDEX interrupt_entity_entity ON interrupt_entity (entity_id);

CREATE INDEX briefing_created ON briefing (created_at, id);

CREATE TABLE briefing_entity (
  id TEXT PRIMARY KEY NOT NULL,
  user_id TEXT NOT NULL,
  briefing_id TEXT NOT NULL REFERENCES briefing (id),
  entity_id TEXT NOT NULL REFERENCES entity (id),
  UNIQUE (briefing_id, entity_id)
) STRICT;
CREATE INDEX briefing_entity_entity ON briefing_entity (entity_id);

CREATE INDEX fact_ended ON fact (recorded_at, id) WHERE status <> 'current';
