import type { Envelope } from "@spoor/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Log } from "../../log/log.ts";
import type { StoredRun } from "../../log/records.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";
import type { Conversations } from "../conversation/conversations.ts";
import { serveRpc } from "./connection.ts";
import { createTasks } from "./tasks.ts";

type Step =
  | { do: "start"; message: string }
  | { do: "abort"; which: number }
  | { do: "finish" | "fail" | "wait" | "close" | "stop" };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("start" as const), message: fc.constantFrom("go", "refuse", " ") }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("abort" as const), which: fc.nat(40) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "fail" as const, "wait" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("close" as const, "stop" as const) }) },
);

test("whatever a client sends, every request ends exactly once, also if the server or the connection ends first", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { maxLength: 60 }),
      fc.constantFrom("cancel", "continue"),
      async (script, onClose) => {
        const played = await play([...script, { do: "wait" }], onClose);
        const { asked, ends, open, active } = played;
        for (const id of asked) expect([id, ends.get(id) ?? 0]).toEqual([id, 1]);
        expect([open, active]).toEqual([0, 0]);
      },
    ),
    { numRuns: 300 },
  );
});

/** Plays a script, ends everything that is left, and counts how often each request ended. */
async function play(script: readonly Step[], onClose: string) {
  const agents = createAgents();
  const ends = new Map<string, number>();
  const asked: string[] = [];
  let isStopping = false;
  let isClosed = false;
  let open = 0;
  const socket = {
    bufferedAmount: 0,
    isPaused: false,
    pause() {},
    resume() {},
    send(text: string) {
      if (isClosed) throw new Error("A message was sent after the connection was closed.");
      const { id, type } = JSON.parse(text);
      if (type === "chat.done" || type === "chat.error") ends.set(id, (ends.get(id) ?? 0) + 1);
    },
  };
  const log = { run: async () => undefined, task: async () => undefined } as unknown as Log;
  const rpc = serveRpc(
    {
      log,
      conversations: agents.conversations,
      tasks: createTasks(log),
      status: () => Promise.reject(new Error("unused")),
      countQueued: (change) => {
        open += change;
      },
      isStopping: () => isStopping,
    },
    socket,
  );
  const send = (message: object) => rpc.receive(JSON.stringify(message));
  const close = () => {
    if (isClosed) return;
    rpc.end("");
    isClosed = true;
    rpc.close();
  };
  for (const step of script) {
    if (isClosed) break;
    if (step.do === "start") {
      const id = `rpc_${asked.length}`;
      asked.push(id);
      send({ id, type: "chat.start", payload: { message: step.message, options: { agent: "claude", onClose } } });
    } else if (step.do === "abort")
      send({ id: "rpc_a", type: "chat.abort", payload: { requestId: `rpc_${step.which}` } });
    else if (step.do === "close") close();
    else if (step.do === "stop") {
      isStopping = true;
      close();
    } else if (step.do === "wait") await settled();
    else agents.end(step.do === "finish" ? "run.finished" : "run.failed");
  }
  // What is left is finished, one after the other.
  for (let left = 0; left <= 4 * asked.length; left += 1) {
    await settled();
    agents.end("run.finished");
  }
  await settled();
  return { asked, ends, open, active: agents.active() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Agents whose runs last until somebody ends them. `refuse` cannot be started. */
function createAgents() {
  const running = new Map<string, (type: string) => void>();
  const told = new Set<string>();
  const envelope = (run_id: string, sequence: number, type: string): Envelope =>
    ({ event_id: `evt_${run_id}${sequence}`, run_id, sequence, type, data: {} }) as unknown as Envelope;
  const conversations: Conversations = {
    async ask({ text, run_id = "" }) {
      await settled();
      if (text === "refuse") throw new TaskError("not_available", "It is not installed.");
      return { run_id } as StoredRun;
    },
    async *follow(run_id, { signal } = {}) {
      const over = Promise.withResolvers<string>();
      running.set(run_id, over.resolve);
      signal?.addEventListener("abort", () => over.resolve("left"));
      yield envelope(run_id, 0, "run.started");
      const type = told.has(run_id) ? "run.cancelled" : await over.promise;
      running.delete(run_id);
      if (type !== "left") yield envelope(run_id, 1, type);
    },
    async decide() {},
    async tell(run_id) {
      told.add(run_id);
      running.get(run_id)?.("run.cancelled");
    },
  };
  return {
    conversations,
    active: () => running.size,
    end(type: string) {
      for (const over of running.values()) over(type);
    },
  };
}
