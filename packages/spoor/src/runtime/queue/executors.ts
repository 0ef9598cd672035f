import type { Execution, Executor, Executors, OfferedKind } from "./executor.ts";
import { createProcessLauncher } from "./launch-process.ts";

/** The kinds that a server performs in its own process, and those for which it starts one. */
const inlineKinds = ["shell", "git", "file"] as const;
const launchedKinds = ["agent"] as const;

/** All kinds that the runtime performs itself. */
export const executableKinds: readonly string[] = [...inlineKinds, ...launchedKinds];

/** What a server or `spoor work` performs: the kinds of the runtime, and those that are offered to it. */
export function createExecutors(directory: string, offered: readonly OfferedKind[] = []): Executors {
  return {
    inline: new Map<string, Executor>([
      ...inlineKinds.map((kind) => [kind, createExecutor(kind)] as const),
      ...offered.map(({ kind, executor }) => [kind, executor] as const),
    ]),
    launched: new Map(launchedKinds.map((kind) => [kind, createProcessLauncher({ directory, kinds: [kind] })])),
  };
}

/** The executor of a kind. Its code is loaded with the first run. */
export function createExecutor(kind: string): Executor {
  const row = table[kind];
  if (!row) throw new Error(`Nothing performs runs of kind ${kind}.`);
  return { name: row.name, execute: async (execution: Execution) => (await row.load()).execute(execution) };
}

const command = async () => (await import("./command-executor.ts")).createCommandExecutor();

const table: Readonly<Record<string, { name: Executor["name"]; load(): Promise<Executor> }>> = {
  shell: { name: "worker", load: command },
  git: { name: "worker", load: command },
  file: { name: "worker", load: async () => (await import("./file-executor.ts")).createFileExecutor() },
  agent: { name: "process", load: async () => (await import("./agent-executor.ts")).createAgentExecutor() },
};
