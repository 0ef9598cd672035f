import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeLog } from "../testing/suite.ts";
import { openSqliteLog } from "./log.ts";

let directory = "";

describeLog("the log in SQLite", {
  open: async () => openSqliteLog({ directory, pollMs: 2 }),
  fresh: async () => {
    directory = await mkdtemp(join(tmpdir(), "spoor-log-"));
  },
  clear: () => rm(directory, { recursive: true }),
});
