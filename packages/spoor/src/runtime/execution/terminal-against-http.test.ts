import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { hasTerminal } from "../../../testing/cli/process.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { createSite } from "../../../testing/runtime/three-places.ts";

const RACES = Number(process.env.SPOOR_TERMINAL_RACES ?? 12);
const asks = /what led here › /;

/** A run in a terminal that asks this often, next to a server. */
async function askingRun(questions: number) {
  const site = await createSite(true);
  const terminal = site.onTerminal(
    ...site.runArguments("claude", "commanded-claude.mjs", `${"ask ".repeat(questions)}end`),
  );
  await terminal.printed(asks);
  const log = await site.open();
  const [run] = (await log.runs({ limit: 1 })).runs;
  const run_id = run?.run_id ?? "";
  const pending = () =>
    vi.waitFor(
      async () => {
        const [row] = (await log.rows.list("approvals", { where: { status: "pending" } })).rows;
        const isOver = (await log.run(run_id))?.status === "completed";
        if (!row && !isOver) throw new Error("Nothing is pending.");
        return row?.approval_id;
      },
      { timeout: 30_000, interval: 10 },
    );
  const decided = (approval_id: string) =>
    vi.waitFor(
      async () => expect(await log.rows.find("approvals", approval_id)).not.toMatchObject({ status: "pending" }),
      { timeout: 30_000, interval: 10 },
    );
  const reject = (approval_id: string) =>
    site.request("POST", `/v1/approvals/${approval_id}/resolve`, { decision: "reject" });
  return { site, terminal, log, run_id, pending, decided, reject };
}

describe.runIf(hasTerminal)(
  "the person at the terminal and somebody on HTTP",
  { timeout: 60_000 + RACES * 5_000 },
  () => {
    it(`answer at the same time, ${RACES} times: one answer counts, and the other learns which`, async () => {
      const { terminal, log, run_id, pending, decided, reject } = await askingRun(RACES);
      const winners = { terminal: 0, http: 0 };
      for (let race = 0; race < RACES; race++) {
        const approval_id = await pending();
        // A key that the terminal passed on late has answered the question after the one it was typed for.
        if (approval_id === undefined) break;
        if (race > 0) await terminal.printed(asks);
        // Keys count from half a second after the question was drawn.
        await sleep(520);
        // In the first race the terminal begins, in the second one HTTP does.
        if (race !== 1) terminal.type("y");
        if (race === 0) await decided(approval_id);
        const { status, text } = await reject(approval_id);
        if (race === 1) terminal.type("y");
        const row = await log.rows.find("approvals", approval_id);
        if (status === 200) {
          winners.http += 1;
          expect(row).toMatchObject({ status: "rejected", by: "http" });
          await terminal.printed(/denied from another tab|too late: it was rejected by http/);
        } else {
          winners.terminal += 1;
          expect([status, row]).toMatchObject([409, { status: "approved", by: expect.stringMatching(/^cli:/) }]);
          expect(JSON.parse(text).error.conflict).toMatchObject({ status: "approved", by: row?.by });
        }
      }
      expect(await terminal.exited).toBe(0);
      expect(winners.terminal).toBeGreaterThan(0);
      expect(winners.http).toBeGreaterThan(0);
      expect(winners.terminal + winners.http).toBeGreaterThan(RACES / 2);
      const resolved = (await envelopesOf(log, run_id)).filter(({ type }) => type === "approval.resolved");
      expect(new Set(resolved.map(({ data }) => data.approval_id)).size).toBe(RACES);
      expect(resolved).toHaveLength(RACES);
      expect(await log.run(run_id)).toMatchObject({ status: "completed" });
      expect(await findingsOf(log, [run_id])).toEqual([]);
      await expectProjectionsRebuilt(log);
    });
  },
);
