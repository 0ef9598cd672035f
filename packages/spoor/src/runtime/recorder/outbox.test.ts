import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AppendReceipt, TapeLine } from "../../log/log.ts";
import { Outbox } from "./outbox.ts";
import type { RecorderLog } from "./recorder-log.ts";

const run_id = "run_01K9ZC0000SP00R00000000000";
const create = { agent: "claude", kind: "agent" };
const draft = (note: string) => ({ type: "debug.message", timestamp: 1, json: note });
const line = (text: string): TapeLine => ({ at: 1, from: "stdout", text });
const large = line("x".repeat(300 * 1024));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the outbox", () => {
  it("writes events and raw lines soon", async () => {
    const { outbox, written } = outboxTo({ takesMs: 0 });
    outbox.add(run_id, { create, drafts: [draft("created")] });
    outbox.addTape(run_id, [line("one")]);
    await vi.advanceTimersByTimeAsync(400);
    outbox.addTape(run_id, [line("two")]);
    expect(written).toEqual(["created"]);
    await vi.advanceTimersByTimeAsync(900);
    expect(written).toEqual(["created", "one two"]);
    outbox.addTape(run_id, [line("three")]);
    await vi.advanceTimersByTimeAsync(1_300);
    expect(written).toEqual(["created", "one two", "three"]);
  });

  it("writes everything once and in order", async () => {
    const { outbox, written } = outboxTo({ takesMs: 700 });
    outbox.add(run_id, { create, drafts: [draft("created")] });
    outbox.addTape(run_id, [line("one")]);
    await vi.advanceTimersByTimeAsync(1_100);
    // The first second is over, and its lines are being written.
    outbox.addTape(run_id, [line("two")]);
    const flushed = outbox.flush();
    outbox.addTape(run_id, [line("three")]);
    await done(flushed);
    await done(outbox.flush());
    expect(written).toEqual(["created", "one", "two three"]);
  });

  it("writes events that arrive while raw lines are written", async () => {
    const { outbox, written } = outboxTo({ takesMs: 50 });
    outbox.add(run_id, { create, drafts: [draft("created")] });
    await done(outbox.flush());
    outbox.addTape(run_id, [large]);
    await vi.advanceTimersByTimeAsync(10);
    outbox.add(run_id, { drafts: [draft("last")] });
    await done(outbox.flush());
    expect(written).toEqual(["created", large.text, "last"]);
  });
});

/** An outbox on a slow log, which rejects a write while another one is running. */
function outboxTo({ takesMs }: { takesMs: number }): { outbox: Outbox; written: string[] } {
  const written: string[] = [];
  let isBusy = false;
  const write = async (text: string): Promise<void> => {
    if (isBusy) throw new Error(`${text} was written while another write was running.`);
    isBusy = true;
    await new Promise((resolve) => setTimeout(resolve, takesMs));
    written.push(text);
    isBusy = false;
  };
  const log: Pick<RecorderLog, "append" | "tapes"> = {
    async append(batch) {
      await write(batch.flatMap(({ drafts }) => drafts.map(({ json }) => json)).join(" "));
      return batch.map(({ run_id }) => ({ run_id, epoch: 1 }) as AppendReceipt);
    },
    tapes: { append: (_, lines) => write(lines.map(({ text }) => text).join(" ")) },
  };
  const outbox = new Outbox(log, (error) => written.push(error.message));
  return { outbox, written };
}

async function done(work: Promise<void>): Promise<void> {
  await vi.advanceTimersByTimeAsync(10_000);
  await work;
}
