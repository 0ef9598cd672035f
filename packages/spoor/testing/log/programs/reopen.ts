// Opens a log, appends an event to each of its runs if its second argument is not empty, and prints the receipts.

import { openLogSync } from "../../../src/log/open.ts";
import { draft } from "../drafts.ts";

const [directory = "", commit = ""] = process.argv.slice(2);
const log = openLogSync({ directory });
const { runs } = commit === "" ? { runs: [] } : await log.runs({ limit: 1_000 });
const receipts = [];
for (const { run_id } of runs) receipts.push(...(await log.append([{ run_id, drafts: [draft("after the loss")] }])));
await log.close();
console.log(JSON.stringify(receipts));
