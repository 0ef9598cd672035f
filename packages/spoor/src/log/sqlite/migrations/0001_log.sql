-- Every name an event type ever had here, with the number chunks know it by.
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
  -- Of the lines that are held, uncompressed.
  bytes INTEGER NOT NULL,
  facts TEXT NOT NULL,
  -- Of everything before it.
  crc INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_task ON runs (task_id, run);
CREATE INDEX runs_by_agent ON runs (agent, run);
CREATE INDEX runs_by_status ON runs (status, run);
CREATE INDEX runs_by_session ON runs (native_session_id, run) WHERE native_session_id IS NOT NULL;

-- One row for each commit and run; upkeep joins small ones. What is looked at without the body stands before it.
CREATE TABLE chunks (
  last_position INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  first_position INTEGER NOT NULL,
  first_sequence INTEGER NOT NULL,
  last_sequence INTEGER NOT NULL,
  -- Lines in the body: the last of the sequences it stands for. Fewer than those only where a prefix was pruned.
  events INTEGER NOT NULL,
  -- Stretches of positions as JSON, where they are not consecutive.
  positions TEXT,
  -- Codes of the types in it, each between spaces.
  types TEXT NOT NULL,
  -- The hash chain after the last event.
  head TEXT NOT NULL,
  -- 0: NDJSON; 1: the same, zstd.
  encoding INTEGER NOT NULL,
  -- Of everything else.
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
  -- Lines of JSON, zstd.
  body BLOB NOT NULL
) STRICT;
CREATE INDEX tapes_by_run ON tapes (run_id, tape);
