import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient } from "./client.ts";
import { openLog } from "./log/open.ts";

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
}, 30_000);

test("a recorded run has the id under which the program knows it", async () => {
  const directory = folder();
  const run = createClient({ record: directory }).run({ ...tour, cwd: folder(), approve: "auto" });
  expect((await run).exitReason).toBe("completed");
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  expect(await log.run(run.recordId)).toMatchObject({ status: "completed", agent: "loop", kind: "agent_loop" });
}, 30_000);

test("a run that this process cannot perform ends with the reason", async () => {
  const log = await openLog({ directory: folder() });
  onTestFinished(() => log.close());
  vi.spyOn(log.queue, "claim").mockRejectedValue(new Error("The disk is full."));
  const run = createClient({ record: log }).run({ ...tour, cwd: folder(), approve: "auto" });
  expect(await run).toMatchObject({ exitReason: "failed", error: { message: "The disk is full." } });
}, 30_000);

test("an aborted run is over at once", async () => {
  const run = createClient().run({ ...tour, cwd: folder(), approve: "ask" });
  run.on("approval_request", () => run.abort());
  expect((await run).exitReason).toBe("aborted");
}, 30_000);

test("a run without a key throws before it starts, and names the variable", () => {
  const environment = { HOME: folder() };
  const options = { ...tour, cwd: folder(), environment, model: "openai/gpt-5" };
  expect(() => createClient().run(options)).toThrow("Set OPENAI_API_KEY");
});
