import { acpWires } from "../acp/wires.ts";
import { acpLive } from "../dialects/acp/live.ts";
import type { Driver, Launch, LaunchRequest, LiveWire } from "../machine.ts";

const acp = acpLive(acpWires.opencode.launch);

/** OpenCode over ACP, made to ask. */
export const opencodeAcpLive: LiveWire = {
  ...acp,
  launch: (request) => withPermission(acp.launch(request), request),
};

/** OpenCode on one prompt, printing what is finished. Whatever it would ask for is refused. */
export const opencodeRunLive: LiveWire = {
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
  return withPermission({ args, allow: acpWires.opencode.launch.allow, stdin: "ignore" }, request);
}

/** Left to itself OpenCode does everything unasked. */
function withPermission(launch: Launch, { approve }: LaunchRequest): Launch {
  if (approve === "auto") return launch;
  return { ...launch, set: { ...launch.set, OPENCODE_PERMISSION: JSON.stringify(asking) } };
}

/**
 * Laid over the rules of the user's own settings, the last that fits wins: what they deny is asked for too. Reading is
 * as it is by default.
 */
const asking = {
  "*": "ask",
  read: { "*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow" },
  glob: "allow",
  grep: "allow",
  list: "allow",
  lsp: "allow",
  skill: "allow",
  todoread: "allow",
  todowrite: "allow",
  // A subagent's questions reach nobody: it would wait for ever.
  task: "deny",
  question: "deny",
  plan_enter: "deny",
  plan_exit: "deny",
};
