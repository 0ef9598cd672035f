-- The tables of durable state beside the events. log/tables.ts describes them; a test compares the two.
ALTER TABLE tasks ADD COLUMN "updated_at" INTEGER;
ALTER TABLE tasks ADD COLUMN "kind" TEXT;
ALTER TABLE tasks ADD COLUMN "title" TEXT;
ALTER TABLE tasks ADD COLUMN "spec" TEXT;
ALTER TABLE tasks ADD COLUMN "priority" INTEGER;
ALTER TABLE tasks ADD COLUMN "active_run_id" TEXT;
ALTER TABLE tasks ADD COLUMN "deleted_at" INTEGER;

CREATE TABLE queue (
  "run_id" TEXT PRIMARY KEY NOT NULL,
  "kind" TEXT NOT NULL,
  "priority" INTEGER NOT NULL,
  "due_at" INTEGER NOT NULL,
  "enqueued_at" INTEGER NOT NULL,
  "worker_id" TEXT,
  "lease_until" INTEGER,
  "epoch" INTEGER
) STRICT;
CREATE INDEX queue_by_worker_id_priority_enqueued_at ON queue ("worker_id", "priority", "enqueued_at", "run_id");

CREATE TABLE approvals (
  "approval_id" TEXT PRIMARY KEY NOT NULL,
  "run_id" TEXT NOT NULL,
  "task_id" TEXT,
  "tool_call_id" TEXT,
  "interaction_id" TEXT,
  "kind" TEXT,
  "tool" TEXT,
  "status" TEXT NOT NULL,
  "action" TEXT,
  "action_hash" TEXT,
  "cwd" TEXT,
  "rule" TEXT,
  "reason" TEXT,
  "risk" TEXT,
  "diff" TEXT,
  "diff_artifact_id" TEXT,
  "requested_at" INTEGER NOT NULL,
  "expires_at" INTEGER,
  "default_action" TEXT,
  "decision" TEXT,
  "by" TEXT,
  "comment" TEXT,
  "resolved_at" INTEGER
) STRICT;
CREATE INDEX approvals_by_run_id ON approvals ("run_id", "approval_id");
CREATE INDEX approvals_by_status_requested_at ON approvals ("status", "requested_at", "approval_id");
CREATE INDEX approvals_by_status_expires_at ON approvals ("status", "expires_at", "approval_id");

CREATE TABLE artifacts (
  "artifact_id" TEXT PRIMARY KEY NOT NULL,
  "run_id" TEXT NOT NULL,
  "task_id" TEXT,
  "tool_call_ids" TEXT,
  "group_id" TEXT,
  "kind" TEXT NOT NULL,
  "status" TEXT,
  "path" TEXT,
  "mode" TEXT,
  "operation" TEXT,
  "before_existed" INTEGER,
  "base_revision" TEXT,
  "result_revision" TEXT,
  "sha256" TEXT,
  "size" INTEGER,
  "additions" INTEGER,
  "deletions" INTEGER,
  "attribution" TEXT,
  "mime" TEXT,
  "name" TEXT,
  "details" TEXT,
  "applied_hunks" TEXT,
  "pending" TEXT,
  "created_at" INTEGER NOT NULL,
  "updated_at" INTEGER,
  "applied_at" INTEGER,
  "reverted_at" INTEGER
) STRICT;
CREATE INDEX artifacts_by_run_id ON artifacts ("run_id", "artifact_id");
CREATE INDEX artifacts_by_task_id ON artifacts ("task_id", "artifact_id");
CREATE INDEX artifacts_by_kind_status ON artifacts ("kind", "status", "artifact_id");
CREATE INDEX artifacts_by_group_id ON artifacts ("group_id", "artifact_id");
CREATE INDEX artifacts_by_sha256 ON artifacts ("sha256", "artifact_id");
CREATE INDEX artifacts_by_base_revision ON artifacts ("base_revision", "artifact_id");
CREATE INDEX artifacts_by_result_revision ON artifacts ("result_revision", "artifact_id");

CREATE TABLE blobs (
  "sha256" TEXT PRIMARY KEY NOT NULL,
  "size" INTEGER NOT NULL,
  "bytes" BLOB,
  "used_at" INTEGER
) STRICT;

CREATE TABLE commands (
  "command_id" TEXT PRIMARY KEY NOT NULL,
  "run_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "body" TEXT,
  "by" TEXT,
  "created_at" INTEGER NOT NULL,
  "done_at" INTEGER,
  "outcome" TEXT,
  "detail" TEXT,
  "sequence" INTEGER
) STRICT;
CREATE INDEX commands_by_run_id ON commands ("run_id", "command_id");

CREATE TABLE requests (
  "key" TEXT PRIMARY KEY NOT NULL,
  "body_hash" TEXT NOT NULL,
  "made" TEXT NOT NULL,
  "created_at" INTEGER NOT NULL
) STRICT;
CREATE INDEX requests_by_created_at ON requests ("created_at", "key");

CREATE TABLE workspaces (
  "path" TEXT PRIMARY KEY NOT NULL,
  "run_id" TEXT,
  "mode" TEXT,
  "shared" INTEGER,
  "generation" INTEGER
) STRICT;
CREATE INDEX workspaces_by_run_id ON workspaces ("run_id", "path");

-- One note for each change of a row, from which other processes learn of it. Only the newest are kept.
CREATE TABLE row_changes (
  change INTEGER PRIMARY KEY,
  tbl TEXT NOT NULL,
  key TEXT NOT NULL
) STRICT;
