import fc from "fast-check";
import { expect, it } from "vitest";
import { draft, newRunId } from "../../../testing/log/drafts.ts";
import { type Fault, faultyProxy } from "../../../testing/relay/faulty-proxy.ts";
import { serveLog } from "../../../testing/relay/serve-log.ts";
import { envelopesOf } from "../../../testing/runtime/temporary-log.ts";
import type { Effect } from "../../log/effects.ts";
import type { AppendReceipt, Log, LogDraft, RunAppend, TapeLine } from "../../log/log.ts";
import type { RelayedLog } from "./relayed-log.ts";

/** The steps of a producer, in order. The numbers are counts of events for each of its runs, or of tape lines. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ events: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ tape: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ otherCaller: true as const }) },
  { weight: 2, arbitrary: fc.constant({ rows: true as const }) },
);
type Step = { events: number[] } | { tape: number } | { otherCaller: true } | { rows: true };

const fault = fc.record<Fault>({
  of: fc.constantFrom("producer", "server"),
  after: fc.nat({ max: 4_000 }).map((bytes) => bytes + HELLO),
  does: fc.constantFrom("cut", "cut", "cut", "hold"),
});
/** Bytes of the greeting, before the first append. */
const HELLO = 60;

it("stores every event, every effect and every raw line once and in order, wherever the connection breaks", {
  timeout: 300_000,
}, async () => {
  const openedLocally: boolean[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fault,
      // One append at a time, as the recorder does, or several at once. Equal events show that contents are not compared.
      fc.boolean(),
      fc.boolean(),
      async (steps, fault, oneAtATime, equalTexts) => {
        const served = await serveLog();
        const proxy = await faultyProxy(served.directory, fault);
        try {
          const silence = fault.does === "hold" ? { silenceMs: 100 } : {};
          const producer = await served.produce({ directory: proxy.directory, ...silence });
          const scenario = new Scenario(producer, served.log, equalTexts);
          await scenario.carryOut(steps, oneAtATime);
          await scenario.check(served.log);
          // The server, when it wakes up, handles the held requests and must store nothing a second time.
          await producer.close();
          await proxy.release();
          await served.service.close();
          await scenario.check(served.log);
          openedLocally.push(served.opened > 0);
        } finally {
          proxy.end();
          await served.end();
        }
      },
    ),
    { numRuns: Number(process.env.SPOOR_CUTS ?? 120) },
  );
  // In some cases the server answered every request, in others the producer had to open the log.
  expect(new Set(openedLocally).size).toBe(2);
});

/** Carries out the steps, and remembers what the log must hold afterwards. */
class Scenario {
  readonly #producer: RelayedLog;
  readonly #server: Log;
  readonly #equalTexts: boolean;
  readonly #runs = Array.from({ length: 3 }, newRun);
  readonly #receipts: { receipt: AppendReceipt; drafts: readonly LogDraft[] }[] = [];
  #number = 0;
  /** How often effects were made, for each path of a workspace. */
  readonly #generations = new Map<string, number>();

  constructor(producer: RelayedLog, server: Log, equalTexts: boolean) {
    this.#producer = producer;
    this.#server = server;
    this.#equalTexts = equalTexts;
  }

  async carryOut(steps: readonly Step[], oneAtATime: boolean): Promise<void> {
    const running: Promise<void>[] = [];
    for (const step of steps) {
      // A run's epoch is known only after its creation.
      const mustWait =
        oneAtATime || ("events" in step && step.events.some((_, index) => !this.#runs[index]?.isCreated));
      const doing = this.#do(step);
      running.push(doing);
      if (mustWait) await doing;
    }
    await Promise.all(running);
  }

  async #do(step: Step): Promise<void> {
    if ("events" in step) return this.#append(step.events);
    if ("rows" in step) return this.#producer.rows.write(this.#effects("/rows"));
    const [run] = this.#runs;
    if (!run?.isCreated) return;
    if ("tape" in step) {
      const lines = Array.from({ length: step.tape }, () => line(this.#text()));
      run.tape.push(...lines);
      return this.#producer.tapes.append(run.run_id, lines);
    }
    run.otherCallers += 1;
    await this.#server.append([{ run_id: run.run_id, drafts: [draft("from another caller", OTHER_CALLER)] }]);
  }

  async #append(counts: readonly number[]): Promise<void> {
    const batch = counts.map((count, index): RunAppend => {
      const run = this.#runs[index] as TestRun;
      const drafts = Array.from({ length: count }, () => draft(this.#text(), "debug.message"));
      run.events.push(...drafts.map(({ json }) => json));
      const { run_id, isCreated, epoch } = run;
      run.isCreated = true;
      if (!isCreated) return { run_id, create: { agent: "toy", kind: "agent" }, drafts };
      const [turns, when] = [run.events.length, { turns: run.turns }];
      run.turns = turns;
      return { run_id, epoch, drafts, when, facts: { turns }, effects: this.#effects(run_id) };
    });
    const receipts = await this.#producer.append(batch);
    for (const [index, receipt] of receipts.entries()) {
      const run = this.#runs[index] as TestRun;
      run.epoch = receipt.epoch;
      this.#receipts.push({ receipt, drafts: batch[index]?.drafts ?? [] });
    }
  }

  /** One row more, and a guarded step: done a second time, either would be a conflict. */
  #effects(path: string): Effect[] {
    const generation = this.#generations.get(path) ?? 0;
    this.#generations.set(path, generation + 1);
    const bytes = new Uint8Array([generation, 0, 255]);
    const first: Effect = { do: "insert", table: "workspaces", row: { path, generation: 1 } };
    const next = { do: "update", table: "workspaces", key: path, when: { generation } } as const;
    return [
      { do: "insert", table: "blobs", row: { sha256: `${path} ${generation}`, size: 3, bytes } },
      generation === 0 ? first : { ...next, set: { generation: generation + 1 } },
    ];
  }

  #text = (): string => (this.#equalTexts ? "the same" : `number ${this.#number++}`);

  async check(log: Log): Promise<void> {
    const { rows: blobs } = await log.rows.list("blobs", { limit: 1_000 });
    expect(blobs).toHaveLength([...this.#generations.values()].reduce((sum, count) => sum + count, 0));
    for (const { sha256, bytes } of blobs) expect(bytes?.[0]).toBe(Number(sha256.split(" ")[1]));
    for (const [path, generation] of this.#generations)
      expect(await log.rows.find("workspaces", path)).toMatchObject({ generation });
    for (const { run_id, isCreated, events, otherCallers, tape } of this.#runs) {
      if (!isCreated) continue;
      const all = await envelopesOf(log, run_id);
      expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index));
      const ours = all.filter(({ type }) => type !== OTHER_CALLER);
      expect(ours.map(({ data }) => JSON.stringify(data))).toEqual(events);
      expect(all.length - ours.length).toBe(otherCallers);
      const lines: TapeLine[] = [];
      for await (const line of log.tapes.read(run_id)) lines.push(line);
      expect(lines).toEqual(tape);
      for (const { receipt, drafts } of this.#receipts.filter(({ receipt }) => receipt.run_id === run_id)) {
        const { first_sequence, last_sequence } = receipt;
        const there = all.slice(first_sequence, last_sequence + 1).map(({ data }) => JSON.stringify(data));
        expect(there).toEqual(drafts.map(({ json }) => json));
      }
      for await (const { damage } of log.upkeep.verify(run_id)) expect(damage).toEqual([]);
    }
  }
}

type TestRun = ReturnType<typeof newRun>;

const newRun = () => ({
  run_id: newRunId(),
  isCreated: false,
  epoch: 0,
  turns: 0,
  events: [] as string[],
  otherCallers: 0,
  tape: [] as TapeLine[],
});

const OTHER_CALLER = "external.event";
const line = (text: string): TapeLine => ({ at: 1, from: "stdout", text });
