// Claims runs from the queue with several claimers at once until none is left, and prints the ids. With a run id, the
// claimers raise a number in 60 guarded steps instead, and print the steps they took.

import { openLog } from "../../../src/log/open.ts";
import { draft } from "../drafts.ts";

const [directory = "", claimers = "1", run_id = ""] = process.argv.slice(2);
const log = await openLog({ directory });
const got: string[] = [];
await Promise.all(
  Array.from({ length: Number(claimers) }, (_, index) => (run_id === "" ? claimAll(index) : step(index))),
);
await log.close();
process.stdout.write(JSON.stringify(got));

async function claimAll(index: number): Promise<void> {
  const worker = `${process.pid}.${index}`;
  for (;;) {
    const claim = await log.queue.claim(worker, ["shell"], 30_000, () => ({ drafts: [draft(worker, "run.started")] }));
    if (!claim) return;
    got.push(claim.run.run_id);
  }
}

async function step(index: number): Promise<void> {
  for (;;) {
    const generation = (await log.rows.find("workspaces", "/w"))?.generation ?? 0;
    if (generation === 60) return;
    try {
      await log.append([
        {
          run_id,
          when: { turns: generation },
          facts: { turns: generation + 1 },
          drafts: [draft(`${process.pid}.${index}`)],
          effects: [
            { do: "update", table: "workspaces", key: "/w", when: { generation }, set: { generation: generation + 1 } },
          ],
        },
      ]);
      got.push(String(generation));
    } catch (error) {
      if ((error as { code?: string }).code !== "conflict") throw error;
    }
  }
}
