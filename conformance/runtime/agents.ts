import type { Cli } from "../cli.ts";
import { CLIS } from "../clis.ts";

/** The agents that are driven under the runtime. Without a login, an agent does nothing that could be answered or stopped. */
export const runtimeAgents: readonly Cli[] = CLIS.filter(({ needsLogin }) => !needsLogin);
