ALTER TABLE fact ADD COLUMN quote_lost_at INTEGER;
CREATE INDEX fact_quote_lost ON fact (quote_lost_at, id) WHERE quote_lost_at IS NOT NULL AND status = 'current';
