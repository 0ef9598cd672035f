import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Ability, LaunchRequest, LiveDialect } from "../../machine.ts";
import { type AcpDriverTraits, createDriver } from "./driving/acp-driver.ts";

/** How to start an agent that speaks ACP. Everything after the start is the same for all of them. */
export interface AcpLaunch extends AcpDriverTraits {
  command: string;
  args: readonly string[];
  allow?: readonly string[];
  set?: Readonly<Record<string, string>>;
  /** Arguments and environment variables for each value of `--approve`. */
  approveArguments?: Readonly<Partial<Record<LaunchRequest["approve"], ApprovalArguments>>>;
  deny?: LiveDialect["deny"];
  askWarning?: string;
  /** With `--approve auto` the agent does not ask, so a command begins as soon as it is reported. */
  quietInAuto?: true;
  /** Options of ACP that this agent does not support. */
  unsupported?: readonly Ability[];
}

interface ApprovalArguments {
  /** Come after the other arguments. */
  args?: readonly string[];
  set?: Readonly<Record<string, string>>;
}

/** Runs an ACP agent as a child process. */
export function acpLive(agent: AcpLaunch): LiveDialect {
  const {
    command,
    args,
    allow = [],
    set,
    approveArguments = {},
    deny,
    askWarning,
    unsupported = [],
    quietInAuto: _,
    ...serving
  } = agent;
  return {
    command,
    takes: abilities.filter((ability) => !unsupported.includes(ability)),
    ...omitUndefined({ deny, askWarning }),
    launch: ({ approve }) => ({
      args: [...args, ...(approveArguments[approve]?.args ?? [])],
      allow,
      set: { ...set, ...approveArguments[approve]?.set },
      stdin: "pipe",
    }),
    createDriver: (request) => createDriver(request, serving),
  };
}

const abilities: readonly Ability[] = [
  ...(["model", "resume", "fork", "mcpServers", "remoteMcpServers", "sseMcpServers"] as const),
  ...(["images", "imageUrls", "files"] as const),
];
