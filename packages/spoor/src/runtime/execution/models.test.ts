import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { taskRuntime } from "../../../testing/runtime/task-runtime.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import type { Adapter } from "../../agents/machine.ts";
import { createClient } from "../../client.ts";
import { openLog } from "../../log/open.ts";
import { resolveApproval } from "../approvals/resolve.ts";
import { createAndStart } from "../tasks/start.ts";

/** Starts the toy agent with a model under rules of the user. `given` are the models that the agent got. */
function start(rules: string, model: string, approve: "ask" | "auto" = "ask") {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-models-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const directory = path.join(home, "data");
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(path.join(directory, "policy.rules"), rules);
  const given: (string | undefined)[] = [];
  const listening: Adapter = {
    ...toy,
    dialects: toy.dialects.map((dialect) => ({
      ...dialect,
      ...(dialect.live && {
        live: {
          ...dialect.live,
          launch: (request, ...rest) => {
            given.push(request.model);
            return (dialect.live as NonNullable<typeof dialect.live>).launch(request, ...rest);
          },
        },
      }),
    })),
  };
  const client = createClient({ adapters: [listening], configDir: home, record: directory });
  return { given, directory, run: () => client.run({ agent: "toy", prompt: "say hi", cwd: home, model, approve }) };
}

it("a rule replaces the model before the agent starts, and the log tells it before the first turn", async () => {
  const { given, directory, run: begin } = start("rewrite model gpt-5 to=gpt-5-mini", "gpt-5");
  const run = begin();
  await run.result();
  expect(new Set(given)).toEqual(new Set(["gpt-5-mini"]));
  expect(run.model).toBe("gpt-5-mini");
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  const events = await envelopesOf(log, run.recordId);
  const types = events.map(({ type }) => type);
  const index = types.indexOf("policy.model_rewrote");
  expect(events[index]?.data).toMatchObject({ from_model: "gpt-5", to_model: "gpt-5-mini", policy_id: "user:1" });
  expect(types.slice(0, index)).toEqual(["run.created", "run.started", "user.message"]);
  expect(index).toBeLessThan(types.indexOf("turn.started"));
  expect(events[0]?.data).toMatchObject({ model: "gpt-5" });
  expect(await log.run(run.recordId)).toMatchObject({ model: "gpt-5-mini" });
  expect(await findingsOf(log, [run.recordId])).toEqual([]);
});

it("a rule that blocks a model refuses the run, also if another rule chose the model", () => {
  const rules = "rewrite model fast to=gpt-5-mini\nblock model gpt-5*";
  for (const model of ["gpt-5", "fast"]) {
    const { run, given } = start(rules, model, "auto");
    expect(run).toThrow(/A rule blocks the model gpt-5.*block model gpt-5\*.*Choose another model/);
    expect(given).toEqual([]);
  }
});

it("a rule that asks about a model refuses a run that nobody has approved, and says how it can be approved", () => {
  const { run, given } = start("ask model gpt-5", "gpt-5");
  expect(run).toThrow(
    expect.objectContaining({ code: "APPROVAL_NEEDED", message: expect.stringContaining("--detach") }),
  );
  expect(given).toEqual([]);
});

it("a model that no rule mentions is given as it is", async () => {
  const { run, given } = start("ask model gpt-5\nrewrite model gpt-4 to=gpt-5", "other");
  await run().result();
  expect(new Set(given)).toEqual(new Set(["other"]));
});

it("a task with a model that a rule asks about waits for an approval, and one with a blocked model is refused", async () => {
  const { context, log, workspace } = taskRuntime(new Map([["agent", { name: "process", execute: async () => {} }]]));
  const program = { agent: "claude", agent_command: [process.execPath] };
  const spec = { kind: "agent" as const, ...program, prompt: "Go.", workspace: { path: workspace } };
  const policy = ["ask model opus", "block model gpt-*", "rewrite model sonnet to=opus"];
  for (const model of ["opus", "sonnet"]) {
    const { run_id, task_id } = await createAndStart(context, { ...spec, model, policy });
    expect(await log.run(run_id)).toMatchObject({ status: "awaiting_approval", pending: 1 });
    const [approval] = (await log.rows.list("approvals", { where: { task_id } })).rows;
    expect(approval).toMatchObject({ kind: "task", rule: "ask model opus" });
    await resolveApproval(log, { approval_id: approval?.approval_id ?? "", decision: "reject", by: "a test" });
  }
  await expect(createAndStart(context, { ...spec, model: "gpt-5", policy })).rejects.toMatchObject({
    code: "policy_blocked",
  });
});
