import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toy } from "../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf, temporaryLog } from "../testing/runtime/temporary-log.ts";
import type { Dialect, LiveDialect } from "./agents/machine.ts";
import { createClient } from "./client.ts";
import { followEnvelopes } from "./log/envelopes.ts";
import type { Log } from "./log/log.ts";
import { openLog } from "./log/open.ts";
import type { RecordingError } from "./runtime/recorder/recording-error.ts";
import { serve } from "./server/serving/serve.ts";

it("records every run into a log, which can be followed while the agent works", async () => {
  const { log } = temporaryLog();
  const run = createClient({ adapters: [toy], record: log }).run({ agent: "toy", prompt: "say hello" });
  const types: string[] = [];
  for await (const { type } of followEnvelopes(log, { run_id: run.recordId })) types.push(type);
  expect([types[0], types.at(-1)]).toEqual(["run.created", "run.finished"]);
  expect((await run).text).toBe("hello ");
  expect(await findingsOf(log, [run.recordId])).toEqual([]);
});

it("has recorded a run to its end when its result resolves", async () => {
  const { log } = temporaryLog();
  const run = createClient({ adapters: [toy], record: log }).run({ agent: "toy", prompt: "say hello" });
  await run;
  expect(await log.run(run.recordId)).toMatchObject({ status: "completed", agent: "toy", has_tape: true });
  const last: string[] = [];
  for await (const { from } of log.tapes.read(run.recordId)) last.push(from);
  expect(last.at(-1)).toBe("exit");
});

it("records a run that continues another one", async () => {
  const { log } = temporaryLog();
  const run = createClient({ adapters: [toy], record: log }).run({ agent: "toy", prompt: "say hello" });
  await run;
  const next = run.continue("say more");
  await next;
  expect(await log.run(next.recordId)).toMatchObject({ status: "completed", prior_run_id: run.recordId });
});

it("passes everything to an observer of the caller as well", async () => {
  const { log } = temporaryLog();
  const seen: string[] = [];
  const client = createClient({ adapters: [toy], record: log });
  const run = client.run(
    { agent: "toy", prompt: "say hello" },
    {
      onStart: ({ runId }) => void seen.push(runId),
      onEvent() {
        throw new Error("a bug of the caller");
      },
      onEnd: () => void seen.push("end"),
    },
  );
  await run;
  expect(seen).toEqual([run.runId, "end"]);
  expect((await envelopesOf(log, run.recordId)).at(-1)?.type).toBe("run.finished");
});

it("records into a data directory, and closes its log when no run is left", async () => {
  const directory = temporaryDirectory();
  const client = createClient({ adapters: [toy], record: { to: directory, task_id: "task_of_the_caller" } });
  const runs = ["one", "two"].map((word) => client.run({ agent: "toy", prompt: `say ${word}` }));
  await Promise.all(runs);
  await client.run({ agent: "toy", prompt: "say three" });
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  const recorded = (await log.runs({ task_id: "task_of_the_caller" })).runs;
  expect(recorded.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
});

it("records into a data directory through the server that runs on it", async () => {
  const directory = temporaryDirectory();
  const server = await serve({ directory, port: 0 });
  onTestFinished(() => server.close());
  const run = createClient({ adapters: [toy], record: directory }).run({ agent: "toy", prompt: "say hello" });
  await run;
  expect(await server.log.run(run.recordId)).toMatchObject({ status: "completed" });
});

it("serves a data directory after a port that is no port was refused", async () => {
  const directory = temporaryDirectory();
  for (const port of ["http" as unknown as number, 65_536, -1, 1.5]) {
    await expect(serve({ directory, port })).rejects.toThrow("port must be a whole number from 0 to 65535, not ");
  }
  const server = await serve({ directory, port: 0 });
  onTestFinished(() => server.close());
  expect(server.url).toMatch(/^http:/);
});

it("starts no agent whose run cannot be recorded, and says why", async () => {
  const file = path.join(temporaryDirectory(), "not-a-directory");
  writeFileSync(file, "");
  const failures: RecordingError[] = [];
  const record = { to: file, onFailure: (failure: RecordingError) => void failures.push(failure) };
  const result = await createClient({ adapters: [toy], record }).run({ agent: "toy", prompt: "say hello" });
  expect([result.exitReason, result.text, failures.length]).toEqual(["crashed", "", 1]);
  expect(result.error?.message).toContain("The run is no longer recorded");
  const unrecorded = createClient({ adapters: [toy], record: { ...record, ifUnrecorded: "continue" } });
  expect((await unrecorded.run({ agent: "toy", prompt: "say hello" })).text).toBe("hello ");
});

it("closes the recorded run when the adapter throws instead of starting the agent", async () => {
  const { log } = temporaryLog();
  const [dialect] = toy.dialects as [Dialect & { live: LiveDialect }];
  const launch = () => {
    throw new Error("no idea how");
  };
  const broken = { ...toy, dialects: [{ ...dialect, live: { ...dialect.live, launch } }] };
  const client = createClient({ adapters: [broken], record: log });
  expect(() => client.run({ agent: "toy", prompt: "say hello" })).toThrow("no idea how");
  await expect.poll(async () => (await log.runs()).runs.map(({ status }) => status)).toEqual(["failed"]);
});

it("refuses to record into what is neither a log nor a data directory", () => {
  for (const record of [5, "", {}, { to: undefined }, null]) {
    const refusal = expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: expect.stringMatching(/^record must /),
    });
    expect(() => createClient({ record: record as unknown as Log })).toThrow(refusal);
  }
  for (const record of [false, undefined]) expect(createClient({ record } as object)).toBeDefined();
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "spoor-client-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
