-- Positions that were given and whose runs are not known any more: the database's file was replaced by an older one.
CREATE TABLE losses (
  first_position INTEGER PRIMARY KEY,
  last_position INTEGER NOT NULL
) STRICT;

-- A second copy of every key, found by its digest: if one copy is damaged, a retry is still recognised by the other.
ALTER TABLE idempotency ADD COLUMN digest TEXT;
-- Of everything else in the row.
ALTER TABLE idempotency ADD COLUMN crc INTEGER;
CREATE INDEX idempotency_by_digest ON idempotency
  (digest, key, run_id, epoch, first_sequence, last_sequence, last_position, used_at, crc);
