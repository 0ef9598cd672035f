import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { describeLog } from "../../../testing/log/suite.ts";
import { openSqliteLog } from "./log.ts";

let directory = "";

describe.each([
  ["the log in SQLite", {}],
  ["the log in SQLite with almost nothing in memory", { recentBytes: 1 }],
])("%s", (name, options) => {
  describeLog(name, {
    open: async () => openSqliteLog({ directory, pollMs: 2, ...options }),
    address: () => directory,
    fresh: async () => {
      directory = await mkdtemp(join(tmpdir(), "spoor-log-"));
    },
    clear: () => rm(directory, { recursive: true }),
  });
});
