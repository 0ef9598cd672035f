import { adapters as builtIn } from "./agents/registry.ts";
import { type Auth, createAuth } from "./inventory/auth/auth.ts";
import { createModels, type Models } from "./inventory/models/models.ts";
import { createPlugins, type Plugins } from "./inventory/plugins/plugins.ts";
import { createSessions, type Sessions } from "./inventory/sessions/sessions.ts";
import { createSettings, type Settings } from "./inventory/settings/settings.ts";
import { type ClientOptions, createRunner, type Runner } from "./run/runner.ts";

export type { ClientOptions, RunOptions } from "./run/runner.ts";

export interface Client extends Runner {
  readonly models: Models;
  /** Whether there are signs of credentials, and what to do where there are none. Never the credentials. */
  readonly auth: Auth;
  /** The agents' own settings. */
  readonly settings: Settings;
  readonly plugins: Plugins;
  /** What the agents wrote down of their sessions themselves. Never written to. */
  readonly sessions: Sessions;
}

/** The way in for programs: no server, no log, agents as child processes of yours. */
export function createClient(options?: ClientOptions): Client {
  const runner = createRunner(builtIn, options);
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
