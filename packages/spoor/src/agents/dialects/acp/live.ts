import type { Ability, LiveWire } from "../../machine.ts";
import { createDriver, type Serving } from "./driving/driver.ts";

/** How to start an agent that speaks ACP; everything after that is the same for all of them. */
export interface AcpLaunch extends Serving {
  command: string;
  args: readonly string[];
  allow?: readonly string[];
  set?: Readonly<Record<string, string>>;
  /** What this agent does not take, though ACP has words for it. */
  without?: readonly Ability[];
}

/** An ACP agent as a child process. */
export function acpLive({ command, args, allow = [], set, without = [], ...serving }: AcpLaunch): LiveWire {
  return {
    command,
    takes: abilities.filter((ability) => !without.includes(ability)),
    launch: () => ({ args, allow, ...(set && { set }), stdin: "pipe" }),
    createDriver: (request) => createDriver(request, serving),
  };
}

const abilities: readonly Ability[] = [
  ...(["model", "resume", "fork", "mcpServers", "remoteMcpServers", "sseMcpServers"] as const),
  ...(["images", "imageUrls", "files"] as const),
];
