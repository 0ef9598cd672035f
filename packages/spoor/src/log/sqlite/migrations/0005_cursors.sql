-- How far something that reads the log has come, so that it goes on there after a restart.
CREATE TABLE cursors (
  "name" TEXT PRIMARY KEY NOT NULL,
  "position" INTEGER NOT NULL,
  "state" TEXT,
  "updated_at" INTEGER NOT NULL
) STRICT;
