ALTER TABLE document ADD COLUMN subject_id TEXT REFERENCES entity (id);
CREATE INDEX document_unmined ON document (id) WHERE tier = 'searchable' AND status = 'active';
