// Another process on the same log, busy until it is killed: it makes many small commits to a few runs, merges them now and
// then, and prunes them if its second argument is not empty.

import { openLogSync } from "../../../src/log/open.ts";
import { createRun, draft } from "../drafts.ts";

const [directory = "", prunes = ""] = process.argv.slice(2);
const log = openLogSync({ directory });
const runs = await Promise.all(Array.from({ length: 3 }, () => createRun(log, 1)));
process.stdout.write("ready");
for (let round = 0; ; round++) {
  for (let number = 0; number < 300; number++) {
    const run_id = runs[number % runs.length] as string;
    await log.append([{ run_id, drafts: [draft(`${round}.${number}`)] }]);
  }
  await log.upkeep.merge();
  if (prunes !== "") for (const run_id of runs) await log.upkeep.prune(run_id, round * 100 - 50, "operator");
}
