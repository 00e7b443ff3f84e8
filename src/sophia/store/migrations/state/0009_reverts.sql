CREATE TABLE mutation_revert (
  user_id TEXT NOT NULL,
  mutation_seq INTEGER NOT NULL,
  reverts_seq INTEGER NOT NULL,
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  PRIMARY KEY (reverts_seq, mutation_seq)
) STRICT;
CREATE INDEX mutation_revert_by ON mutation_revert (mutation_seq);

CREATE TRIGGER append_only_revert_u BEFORE UPDATE ON mutation_revert BEGIN SELECT raise(ABORT, 'append only'); END;
CREATE TRIGGER append_only_revert_d BEFORE DELETE ON mutation_revert BEGIN SELECT raise(ABORT, 'append only'); END;

CREATE INDEX mutation_session ON mutation (import_session_id) WHERE import_session_id IS NOT NULL;
CREATE INDEX document_subject ON document (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX fact_successor ON fact (superseded_by) WHERE superseded_by IS NOT NULL;
