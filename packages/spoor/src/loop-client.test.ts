import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { needsBubblewrap } from "../testing/loop/held-commands.ts";
import { MODEL } from "../testing/loop/loop-server.ts";
import { serveModel } from "../testing/loop/model-server.ts";
import { envelopesOf } from "../testing/runtime/temporary-log.ts";
import { createClient } from "./client.ts";
import { openLog } from "./log/open.ts";
import { workerIdOf } from "./runtime/worker.ts";

function folder(): string {
  const made = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-loop-client-")));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const tour = { agent: "loop", model: "demo/tour", prompt: "Write a greeting.", sandbox: "none" } as const;

test("a program runs the loop as any agent: it iterates, answers, reads the result and continues", async () => {
  const cwd = folder();
  const run = createClient().run({ ...tour, cwd, approve: "ask" });
  const types = new Set<string>();
  run.on("approval_request", ({ interactionId }) => void run.approve(interactionId));
  for await (const { type } of run) types.add(type);
  const result = await run;
  expect(result).toMatchObject({ exitReason: "completed", agent: "loop", turnCount: 8 });
  expect(result.text).toContain("`greet.sh` now greets the world");
  expect(result.cost?.totalUsd).toBeGreaterThan(0);
  for (const type of ["session_start", "text_delta", "approval_granted", "file_patch", "shell_exit", "subagent_spawn"])
    expect(types).toContain(type);
  const next = await run.continue("And now?");
  expect(next).toMatchObject({ exitReason: "completed", turnCount: 1 });
  expect(next.text).toContain("My script ends here.");
}, 60_000);

test("a refusal ends the run, and its result says so", async () => {
  const run = createClient().run({ ...tour, cwd: folder(), onApprovalRequest: () => "deny" });
  expect(await run).toMatchObject({ exitReason: "failed", error: { code: "APPROVAL_REJECTED" } });
});

test("a recorded run has the id under which the program knows it", async () => {
  const directory = folder();
  const run = createClient({ record: directory }).run({ ...tour, cwd: folder(), approve: "auto" });
  expect((await run).exitReason).toBe("completed");
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  expect(await log.run(run.recordId)).toMatchObject({ status: "completed", agent: "loop", kind: "agent_loop" });
});

describe("where bubblewrap works", () => {
  needsBubblewrap();

  test("a program chooses what holds the commands, and the recorded run says it", async () => {
    const directory = folder();
    const run = createClient({ record: directory }).run({ ...tour, sandbox: "bwrap", cwd: folder(), approve: "auto" });
    expect((await run).exitReason).toBe("completed");
    const log = await openLog({ directory });
    onTestFinished(() => log.close());
    const commands = (await envelopesOf(log, run.recordId)).filter(({ type }) => type === "tool.shell.command");
    expect(commands.map(({ data }) => data.sandbox_layer)).toEqual(["bwrap", "bwrap"]);
  }, 60_000);
});

test("a run that this process cannot perform ends with the reason", async () => {
  const log = await openLog({ directory: folder() });
  onTestFinished(() => log.close());
  vi.spyOn(log.queue, "claim").mockRejectedValue(new Error("The disk is full."));
  const run = createClient({ record: log }).run({ ...tour, cwd: folder(), approve: "auto" });
  expect(await run).toMatchObject({ exitReason: "failed", error: { message: "The disk is full." } });
});

test("an aborted run is over at once", async () => {
  const run = createClient().run({ ...tour, cwd: folder(), approve: "ask" });
  run.on("approval_request", () => run.abort());
  expect((await run).exitReason).toBe("aborted");
});

test("a run without a key throws before it starts, and names the variable", () => {
  const environment = { HOME: folder() };
  const options = { ...tour, cwd: folder(), environment, model: "openai/gpt-5" };
  expect(() => createClient().run(options)).toThrow("Set OPENAI_API_KEY");
});

const asks = { agent: "loop", model: MODEL, prompt: "Do it.", sandbox: "none", approve: "ask" } as const;

/** A model that calls one command, and repeats what it is told of it. */
async function scripted() {
  const model = await serveModel((messages) =>
    messages.at(-1)?.role === "tool"
      ? { text: messages.at(-1)?.content ?? "" }
      : { calls: [{ name: "shell_exec", input: { command: "echo hi" } }] },
  );
  for (const [name, value] of Object.entries(model.environment)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("a model is told of a refusal and goes on, if the program says so", async () => {
  await scripted();
  const run = createClient().run({ ...asks, cwd: folder(), onReject: "continue" });
  run.on("approval_request", ({ interactionId }) => void run.deny(interactionId, "Not today."));
  expect(await run).toMatchObject({ exitReason: "completed", turnCount: 2 });
  expect((await run).text).toMatch(/ rejected this call\. Not today\.$/);
});

test("a run that waits for an answer ends when its time is over", async () => {
  await scripted();
  const run = createClient().run({ ...asks, cwd: folder(), timeout: 6_000 });
  expect(await run).toMatchObject({ exitReason: "failed", error: { code: "APPROVAL_TIMED_OUT" } });
}, 60_000);

test("many clients share one temporary log, and what a killed program left is removed", async () => {
  await scripted();
  const temporary = folder();
  vi.stubEnv("TMPDIR", temporary);
  const left = path.join(temporary, "spoor-unrecorded-left");
  mkdirSync(left);
  writeFileSync(path.join(left, "owner"), workerIdOf(process.pid, "another start"));
  const before = process.listenerCount("exit");
  // Another data directory than in the other tests has its own temporary log.
  vi.stubEnv("SPOOR_HOME", path.join(temporary, "data"));
  for (let count = 0; count < 3; count++) await createClient().run({ ...asks, cwd: folder(), approve: "auto" });
  expect(readdirSync(temporary).filter((name) => name.startsWith("spoor-unrecorded-"))).toHaveLength(1);
  expect(existsSync(left)).toBe(false);
  expect(process.listenerCount("exit") - before).toBeLessThanOrEqual(1);
}, 60_000);
