import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PreparedDemo } from "../runtime/queue/executor.ts";
import type { TaskSpec } from "../runtime/specification/spec.ts";

/** What the demo may do without asking. The repair of the file is asked about, as every change is by default. */
const rules = ["allow write greet.sh test.sh", "ask tool file_edit", "allow shell sh test.sh", "allow task agent_loop"];

/** The task of `spoor demo` and of `POST /v1/demo`: a scripted model in a scratch folder. */
export const demoTask = {
  title: "Demo: a greeting program",
  prompt: "Write a small greeting program with a test, and make the test pass.",
  model: "demo/tour",
  approve: "ask",
  policy: rules,
  record_thinking: true,
} as const satisfies Partial<TaskSpec>;

/** Makes a scratch folder for a demo. It stays, so that its changes can be reverted; the system clears such folders. */
export function createDemoFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "spoor-demo-")));
  writeFileSync(path.join(folder, "README.md"), "# A scratch folder of `spoor demo`\n\nRemove it whenever you like.\n");
  return folder;
}

/** Prepares a demo that a worker performs. It has no MCP server, because a new one is asked about before anything is to be seen. */
export function prepareDemo(): PreparedDemo {
  const folder = createDemoFolder();
  return {
    spec: {
      ...{ ...demoTask, policy: [...rules] },
      kind: "agent_loop",
      workspace: { mode: "in_place", path: folder },
    },
    discard: () => rmSync(folder, { recursive: true, force: true }),
  };
}
