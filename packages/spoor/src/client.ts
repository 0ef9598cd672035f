import { adapters as builtIn } from "./agents/registry.ts";
import { type Auth, createAuth } from "./inventory/auth/auth.ts";
import { createModels, type Models } from "./inventory/models/models.ts";
import { createPlugins, type Plugins } from "./inventory/plugins/plugins.ts";
import { createSessions, type Sessions } from "./inventory/sessions/sessions.ts";
import { createSettings, type Settings } from "./inventory/settings/settings.ts";
import { loopAdapter } from "./loop/adapter.ts";
import { createClientPerformer } from "./loop/door/client-performer.ts";
import { createRunner, type Runner, type RunnerOptions } from "./run/runner.ts";
import { governRuns, type RecordTo, recordRuns } from "./runtime/execution/record-runs.ts";

export type { RunOptions } from "./run/runner.ts";

/** Options of the client itself, and defaults for each of its runs. */
export interface ClientOptions extends RunnerOptions {
  /**
   * Records every run: into an open log, into a data directory (through its server, if one runs), or with `true` into the
   * default data directory. A run is durable before its agent starts, and its result waits for its last event. Absent or
   * `false`: nothing is recorded; Spoor's own `loop` uses a temporary log, which is removed when the program ends.
   */
  record?: RecordTo | false;
}

/**
 * Runs agents, and knows what is installed and configured on this machine.
 *
 * @example
 * const client = createClient();
 * console.log(await client.auth.check("claude"), await client.models.list("claude"));
 * console.log((await client.run({ agent: "claude", prompt: "hello" })).text);
 */
export interface Client extends Runner {
  readonly models: Models;
  /** Finds signs of credentials and says how to log in. It never reads the credentials themselves. */
  readonly auth: Auth;
  /** Reads and changes the agents' own settings files. */
  readonly settings: Settings;
  readonly plugins: Plugins;
  /** Reads the session files that the agents wrote themselves. It never writes to them. */
  readonly sessions: Sessions;
}

/**
 * Creates a client. It needs no server: agents are child processes of this program, and Spoor's own `loop` runs inside it.
 *
 * @example
 * const client = createClient({ approve: "deny" });
 * const run = client.run({ agent: "claude", prompt: "Explain this repository." });
 * for await (const event of run) if (event.type === "text_delta") process.stdout.write(event.delta);
 * console.log((await run).exitReason);
 */
export function createClient({ record = false, ...options }: ClientOptions = {}): Client {
  const recorded = record !== false && { observe: recordRuns(record), govern: governRuns(record) };
  const performers = { loop: createClientPerformer(record) };
  const runner = createRunner([...builtIn, loopAdapter], { ...options, ...recorded, performers });
  const { adapters } = runner;
  return {
    ...runner,
    models: createModels({ adapters }),
    auth: createAuth({ adapters }),
    settings: createSettings({ adapters }),
    plugins: createPlugins({ adapters }),
    sessions: createSessions({ adapters }),
  };
}
