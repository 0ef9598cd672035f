-- What a search finds in a run beside its row, in small letters: its prompts, and the paths of the files that it changed.
-- It is made from the events when somebody searches. The events up to last_sequence are in it.
CREATE TABLE run_texts (
  run INTEGER PRIMARY KEY,
  last_sequence INTEGER NOT NULL,
  prompts TEXT NOT NULL,
  paths TEXT NOT NULL
) STRICT;
