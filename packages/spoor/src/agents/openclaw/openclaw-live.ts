import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";

const mcpServers = "OpenClaw reads MCP servers only from its settings.";

const cannot =
  "OpenClaw writes files without asking, so it cannot enforce `--approve deny`. Use `--approve ask`, and limit its tools in its own settings.";

/** Runs the bridge to a gateway that is already running. The gateway decides on the model and the working directory. */
export const bridgeLive = (live: LiveDialect): LiveDialect => ({
  ...live,
  takes: ["resume", "images", "imageUrls", "files"],
  refuses: { mcpServers, model: "OpenClaw's gateway takes the model from its own settings." },
  askWarning:
    "OpenClaw asks before it runs a command only if its settings say so (tools.exec). It writes files without asking.",
  deny: { cannot },
});

/**
 * Runs OpenClaw on one prompt in its own process, in the given folder and without a gateway. It stores no session, and
 * runs tools as its settings say: it cannot ask.
 */
export const execLive: LiveDialect = {
  command: "openclaw",
  takes: ["model", "thinkingEffort", "noSession"],
  refuses: {
    mcpServers,
    resume: "OpenClaw stores no session for a run without its gateway.",
  },
  askWarning: "In the dialect json OpenClaw does what its settings allow (tools.exec) without asking.",
  deny: { cannot },
  launch,
  createDriver,
};

function launch({ prompt, cwd, model, thinkingEffort }: LaunchRequest): Launch {
  return {
    args: [
      ...["agent", "exec", "--json", "--cwd", cwd],
      ...(model === undefined ? [] : ["--model", model]),
      ...(thinkingEffort === undefined ? [] : ["--thinking", thinkingEffort]),
      ...["--", prompt],
    ],
    allow: ["OPENCLAW_*", "ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "OPENROUTER_*"],
    stdin: "ignore",
  };
}

function createDriver(): Driver {
  return { endsWithInput: true, open: () => [] };
}
