import { describe, expect, it, vi } from "vitest";
import { allGone, stateOf, until } from "../../../testing/process/pids.ts";
import { expectProjectionsRebuilt } from "../../../testing/runtime/projections.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { columns, startIn } from "../../../testing/runtime/three-places.ts";
import type { Log } from "../../log/log.ts";

const WAIT = { timeout: 30_000, interval: 30 };

const dataOf = async (log: Log, run_id: string, type: string): Promise<Record<string, unknown>[]> =>
  (await envelopesOf(log, run_id)).filter((event) => event.type === type).map(({ data }) => data);

/** Waits until the run has written an event of this type, and returns the data of the newest. */
const event = (log: Log, run_id: string, type: string) =>
  vi.waitFor(async () => {
    const found = (await dataOf(log, run_id, type)).at(-1);
    if (!found) throw new Error(`There is no ${type}.`);
    return found;
  }, WAIT);

const isTerminal = /^run\.(finished|failed|cancelled)$/;

/** Expects one terminal event, one outcome per command, events that keep the contract, and rows that the events give. */
async function expectWhole(log: Log, run_id: string, outcomes: readonly string[]): Promise<void> {
  await vi.waitFor(async () => expect(await log.run(run_id)).toHaveProperty("ended_at"), WAIT);
  const settled = () => log.rows.list("commands", { where: { run_id }, order: "created_at" });
  await vi.waitFor(
    async () => expect((await settled()).rows.every(({ done_at }) => done_at !== null)).toBe(true),
    WAIT,
  );
  expect((await settled()).rows.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual(outcomes);
  const types = (await envelopesOf(log, run_id)).map(({ type }) => type);
  expect(types.filter((type) => isTerminal.test(type))).toHaveLength(1);
  expect(await findingsOf(log, [run_id])).toEqual([]);
  await expectProjectionsRebuilt(log);
}

describe.each(columns)("a run ($place), told by $by", { timeout: 180_000 }, (column) => {
  const by = column.by === "HTTP" ? "http" : expect.stringMatching(/^cli:./);

  it("is approved, answered, given another prompt, paused, unpaused and cancelled", async () => {
    const { log, run_id, tell, pids, terminal } = await startIn(column, { prompt: "ask question hang" });
    const tree = await pids();
    const { approval_id } = await event(log, run_id, "approval.requested");
    expect(await tell("approve", { id: String(approval_id) })).toMatchObject({ isDone: true });
    expect(await dataOf(log, run_id, "approval.resolved")).toMatchObject([{ by, status: "approved", scope: "once" }]);
    const late = await tell("deny", { id: String(approval_id) });
    expect(late).toMatchObject({ isDone: false, text: expect.stringMatching(/already approved by (http|cli:)/) });
    if (late.status !== undefined) expect(late.status).toBe(409);

    const { interaction_id } = await event(log, run_id, "input.requested");
    const id = column.by === "HTTP" ? String(interaction_id) : run_id;
    expect(await tell("answer", { id, text: "Blue." })).toMatchObject({ isDone: true });
    expect(await dataOf(log, run_id, "user.message")).toMatchObject([{}, { via: "answer", interaction_id, by }]);

    expect(await tell("send", { text: "later" })).toMatchObject({ isDone: true });
    expect((await dataOf(log, run_id, "user.message")).at(-1)).toMatchObject({ via: "send", by });

    expect(await tell("pause", { key: "first" })).toMatchObject({ isDone: true });
    // The system stops a process that is just running a moment after the signal.
    await until(() => tree.every((pid) => stateOf(pid) === "T"));
    expect(await log.run(run_id)).toMatchObject({ paused: true });
    if (column.by === "HTTP") expect(await tell("pause", { key: "first" })).toMatchObject({ isDone: true });
    expect(await tell("pause")).toMatchObject({ isDone: false, text: expect.stringContaining("paused already") });
    expect(await dataOf(log, run_id, "run.paused")).toMatchObject([{ by }]);
    expect(await tell("unpause")).toMatchObject({ isDone: true });
    await until(() => tree.every((pid) => stateOf(pid) !== "T"));

    expect(await tell("cancel", { reason: "Enough." })).toMatchObject({ isDone: true });
    await allGone(tree);
    await terminal?.exited;
    const told = { by, reason: "Enough." };
    await expectWhole(log, run_id, [
      ...["approve done", "answer done", "send done", "pause done", "pause refused", "unpause done", "cancel done"],
    ]);
    expect(await dataOf(log, run_id, "run.cancelled")).toMatchObject([told]);
    expect(await log.run(run_id)).toMatchObject({ status: "cancelled" });
    const over = await tell("pause");
    expect(over).toMatchObject({ isDone: false, text: expect.stringContaining("is over") });
    if (over.status !== undefined)
      expect(over).toMatchObject({ status: 409, text: expect.stringContaining("run_over") });
  });

  it("is refused and interrupted", async () => {
    const { log, run_id, tell, pids, terminal } = await startIn(column, { prompt: "ask hang" });
    const tree = await pids();
    const { approval_id } = await event(log, run_id, "approval.requested");
    expect(await tell("deny", { id: String(approval_id), reason: "Not today." })).toMatchObject({ isDone: true });
    const resolved = { by, status: "rejected", comment: "Not today." };
    expect(await dataOf(log, run_id, "approval.resolved")).toMatchObject([resolved]);
    await vi.waitFor(async () => {
      const said = (await dataOf(log, run_id, "assistant.text_complete")).map(({ text }) => text);
      expect(said).toContain("refused: Not today.");
    }, WAIT);
    expect(await tell("interrupt")).toMatchObject({ isDone: true });
    await allGone(tree);
    await terminal?.exited;
    await expectWhole(log, run_id, ["deny done", "interrupt done"]);
    expect(await dataOf(log, run_id, "run.interrupted")).toMatchObject([{ by }]);
    expect(await dataOf(log, run_id, "policy.tool_blocked")).toEqual([]);
  });

  it("refuses another prompt if its agent takes only one", async () => {
    const agent = { agent: "gemini", program: "silent-gemini.mjs", prompt: "Hello.", approve: "auto" };
    const { log, run_id, tell, terminal } = await startIn(column, { ...agent, dialect: "stream-json" });
    const refused = await tell("send", { text: "More." });
    expect(refused).toMatchObject({ isDone: false });
    if (refused.status !== undefined) {
      expect(refused).toMatchObject({ status: 409, text: expect.stringContaining("not_supported") });
    }
    expect(await tell("cancel")).toMatchObject({ isDone: true });
    await terminal?.exited;
    await expectWhole(log, run_id, ["send refused", "cancel done"]);
    expect(await dataOf(log, run_id, "run.cancelled")).toMatchObject([{ by }]);
  });
});
