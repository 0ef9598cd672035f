// Makes ten commits and prints a line before each, for a test that traces its system calls.

import { writeSync } from "node:fs";
import { openLogSync } from "../../../src/log/open.ts";
import { draft } from "../drafts.ts";

const [directory = "", run_id = "", durability = "process"] = process.argv.slice(2);
const log = openLogSync({ directory, durability: durability as "process" | "full" });
for (let number = 0; number < 10; number++) {
  writeSync(1, "commit\n");
  await log.append([{ run_id, drafts: [draft(String(number))] }]);
}
writeSync(1, '"commit: done\n');
await log.close();
