import { describe, expect, it, vi } from "vitest";
import { allGone } from "../../../testing/process/pids.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { startIn } from "../../../testing/runtime/three-places.ts";
import type { Log } from "../../log/log.ts";
import { Caretaker } from "../caretaker.ts";
import { CANCEL_MS } from "./carry-out.ts";

const WAIT = { timeout: 30_000, interval: 30 };

const eventsOf = async (log: Log, run_id: string, pattern: RegExp) =>
  (await envelopesOf(log, run_id)).filter(({ type }) => pattern.test(type));

const pendingOf = (log: Log, run_id: string) =>
  vi.waitFor(async () => {
    const [row] = (await log.rows.list("approvals", { where: { run_id, status: "pending" } })).rows;
    if (!row) throw new Error("Nothing is pending.");
    return row.approval_id;
  }, WAIT);

const ends = /^run\.(finished|failed|cancelled)$/;

describe("a command for a run whose process", { timeout: 120_000 }, () => {
  it("does not take it ends the run anyway if it is a cancel, and the process can write nothing more", async () => {
    const column = { place: "through a server", by: "the command line" } as const;
    const { log, run_id, spoor, pids, terminal } = await startIn(column, { prompt: "ask hang" });
    const tree = await pids();
    await pendingOf(log, run_id);
    terminal?.child.kill("SIGSTOP");
    const sent = await spoor("cancel", run_id, "-m", "Enough.", "--no-wait");
    expect(sent).toMatchObject({ code: 0, text: expect.stringContaining("is not done yet") });
    const round = async (ahead: number) => {
      const caretaker = new Caretaker(log, { now: () => Date.now() + ahead });
      await caretaker.round();
      await caretaker.close();
    };
    await round(0);
    expect(await log.run(run_id)).toMatchObject({ status: "awaiting_approval", cancelling: true });
    await round(CANCEL_MS);
    await allGone(tree);
    expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
    const before = await envelopesOf(log, run_id);
    terminal?.child.kill("SIGCONT");
    await terminal?.exited;
    expect(await envelopesOf(log, run_id)).toEqual(before);
    const told = { by: expect.stringMatching(/^cli:/), reason: "Enough." };
    expect(await eventsOf(log, run_id, ends)).toMatchObject([{ type: "run.cancelled", data: told }]);
    const { rows } = await log.rows.list("commands", { where: { run_id } });
    expect(rows).toMatchObject([{ kind: "cancel", outcome: "done" }]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("is gone is refused, the run is recovered, and its approval is gone", async () => {
    const column = { place: "through a server", by: "HTTP" } as const;
    const { log, run_id, spoor, tell, pids, terminal } = await startIn(column, { prompt: "ask hang" });
    const tree = await pids();
    const approval_id = await pendingOf(log, run_id);
    terminal?.child.kill("SIGSTOP");
    expect(await spoor("interrupt", run_id, "--no-wait")).toMatchObject({ code: 0 });
    terminal?.child.kill("SIGKILL");
    await terminal?.exited;
    const answer = await tell("approve", { id: approval_id });
    expect(answer).toMatchObject({ status: 410, text: expect.stringContaining("approval_gone") });
    expect(await spoor("approve", approval_id)).toMatchObject({
      code: 1,
      text: expect.stringContaining("no longer be"),
    });
    expect(await tell("pause")).toMatchObject({ status: 409, text: expect.stringContaining("run_over") });
    await allGone(tree);
    const { rows } = await log.rows.list("commands", { where: { run_id } });
    expect(rows).toMatchObject([
      { kind: "interrupt", outcome: "refused", detail: expect.stringContaining("run_over") },
    ]);
    expect(await eventsOf(log, run_id, /^gap\.run_disconnected$/)).toHaveLength(1);
    expect(await eventsOf(log, run_id, ends)).toMatchObject([{ type: "run.failed" }]);
    expect(await findingsOf(log, [run_id])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });

  it("is gone and was replaced names the run that took over", async () => {
    const column = { place: "detached", by: "HTTP" } as const;
    const { log, run_id, tell, pids } = await startIn(column, {
      ...{ prompt: "ask", task: { recover: "resume" } },
    });
    const [agent = 0] = await pids();
    const approval_id = await pendingOf(log, run_id);
    const worker = (await log.run(run_id))?.worker_id ?? "";
    process.kill(Number(worker.split("/")[2]), "SIGKILL");
    await allGone([agent]);
    const next = await vi.waitFor(
      async () => {
        const { runs } = await log.runs({ limit: 10 });
        const found = runs.find((run) => run.prior_run_id === run_id);
        if (!found) throw new Error("No run took over.");
        return found.run_id;
      },
      { timeout: 60_000, interval: 50 },
    );
    const answer = await tell("approve", { id: approval_id });
    expect(answer).toMatchObject({ status: 410, text: expect.stringContaining(`${next} took over`) });
    expect(JSON.parse(answer.text).error.conflict).toMatchObject({ successor_run_id: next });
    await vi.waitFor(async () => expect(await log.run(next)).toMatchObject({ status: "completed" }), WAIT);
    expect(await findingsOf(log, [run_id, next])).toEqual([]);
    await expectProjectionsRebuilt(log);
  });
});
