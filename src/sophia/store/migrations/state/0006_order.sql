CREATE INDEX entity_updated ON entity (updated_at, id);
CREATE INDEX document_updated ON document (updated_at, id);
