import { acpLive } from "../dialects/acp/acp-live.ts";
import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";
import { askingRules } from "./asking-rules.ts";

const allow = ["OPENCODE_*"];
const acp = acpLive({ command: "opencode", args: ["acp"], allow, hostsActions: true });

/** Runs OpenCode over ACP with rules that make it ask. */
export const opencodeAcpLive: LiveDialect = {
  ...acp,
  deny: { how: "`OPENCODE_PERMISSION`: it asks, and Spoor refuses" },
  launch: (request) => withPermission(acp.launch(request), request),
};

/** Runs OpenCode on one prompt. It prints finished parts and refuses everything for which it would ask. */
export const opencodeRunLive: LiveDialect = {
  command: "opencode",
  takes: ["model", "resume", "fork"],
  refuses: {
    mcpServers:
      "In this dialect OpenCode has only the MCP servers of its settings. Use `--dialect acp` to pass others.",
  },
  deny: { how: "it refuses what it would ask" },
  launch,
  createDriver: (): Driver => ({ endsWithInput: true, open: () => [] }),
};

function launch(request: LaunchRequest): Launch {
  const { prompt, model, resume, fork, approve } = request;
  const session = fork ?? resume;
  const args = [
    ...["run", "--format", "json", "--thinking"],
    ...(approve === "auto" ? ["--auto"] : []),
    ...(model === undefined ? [] : ["--model", model]),
    ...(session === undefined ? [] : ["--session", session]),
    ...(fork === undefined ? [] : ["--fork"]),
    ...["--", prompt],
  ];
  return withPermission({ args, allow, stdin: "ignore" }, request);
}

/** By default OpenCode does everything without asking. */
function withPermission(launch: Launch, { approve }: LaunchRequest): Launch {
  if (approve === "auto") return launch;
  return { ...launch, set: { ...launch.set, OPENCODE_PERMISSION: askingRules } };
}
