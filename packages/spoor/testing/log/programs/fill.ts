// Appends this many megabytes, one commit after the other. Nothing else keeps the process alive.

import { openLogSync } from "../../../src/log/open.ts";
import { createRun, draft } from "../drafts.ts";

const [directory = "", megabytes = "0"] = process.argv.slice(2);
const log = openLogSync({ directory });
const run_id = await createRun(log, 1);
const megabyte = Array.from({ length: 16 }, () => draft("x".repeat(64 * 1024)));
for (let written = 0; written < Number(megabytes); written++) await log.append([{ run_id, drafts: megabyte }]);
process.stdout.write("all of it");
