import fc from "fast-check";
import { expect, it } from "vitest";
import { draft, newRunId } from "../../../testing/log/drafts.ts";
import { type Fault, faultyProxy } from "../../../testing/relay/proxy.ts";
import { relayed } from "../../../testing/relay/relayed.ts";
import { envelopesOf } from "../../../testing/runtime/temporary-log.ts";
import type { Log, LogDraft, Receipt, RunAppend, TapeLine } from "../../log/log.ts";
import type { ServedLog } from "./through-server.ts";

/** What a producer does, one after the other: the numbers are how many events of each of its runs, or lines of tape. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ events: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ tape: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.constant({ stranger: true as const }) },
);
type Step = { events: number[] } | { tape: number } | { stranger: true };

const fault = fc.record<Fault>({
  of: fc.constantFrom("producer", "server"),
  after: fc.nat({ max: 4_000 }).map((bytes) => bytes + HELLO),
  does: fc.constantFrom("cut", "cut", "cut", "hold"),
});
/** What is said before the first request. */
const HELLO = 60;

it("writes every event and every raw line once and in order, wherever the connection breaks", {
  timeout: 300_000,
}, async () => {
  const locally: boolean[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fault,
      // One after the other, as the recorder does, or several under way. Equal events are told apart only by their place.
      fc.boolean(),
      fc.boolean(),
      async (steps, fault, isPatient, isDull) => {
        const served = await relayed();
        const proxy = await faultyProxy(served.directory, fault);
        try {
          const silence = fault.does === "hold" ? { silenceMs: 100 } : {};
          const producer = await served.produce({ directory: proxy.directory, ...silence });
          const story = new Story(producer, served.log, isDull);
          await story.tell(steps, isPatient);
          await story.check(served.log);
          // Nothing of what the server finds when it wakes up is taken for new.
          await producer.close();
          await proxy.letGo();
          await served.service.close();
          await story.check(served.log);
          locally.push(served.opened > 0);
        } finally {
          proxy.end();
          await served.end();
        }
      },
    ),
    { numRuns: Number(process.env.SPOOR_CUTS ?? 120) },
  );
  // Both happened: the server was there to the end, and it was not.
  expect(new Set(locally).size).toBe(2);
});

/** Does what the steps say and remembers what must be there then. */
class Story {
  readonly #producer: ServedLog;
  readonly #server: Log;
  readonly #isDull: boolean;
  readonly #runs = Array.from({ length: 3 }, newRun);
  readonly #receipts: { receipt: Receipt; drafts: readonly LogDraft[] }[] = [];
  #number = 0;

  constructor(producer: ServedLog, server: Log, isDull: boolean) {
    this.#producer = producer;
    this.#server = server;
    this.#isDull = isDull;
  }

  async tell(steps: readonly Step[], isPatient: boolean): Promise<void> {
    const underWay: Promise<void>[] = [];
    for (const step of steps) {
      // A run's epoch is known once it was created.
      const mustWait = isPatient || ("events" in step && step.events.some((_, index) => !this.#runs[index]?.isCreated));
      const doing = this.#do(step);
      underWay.push(doing);
      if (mustWait) await doing;
    }
    await Promise.all(underWay);
  }

  async #do(step: Step): Promise<void> {
    if ("events" in step) return this.#append(step.events);
    const [run] = this.#runs;
    if (!run?.isCreated) return;
    if ("tape" in step) {
      const lines = Array.from({ length: step.tape }, () => line(this.#text()));
      run.tape.push(...lines);
      return this.#producer.tapes.append(run.run_id, lines);
    }
    run.strangers += 1;
    await this.#server.append([{ run_id: run.run_id, drafts: [draft("of somebody else", STRANGER)] }]);
  }

  async #append(counts: readonly number[]): Promise<void> {
    const batch = counts.map((count, index): RunAppend => {
      const run = this.#runs[index] as ToyRun;
      const drafts = Array.from({ length: count }, () => draft(this.#text(), "debug.message"));
      run.events.push(...drafts.map(({ json }) => json));
      const { run_id, isCreated, epoch } = run;
      run.isCreated = true;
      if (!isCreated) return { run_id, create: { agent: "toy", kind: "agent" }, drafts };
      return { run_id, epoch, drafts, facts: { turns: run.events.length } };
    });
    const receipts = await this.#producer.append(batch);
    for (const [index, receipt] of receipts.entries()) {
      const run = this.#runs[index] as ToyRun;
      run.epoch = receipt.epoch;
      this.#receipts.push({ receipt, drafts: batch[index]?.drafts ?? [] });
    }
  }

  #text = (): string => (this.#isDull ? "the same" : `number ${this.#number++}`);

  async check(log: Log): Promise<void> {
    for (const { run_id, isCreated, events, strangers, tape } of this.#runs) {
      if (!isCreated) continue;
      const all = await envelopesOf(log, run_id);
      expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index));
      const ours = all.filter(({ type }) => type !== STRANGER);
      expect(ours.map(({ data }) => JSON.stringify(data))).toEqual(events);
      expect(all.length - ours.length).toBe(strangers);
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

type ToyRun = ReturnType<typeof newRun>;

const newRun = () => ({
  run_id: newRunId(),
  isCreated: false,
  epoch: 0,
  events: [] as string[],
  strangers: 0,
  tape: [] as TapeLine[],
});

const STRANGER = "external.event";
const line = (text: string): TapeLine => ({ at: 1, from: "stdout", text });
