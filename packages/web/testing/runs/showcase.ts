import path from "node:path";
import { type AgentEvent, createUlidSource } from "@spoor/protocol";
import { Script } from "../../../protocol/testing/script.ts";
import type { Served } from "../served.ts";
import { askingRun, startAgent } from "./asking.ts";
import { demoRun } from "./demo.ts";
import { minutesEvents } from "./minutes.ts";
import { monthOfRuns } from "./month.ts";
import { recordAll, recordEvents } from "./recorded.ts";
import { askSteps, changeSteps, questionSteps, workSteps } from "./showcase-steps.ts";

/** The ids of the runs of which pictures are taken. */
export interface Showcase {
  /** The same task by three agents, which are over. */
  fixed: string[];
  /** A run of some minutes with all that takes time. */
  long: string;
  /** A demo that is over. */
  demo: string;
  /** An agent that asks whether it may remove a file. */
  waiting: string;
  approval: string;
}

const newId = createUlidSource();
const MINUTE = 60_000;
const PROMPT = "Fix add() and create a test";

/** Fills a data directory with runs as somebody has them after a month of work. The same runs each time. */
export async function showcase(served: Served): Promise<Showcase> {
  const { data } = served;
  const now = Date.now();
  const cwd = path.join(served.home, "project");
  const asked = { prompt: PROMPT, record_thinking: true, cwd };
  await recordAll(data, monthOfRuns(now));
  await recordEvents(data, failedRun(now - 70 * MINUTE), { prompt: "Make the parser keep comments", cwd });
  const fixed = await recordAll(
    data,
    fixes.map((fix, index) => ({ events: fixRun(fix, now - (22 + 25 * index) * MINUTE), options: asked })),
  );
  const [long, demo] = await Promise.all([
    recordEvents(data, minutesEvents(), { ...asked, prompt: "Find out why the total is wrong" }),
    demoRun(served),
  ]);
  // The newest stands on top, so these start one after the other.
  startAgent(served, "Move README.md into docs/ and update every link", workSteps, "site");
  startAgent(served, "Give the calculator a theme", questionSteps, "themes");
  await askingRun(served, "Let add() take more than two numbers", changeSteps, "numbers");
  const { run_id, approval_id } = await askingRun(served, `${PROMPT}. Run it before you finish.`, askSteps);
  return { fixed, long, demo, waiting: run_id, approval: approval_id };
}

/** Three agents that do the same, each in its way. */
const fixes = [
  { agent: "claude", model: "claude-opus-5-5", usd: 0.0098, source: "agent_reported", pace: 1, tokens: 18_420 },
  { agent: "codex", model: "gpt-5.5-codex", usd: 0.0231, source: "estimated", pace: 1.7, tokens: 24_900 },
  { agent: "opencode", model: "claude-sonnet-4-5", usd: 0.0051, source: "agent_reported", pace: 0.7, tokens: 11_080 },
] as const;

/** A run that reads, fixes and tests a function. */
function fixRun({ agent, model, usd, source, pace, tokens }: (typeof fixes)[number], startAt: number): AgentEvent[] {
  const script = new Script({ runId: newId(), agent, startAt });
  script
    .begin()
    .turn({ model })
    .wait(2_100 * pace);
  script
    .thinking("The test fails because add() subtracts. I look at the file first, and at who else calls it.")
    .wait(900 * pace);
  script.message("Reading the file, ", "and checking who else calls `add()`.").wait(400 * pace);
  step(
    script,
    "Read",
    "file_read",
    { file_path: "src/calc.js" },
    "export function add(a, b) {\n  return a - b;\n}\n",
    4,
  );
  step(script, "Grep", "grep", { pattern: "add\\(", path: "." }, "src/calc.js:1\nsrc/cart.js:14", 31);
  script
    .wait(1_400 * pace)
    .endTurn()
    .turn({ model })
    .wait(1_800 * pace);
  script.message("`add()` returns `a - b`. ", "I change the sign and write a test for it.");
  edit(
    script,
    "src/calc.js",
    "@@ -1,3 +1,3 @@ add\n export function add(a, b) {\n-  return a - b;\n+  return a + b;\n }\n",
  );
  edit(script, "src/calc.test.js", agent === "codex" ? NODE_TEST : VITEST_TEST, true);
  script
    .wait(900 * pace)
    .endTurn()
    .turn({ model })
    .wait(1_200 * pace);
  const id = newId();
  script.tool({ id, name: "Bash", kind: "shell", input: { command: "npm test", description: "Run the tests" } });
  script.emit("shell_start", { command: "npm test", cwd: "/home/dev/project", toolCallId: id }).wait(1_900 * pace);
  const lines = [
    "\u001b[1m RUN \u001b[22m v5.1.0\n\n",
    " \u001b[32m✓\u001b[39m src/calc.test.js (1 test) 3ms\n\n",
    " Test Files  1 passed (1)\n      Tests  1 passed (1)\n",
  ];
  for (const delta of lines) script.emit("shell_stdout_delta", { delta, toolCallId: id }).wait(120 * pace);
  script.emit("shell_exit", { exitCode: 0, durationMs: 2_260, toolCallId: id });
  script.result(id, "Bash", lines.join(""), 2_260).wait(300 * pace);
  script
    .endTurn()
    .turn({ model })
    .wait(1_200 * pace);
  script.message(
    "Done. ",
    "`add()` adds again, and a test keeps it so:\n\n",
    "- **src/calc.js**: the sign in `add()`\n- **src/calc.test.js**: a new test\n\n",
    "`src/cart.js` calls `add()` and needed no change.",
  );
  const cost = { totalUsd: usd, inputTokens: tokens, outputTokens: Math.round(tokens / 20), source };
  script.emit("cost", { cost: { ...cost, cachedTokens: Math.round(tokens * 0.67) } });
  return script.endTurn().end(cost).events;
}

const VITEST_TEST = `@@ -0,0 +1,4 @@
+import { expect, test } from "vitest";
+import { add } from "./calc.js";
+
+test("adds", () => expect(add(2, 3)).toBe(5));
`;

const NODE_TEST = `@@ -0,0 +1,5 @@
+import assert from "node:assert/strict";
+import { test } from "node:test";
+import { add } from "./calc.js";
+
+test("adds", () => assert.equal(add(2, 3), 5));
`;

function failedRun(startAt: number): AgentEvent[] {
  const script = new Script({ runId: newId(), agent: "gemini", startAt });
  script.begin().turn({ model: "gemini-3-pro" }).wait(3_000).message("I begin with the parser.").wait(2_000);
  script.emit("rate_limit_error", {
    message: "The service refused the call: too many requests.",
    retryAfterMs: 30_000,
  });
  return script.endTurn().end().events;
}

function step(
  script: Script,
  name: string,
  kind: "file_read" | "grep",
  input: unknown,
  output: string,
  ms: number,
): void {
  const id = newId();
  script.tool({ id, name, kind, input }).wait(ms).result(id, name, output, ms);
}

function edit(script: Script, file: string, hunk: string, isNew = false): void {
  const id = newId();
  script.tool({ id, name: isNew ? "Write" : "Edit", kind: isNew ? "file_write" : "edit", input: { file_path: file } });
  const before = isNew ? "/dev/null" : `a/${file}`;
  script.emit("file_patch", { path: file, diff: `--- ${before}\n+++ b/${file}\n${hunk}`, toolCallId: id });
  script
    .wait(12)
    .result(id, isNew ? "Write" : "Edit", "ok", 12)
    .wait(300);
}
