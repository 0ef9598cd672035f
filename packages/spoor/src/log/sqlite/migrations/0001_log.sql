-- Every event type in the log, with the number that chunks use for it.
CREATE TABLE event_types (
  code INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE tasks (
  task INTEGER PRIMARY KEY,
  task_id TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE runs (
  run INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  task_id TEXT NOT NULL,
  session_id TEXT,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  native_session_id TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  last_event_id TEXT NOT NULL,
  -- The hash chain after the last event.
  head TEXT NOT NULL,
  -- The uncompressed size of the stored lines.
  bytes INTEGER NOT NULL,
  facts TEXT NOT NULL,
  -- Checksum of the columns before it.
  crc INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, run);
CREATE INDEX runs_by_agent ON runs (agent, run);
CREATE INDEX runs_by_status ON runs (status, run);
CREATE INDEX runs_by_session ON runs (native_session_id, run) WHERE native_session_id IS NOT NULL;

-- One row for each commit and run; merging joins small ones. Columns that are read without the body come before it.
CREATE TABLE chunks (
  last_position INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  first_position INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  -- Lines in the body. Fewer than first to last sequence only where a gap event replaced a range.
  events INTEGER NOT NULL,
  -- Ranges of positions as JSON; null if they are consecutive.
  positions TEXT,
  -- Codes of the types of its events, each between spaces.
  types TEXT NOT NULL,
  -- The hash chain after the last event.
  head TEXT NOT NULL,
  -- 0: NDJSON; 1: the same, zstd.
  encoding INTEGER NOT NULL,
  -- Checksum of everything else.
  crc INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunks_by_run ON chunks (run, last_sequence);

CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  run_id TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  last_position INTEGER NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tapes (
  tape INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  -- Lines of JSON, compressed with zstd.
  body BLOB NOT NULL
) STRICT;
CREATE INDEX tapes_by_run ON tapes (run_id, tape);
