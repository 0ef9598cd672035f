import { openLogSync } from "../../../src/log/open.ts";
import { createLoopExecutor } from "../../../src/loop/executor.ts";
import { openSandbox, type SandboxChoice } from "../../../src/loop/sandbox/index.ts";
import { commandTools } from "../../../src/loop/tools/index.ts";
import { Worker } from "../../../src/runtime/queue/worker.ts";
import { createAndStart } from "../../../src/runtime/tasks/start.ts";
import { scriptedModel } from "../scripted-model.ts";

/** Performs a run of the loop whose model runs one command, until somebody kills this process. */
const [directory = "", root = "", choice = "", command = ""] = process.argv.slice(2);
const log = openLogSync({ directory, durability: "process" });
const { env: environment } = process;
const model = scriptedModel([{ calls: [{ name: "shell_exec", input: { command } }] }]);
const executor = createLoopExecutor({
  environment,
  findModel: async () => model,
  tools: () => commandTools,
  loadPrices: async () => () => 0,
  openSandbox: () => openSandbox({ choice: choice as SandboxChoice, root, directory, run_id: "run_1", environment }),
});
const inline = new Map([["agent_loop", executor]]);
new Worker({ log, directory, executors: { inline, launched: new Map() }, concurrency: 1, onFault: console.error });
await createAndStart(
  { log, directory, canExecute: () => true, by: "a test" },
  { kind: "agent_loop", prompt: "Do it.", model: model.name, approve: "auto", workspace: { path: root } },
);
