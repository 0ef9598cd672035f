import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { toy } from "../../../testing/run/toy-adapter.ts";
import { envelopesOf, findingsOf } from "../../../testing/runtime/temporary-log.ts";
import { createClient } from "../../client.ts";
import { openLog } from "../../log/open.ts";
import { renormalize } from "../renormalize.ts";

/** Runs the toy agent, which asks whether it may run `rm -rf dist`, under rules of the user. */
async function runUnder(rules: string) {
  const home = mkdtempSync(path.join(tmpdir(), "spoor-rules-"));
  const [directory, cwd] = [path.join(home, "data"), path.join(home, "workspace")];
  mkdirSync(directory, { mode: 0o700 });
  mkdirSync(cwd);
  writeFileSync(path.join(directory, "policy.rules"), rules);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const client = createClient({ adapters: [toy], configDir: "/no/configuration", record: directory });
  let asked = 0;
  const run = client.run({
    ...{ agent: "toy", prompt: "ask", approve: "ask", cwd },
    onApprovalRequest: () => {
      asked += 1;
      return false;
    },
  });
  await run.result();
  const log = await openLog({ directory });
  onTestFinished(() => log.close());
  const events = await envelopesOf(log, run.recordId);
  return { run_id: run.recordId, log, events, asked, types: events.map(({ type }) => type) };
}

const isOfCall = (type: string) => /^(approval|policy)\.|^tool\.(started|completed|failed|cancelled)/.test(type);

it("an action that a rule allows starts without a question, and names the rule", async () => {
  const { asked, events, types, run_id, log } = await runUnder("allow shell rm -rf dist");
  expect({ asked, types: types.filter(isOfCall) }).toEqual({ asked: 0, types: ["tool.started", "tool.completed"] });
  expect(events.find(({ type }) => type === "tool.started")?.data).toMatchObject({ policy_id: "user:1" });
  expect(await findingsOf(log, [run_id])).toEqual([]);
  // Reading the tape again gives the same events; only the name of the rule is not on the tape.
  const unnamed = { type: "tool.started", changed: 1, added: 0, removed: 0 };
  expect(await renormalize(log, run_id, { adapters: [toy] })).toMatchObject({ types: [unnamed] });
});

it("an action that a rule blocks ends without a question, and the agent gets the reason", async () => {
  const { asked, events, types, run_id, log } = await runUnder("block shell rm **");
  expect({ asked, types: types.filter(isOfCall) }).toEqual({ asked: 0, types: ["policy.tool_blocked"] });
  const data = { policy_id: "user:1", reason: expect.stringContaining("block shell rm **") };
  expect(events.find(({ type }) => type === "policy.tool_blocked")?.data).toMatchObject(data);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});

it("a refusal of a person ends the call as failed, never as blocked, and the question names the rule", async () => {
  const { asked, events, types, run_id, log } = await runUnder("ask shell rm **");
  expect(asked).toBe(1);
  expect(types.filter(isOfCall)).toEqual(["approval.requested", "approval.resolved", "tool.failed"]);
  const data = { rule: "ask shell rm **", policy_id: "user:1", action_hash: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(events.find(({ type }) => type === "approval.requested")?.data).toMatchObject(data);
  expect(await findingsOf(log, [run_id])).toEqual([]);
});
