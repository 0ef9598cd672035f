import { acp as dialect } from "../dialects/acp/index.ts";
import { acpLive } from "../dialects/acp/live.ts";
import type { Adapter } from "../machine.ts";

/** Any agent that speaks the Agent Client Protocol; which program that is, the caller says. */
export const acp: Adapter = {
  name: "acp",
  title: "Agent Client Protocol",
  dialects: [{ ...dialect(), live: acpLive({ command: "", args: [] }) }],
};
