import { Type } from "@sinclair/typebox";
import type { PolicyAction } from "../../runtime/policy/index.ts";
import { type BuiltInTool, defineTool, inputOf } from "./kit/define-tool.ts";
import {
  checkFolder,
  DEFAULT_TIMEOUT_MS,
  folderOf,
  MAX_TIMEOUT_MS,
  runCommand,
  sandboxFields,
} from "./kit/run-command.ts";
import type { ToolPlace } from "./tool.ts";

/** The folder, the time limit and the network of a command. */
export const commandInput = {
  cwd: Type.Optional(
    Type.String({ minLength: 1, description: "The folder, relative to the workspace. Default: the workspace." }),
  ),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_TIMEOUT_MS,
      description: `Milliseconds after which it is stopped. Default: ${DEFAULT_TIMEOUT_MS}.`,
    }),
  ),
  hosts: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      maxItems: 16,
      description: "The hosts it must reach. Without them it has no network. A person may be asked about them.",
    }),
  ),
};

/** What rules judge about the hosts that a command must reach. */
export const hostActions = (hosts: readonly string[], cwd: string, tool: string): PolicyAction[] =>
  hosts.map((host) => ({ subject: "host", host, cwd, tool }));

/** The sandbox can only give the network of this machine as a whole. */
const REACH = "It could reach every address, also this machine and its network";

/** What a person reads beside the command. */
export function whereOf({ root }: ToolPlace, { cwd, hosts = [] }: { cwd?: string; hosts?: readonly string[] }): string {
  const folder = cwd === undefined ? "" : ` in ${folderOf({ root }, cwd)}`;
  return `${folder}${hosts.length === 0 ? "" : ` with network, for ${hosts.join(", ")}. ${REACH}`}`;
}

/** Runs a shell command. */
export const shellExec: BuiltInTool = defineTool({
  name: "shell_exec",
  kind: "shell",
  effect: "effect",
  description:
    "Runs a command with `sh -c` in the workspace and returns its output. It has no terminal and no input, and processes that it leaves behind are ended. In the sandbox only the workspace can be changed; the home folder and /tmp are private; empty read-only folders with the names of agents' settings are placeholders.",
  about: {
    does: "runs a shell command",
    limits: `${DEFAULT_TIMEOUT_MS / 1000} s, or up to ${MAX_TIMEOUT_MS / 1000} s if the model asks; 10 MiB of output`,
    rules: "`shell` for every part of the command; `host` for each host",
  },
  input: inputOf({
    command: Type.String({ minLength: 1, maxLength: 65_536, description: "The command." }),
    ...commandInput,
  }),
  actions({ command, cwd, hosts = [] }, place) {
    const folder = folderOf(place, cwd);
    return [
      { subject: "shell", command, cwd: folder, tool: "shell_exec" },
      ...hostActions(hosts, folder, "shell_exec"),
    ];
  },
  async describe(input, place) {
    return { summary: `Run a command${whereOf(place, input)}`, detail: input.command };
  },
  held: ({ hosts = [] }, sandbox) => sandboxFields(hosts.length > 0, sandbox),
  async run({ command, cwd, timeout_ms = DEFAULT_TIMEOUT_MS, hosts = [] }, context) {
    const folder = folderOf(context, cwd);
    checkFolder(context, folder);
    const argv = ["sh", "-c", command] as const;
    return runCommand({ argv, line: command, cwd: folder, timeoutMs: timeout_ms, network: hosts.length > 0 }, context);
  },
});
