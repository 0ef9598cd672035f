import type { Cli } from "../cli.ts";
import { CLIS } from "../clis.ts";

/** Agents whose results under the runtime are not kept yet. */
const without: ReadonlySet<string> = new Set([...["openclaw", "omp", "codex-acp", "kilo", "pi-acp"]]);

/** The agents that are driven under the runtime. Without a login, an agent does nothing that could be answered or stopped. */
export const runtimeAgents: readonly Cli[] = CLIS.filter(({ name, needsLogin }) => !needsLogin && !without.has(name));
