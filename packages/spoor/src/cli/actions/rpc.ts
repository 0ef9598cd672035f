import { statSync } from "node:fs";
import path from "node:path";
import { adapters } from "../../agents/registry.ts";
import { findAgent } from "../../inventory/find-agent.ts";
import { createModels } from "../../inventory/models/models.ts";
import { loopAdapter } from "../../loop/adapter.ts";
import { checkLoopModel } from "../../loop/check-model.ts";
import { findConfigFolders } from "../../options/config/config-folders.ts";
import { readConfiguration } from "../../options/config/configuration-files.ts";
import { createConversations } from "../../translators/conversation/conversations.ts";
import { serveRpc, type ZotModel } from "../../translators/zot/rpc/serve-rpc.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { takeOutput } from "../running/protocol-output.ts";
import { withTasks } from "../running/with-tasks.ts";

export interface RpcCommandOptions extends DataOption {
  model?: string;
  cwd: string;
  approve?: "ask" | "auto" | "deny";
  command?: readonly string[];
}

/** `spoor rpc`: speaks zot's protocol at standard input and output, with any agent behind it. */
export async function rpc(
  typed: string | undefined,
  options: RpcCommandOptions,
  version: string,
  io: Io,
): Promise<void> {
  const { approve, command } = options;
  const cwd = path.resolve(options.cwd);
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ExitError(2, `--cwd must be a folder that exists, not ${terminalSafe(cwd)}.`);
  const known = [...adapters, loopAdapter];
  const configured = readConfiguration(findConfigFolders({ cwd, environment: process.env }));
  const setting = (name: "agent" | "model") => configured.find((layer) => layer[name] !== undefined)?.[name];
  // Throws an error that lists the known agents.
  const { name: agent } = findAgent(known, typed ?? setting("agent") ?? "loop");
  // Other agents read the configuration themselves.
  const model = options.model ?? (agent === "loop" ? setting("model") : undefined);
  const checkModel = agent === "loop" ? (name: string) => checkLoopModel(name, process.env) : undefined;
  if (checkModel) checkLoopModel(model, process.env);
  const token = process.env.ZOTCORE_RPC_TOKEN || undefined;
  // It is for the client and us. Agents get our environment.
  delete process.env.ZOTCORE_RPC_TOKEN;

  const signals = takeSignals();
  try {
    await withTasks(options, async (context) => {
      const { write, release } = takeOutput(io);
      try {
        const isLetIn = await serveRpc({
          ...{ agent, model, cwd, version, token, write, input: io.stdin, signal: signals.signal },
          conversations: createConversations({ ...context, by: "rpc" }),
          spec: { ...(approve && { approve }), ...(command && { agent_command: command }) },
          ...(checkModel && { checkModel }),
          models: async () => (await createModels({ adapters: known }).list(agent)).map(zotModel(agent)),
          note: (line) => void io.stderr.write(`${terminalSafe(line)}\n`),
        });
        if (!isLetIn) throw new ExitError(1, "The client sent the wrong token. It must be that of ZOTCORE_RPC_TOKEN.");
      } finally {
        release({ isStopped: signals.signal.aborted });
      }
    });
  } finally {
    signals.release();
  }
  if (signals.exitCode !== undefined) throw new ExitError(signals.exitCode);
}

type CatalogModel = Awaited<ReturnType<ReturnType<typeof createModels>["list"]>>[number];

const zotModel =
  (agent: string) =>
  ({ id, provider = agent, contextWindow = 0, thinkingEffortLevels = [] }: CatalogModel): ZotModel => ({
    context_window: contextWindow,
    id,
    max_output: 0,
    provider,
    reasoning: thinkingEffortLevels.length > 0,
  });

/** The first signal ends the prompt that runs and then the command. The second one ends the command at once. */
function takeSignals() {
  const stopped = new AbortController();
  const taken = { signal: stopped.signal, exitCode: undefined as number | undefined, release };
  const stop = (signal: NodeJS.Signals) => {
    const exitCode = 128 + (numbers[signal] ?? 0);
    if (stopped.signal.aborted) process.exit(exitCode);
    taken.exitCode = exitCode;
    stopped.abort();
  };
  function release(): void {
    for (const signal of Object.keys(numbers)) process.off(signal, stop);
  }
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of Object.keys(numbers)) process.on(signal, stop);
  return taken;
}

const numbers: Readonly<Record<string, number>> = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
