import path from "node:path";
import { adapters } from "../../agents/registry.ts";
import { findAgent } from "../../inventory/find-agent.ts";
import { LogError } from "../../log/errors.ts";
import { dataDirectory, openLog } from "../../log/open.ts";
import { loopAdapter } from "../../loop/adapter.ts";
import { loop } from "../../loop/loop-kind.ts";
import { serveAcp } from "../../translators/acp/serve-acp.ts";
import { ExitError } from "../exit-error.ts";
import type { DataOption } from "../history/with-log.ts";
import type { Io } from "../io.ts";
import { terminalSafe } from "../output/terminal-safe.ts";
import { takeOutput } from "../running/protocol-output.ts";

export interface AcpOptions extends DataOption {
  agent?: string;
  model?: string;
  approve?: "ask" | "auto" | "deny";
  recordThinking?: true;
}

/** `spoor acp`: serves the editor at standard input and output until it closes them, or until a signal ends it. */
export async function acp(options: AcpOptions, version: string, io: Io): Promise<void> {
  const { data, agent, model, approve, recordThinking } = options;
  const known = [...adapters, loopAdapter];
  // Throws an error that lists the known agents.
  const name = agent === undefined ? undefined : findAgent(known, agent).name;
  const directory = path.resolve(data ?? dataDirectory());
  const note = (line: string) => void io.stderr.write(`${terminalSafe(line)}\n`);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  // Not `once`: while a listener is registered, children are not killed at the first signal.
  for (const signal of signals) process.on(signal, stop);
  const { write, release } = takeOutput(io);
  try {
    const log = await openLog({ directory });
    const runs = await serveAcp({
      ...{ log, directory, kinds: [loop], adapters: known, version },
      ...{ agent: name, model, mode: approve, recordThinking },
      ...{ input: io.stdin, write, note, signal: stopped.signal },
    });
    for (const run_id of runs) note(`${run_id} goes on without the editor. Follow it with \`spoor tail ${run_id}\`.`);
    await log.close();
  } catch (error) {
    if (error instanceof LogError) throw new ExitError(1, `${terminalSafe(error.message)} ${error.hint}`);
    throw error;
  } finally {
    release({ isStopped: stopped.signal.aborted });
    for (const signal of signals) process.off(signal, stop);
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
