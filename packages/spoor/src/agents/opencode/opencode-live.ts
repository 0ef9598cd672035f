import { acpLive } from "../dialects/acp/acp-live.ts";
import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";
import { askingRules } from "./asking-rules.ts";

const allow = ["OPENCODE_*"];
const acp = acpLive({ command: "opencode", args: ["acp"], allow, serves: true });

/** OpenCode over ACP, made to ask. */
export const opencodeAcpLive: LiveDialect = {
  ...acp,
  deny: { how: "`OPENCODE_PERMISSION`: asks, and is refused" },
  launch: (request) => withPermission(acp.launch(request), request),
};

/** OpenCode on one prompt, printing what is finished. Whatever it would ask for is refused. */
export const opencodeRunLive: LiveDialect = {
  command: "opencode",
  takes: ["model", "resume", "fork"],
  refuses: { mcpServers: "OpenCode takes MCP servers for a run only over ACP; on this wire it reads its settings." },
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

/** Left to itself OpenCode does everything unasked. */
function withPermission(launch: Launch, { approve }: LaunchRequest): Launch {
  if (approve === "auto") return launch;
  return { ...launch, set: { ...launch.set, OPENCODE_PERMISSION: askingRules } };
}
