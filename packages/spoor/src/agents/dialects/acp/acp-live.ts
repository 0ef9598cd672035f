import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Ability, LaunchRequest, LiveDialect } from "../../machine.ts";
import { type AcpDriverTraits, createDriver } from "./driving/acp-driver.ts";

/** How to start an agent that speaks ACP; everything after that is the same for all of them. */
export interface AcpLaunch extends AcpDriverTraits {
  command: string;
  args: readonly string[];
  allow?: readonly string[];
  set?: Readonly<Record<string, string>>;
  /** What it is told of permission, by what is to happen to actions that need it. */
  approving?: Readonly<Partial<Record<LaunchRequest["approve"], ApprovalArguments>>>;
  deny?: LiveDialect["deny"];
  unasked?: string;
  /** Where everything is allowed it does not ask, so a command begins once it is told. */
  quietInAuto?: true;
  /** What this agent does not take, though ACP has words for it. */
  without?: readonly Ability[];
}

interface ApprovalArguments {
  /** After the others. */
  args?: readonly string[];
  set?: Readonly<Record<string, string>>;
}

/** An ACP agent as a child process. */
export function acpLive(agent: AcpLaunch): LiveDialect {
  const {
    command,
    args,
    allow = [],
    set,
    approving = {},
    deny,
    unasked,
    without = [],
    quietInAuto: _,
    ...serving
  } = agent;
  return {
    command,
    takes: abilities.filter((ability) => !without.includes(ability)),
    ...omitUndefined({ deny, unasked }),
    launch: ({ approve }) => ({
      args: [...args, ...(approving[approve]?.args ?? [])],
      allow,
      set: { ...set, ...approving[approve]?.set },
      stdin: "pipe",
    }),
    createDriver: (request) => createDriver(request, serving),
  };
}

const abilities: readonly Ability[] = [
  ...(["model", "resume", "fork", "mcpServers", "remoteMcpServers", "sseMcpServers"] as const),
  ...(["images", "imageUrls", "files"] as const),
];
