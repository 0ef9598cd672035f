import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { startRun, type TestRun } from "../../../testing/server/serve.ts";
import { quickPace, TEST_SECRET } from "../../../testing/webhooks/quick-pace.ts";
import { type Behaviour, createReceiver, sequencesByRun } from "../../../testing/webhooks/receiver.ts";
import { openLogSync } from "../../log/open.ts";
import { startWebhooks, type Webhooks } from "./webhooks.ts";

/** Whoever delivers, and two ways in which it ends and begins again. */
interface Deliverer {
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Begin = (place: { directory: string; url: string; log: ReturnType<typeof openLogSync> }) => Promise<Deliverer>;

/** Deliveries in this process, which are stopped in good order. */
const inProcess: Begin = async ({ directory, url, log }) => {
  const start = () =>
    startWebhooks({
      log,
      directory,
      urls: [url],
      types: ["run.*"],
      secrets: { place: "a test", read: async () => [TEST_SECRET] },
      onNotice: () => {},
      pace: { ...quickPace, timeout: 200, mostRuns: 2, concurrency: 2 },
    });
  let webhooks: Webhooks = await start();
  return {
    async restart() {
      await webhooks.close();
      webhooks = await start();
    },
    close: () => webhooks.close(),
  };
};

const program = fileURLToPath(new URL("../../../testing/webhooks/programs/deliver.ts", import.meta.url));

/** Deliveries in a process of their own, which is killed. */
const killed: Begin = async ({ directory, url }) => {
  const start = async (): Promise<ChildProcess> => {
    const argv = ["--conditions=spoor-source", program, directory, url];
    const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    return child;
  };
  const kill = async (child: ChildProcess) => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  let child = await start();
  return {
    async restart() {
      await kill(child);
      child = await start();
    },
    close: () => kill(child),
  };
};

type Step =
  | { do: "record"; run: number; events: number }
  | { do: "misbehave"; how: Behaviour; times: number }
  | { do: "refuse" | "listen" | "restart" }
  | { do: "wait"; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("record" as const),
      run: fc.nat(4),
      events: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("misbehave" as const),
      how: fc.constantFrom<Behaviour>("hang", "cut", 301, 400, 429, 500, 503),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("refuse" as const, "listen" as const, "restart" as const) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(40) }) },
);

/** Plays the steps, then lets everything recover, and compares what arrived with the log. */
async function play(steps: readonly Step[], begin: Begin): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "spoor-deliveries-"));
  const log = openLogSync({ directory, durability: "process" });
  const receiver = await createReceiver(() => TEST_SECRET);
  const deliverer = await begin({ directory, url: receiver.url, log });
  const runs = new Map<number, TestRun>();
  const expected: Record<string, number[]> = {};
  try {
    for (const one of steps) {
      if (one.do === "refuse") await receiver.refuse();
      else if (one.do === "listen") await receiver.listen();
      else if (one.do === "restart") await deliverer.restart();
      else if (one.do === "wait") await new Promise((resolve) => setTimeout(resolve, one.ms));
      else if (one.do === "misbehave") {
        let left = one.times;
        receiver.behave(() => (left-- > 0 ? one.how : 204));
      } else {
        const run = runs.get(one.run) ?? (await startRun(log, 1));
        const sequences = expected[run.run_id] ?? [0];
        for (let count = 0; count < one.events; count++) {
          // Two deltas, which were not chosen, and an event that was.
          const { last_sequence } = await run.add(2, "run.paused");
          sequences.push(last_sequence);
        }
        runs.set(one.run, run);
        expected[run.run_id] = sequences;
      }
    }
    await receiver.listen();
    receiver.behave(() => 204);
    await vi.waitFor(() => expect(sequencesByRun(receiver.accepted())).toEqual(expected), {
      timeout: 20_000,
      interval: 10,
    });
    // An event and its double have the same id, and no id stands for two events.
    const ids = new Map(receiver.requests.map(({ id, event }) => [id, event.id]));
    for (const { id, event } of receiver.requests) expect(ids.get(id)).toBe(event.id);
    expect(new Set(ids.values()).size).toBe(ids.size);
  } finally {
    await deliverer.close();
    await receiver.close();
    await log.close();
    await rm(directory, { recursive: true, maxRetries: 5 });
  }
}

it("delivers each chosen event at least once and in the order of its run, whatever the receiver does", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), (steps) => play(steps, inProcess)),
    { numRuns: 12, endOnFailure: true },
  );
});

/** Two runs are held up, and the cursor was probably saved since. */
const heldUp: readonly Step[] = [
  { do: "misbehave", how: "hang", times: 4 },
  { do: "record", run: 0, events: 3 },
  { do: "record", run: 1, events: 3 },
  { do: "wait", ms: 300 },
];

it("does so, too, if its process is killed at any time", { timeout: 120_000 }, async () => {
  const withKills = fc
    .tuple(fc.array(step, { minLength: 4, maxLength: 10 }), fc.array(step, { minLength: 4, maxLength: 10 }))
    .map(([before, after]): Step[] => [...before, ...heldUp, { do: "restart" }, ...after]);
  await fc.assert(
    fc.asyncProperty(withKills, (steps) => play(steps, killed)),
    { numRuns: 3, endOnFailure: true },
  );
});
