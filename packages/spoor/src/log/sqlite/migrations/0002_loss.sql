-- Positions of lost events whose runs are unknown, because the database's file was replaced by an older copy.
CREATE TABLE losses (
  first_position INTEGER PRIMARY KEY,
  last_position INTEGER NOT NULL
) STRICT;

-- A second copy of every key, ordered by its digest. If one copy is damaged, the other still recognises a retry.
ALTER TABLE idempotency ADD COLUMN digest TEXT;
-- Checksum of everything else in the row.
ALTER TABLE idempotency ADD COLUMN crc INTEGER;
CREATE INDEX idempotency_by_digest ON idempotency
  (digest, key, run_id, epoch, first_sequence, last_sequence, last_position, used_at, crc);
