import { describe, expect, it, vi } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import { openLog } from "../../log/open.ts";
import { Caretaker } from "../caretaker.ts";
import { resolveApproval } from "./resolve.ts";

const HOUR = 3_600_000;

interface Terms {
  expiresInMs: number;
  defaultAction: "reject" | "cancel_run" | "approve";
}

/** Starts an agent that asks, with these terms, and opens its log once more, as a server does. */
async function ask(terms: Terms) {
  const { log, directory } = temporaryLog();
  const run = createClient({
    ...{ adapters: [toy], configDir: "/no/configuration" },
    record: { to: log, approvals: terms },
  }).run({ agent: "toy", prompt: "ask", approve: "ask" });
  const server = await openLog({ directory });
  const events = async () => envelopesOf(log, run.recordId);
  const asked = () =>
    vi.waitFor(async () => {
      const [row] = (await server.rows.list("approvals", { where: { status: "pending" } })).rows;
      if (!row) throw new Error("Nothing is pending.");
      return row;
    }, 30_000);
  return { log, server, run, events, asked };
}

/** Who looks at the deadline: the executor, whose deadline passes at once, or a server whose clock is two hours ahead. */
const watchers = [
  { who: "the executor", expiresInMs: 1, look: async () => {} },
  {
    who: "a server",
    expiresInMs: HOUR,
    look: async ({ server, asked }: Awaited<ReturnType<typeof ask>>) => {
      await asked();
      const caretaker = new Caretaker(server, { now: () => Date.now() + 2 * HOUR });
      await caretaker.round();
      await caretaker.close();
    },
  },
];

const defaults = [
  { defaultAction: "reject", ends: "completed", event: "approval.timed_out", data: { default_action: "reject" } },
  {
    defaultAction: "cancel_run",
    ends: "cancelled",
    event: "approval.timed_out",
    data: { default_action: "cancel_run" },
  },
  {
    defaultAction: "approve",
    ends: "completed",
    event: "approval.resolved",
    data: { status: "approved", by: "deadline" },
  },
] as const;

const cases = watchers.flatMap((watcher) => defaults.map((each) => ({ ...watcher, ...each })));

describe("an approval that nobody answers in time", { timeout: 60_000 }, () => {
  it.each(cases)("is decided by $who as its default says: $defaultAction", async (given) => {
    const { expiresInMs, look, defaultAction, ends, event, data } = given;
    const started = await ask({ expiresInMs, defaultAction });
    await look(started);
    await started.run.result();
    const { log, server, run } = started;
    const events = await started.events();
    const decided = events.filter(({ type }) => /^approval\.(resolved|timed_out)$/.test(type));
    expect(decided).toMatchObject([{ type: event, data }]);
    expect(await log.run(run.recordId)).toMatchObject({ status: ends });
    const cancelled = events.filter(({ type }) => type === "run.cancelled").map((each) => each.data);
    expect(cancelled).toMatchObject(
      defaultAction === "cancel_run" ? [{ by: "deadline", reason: "Nobody answered in time." }] : [],
    );
    expect(events.some(({ type }) => type === "tool.started")).toBe(defaultAction === "approve");
    const { rows } = await server.rows.list("commands", { where: { run_id: run.recordId } });
    expect(rows).toMatchObject([{ by: "deadline", outcome: "done" }]);
    const approval_id = String(decided[0]?.data.approval_id);
    const late = resolveApproval(server, { approval_id, decision: "approve", by: "late" });
    await expect(late).rejects.toMatchObject({ code: "approval_resolved" });
    expect(await findingsOf(log, [run.recordId])).toEqual([]);
    await expectProjectionsRebuilt(log);
    await server.close();
  });
});
