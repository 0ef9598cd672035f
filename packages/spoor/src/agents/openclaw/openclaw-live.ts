import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";

const mcpServers = "OpenClaw reads MCP servers only from its settings.";

const cannot =
  "OpenClaw writes files without asking, so `--approve deny` cannot be kept. Use `--approve ask`, and limit its tools in its own settings.";

/** The bridge to a gateway that runs already, which is where the model and the folder to work in are settled. */
export const bridgeLive = (live: LiveDialect): LiveDialect => ({
  ...live,
  takes: ["resume", "images", "imageUrls", "files"],
  refuses: { mcpServers, model: "OpenClaw's gateway chooses the model by its own settings." },
  unasked:
    "OpenClaw asks before it runs a command where its settings say so (tools.exec); files it writes without asking.",
  deny: { cannot },
});

/**
 * OpenClaw on one prompt, in its own process and in the folder it is given, without a gateway. It keeps no session, and
 * it runs tools as its settings say: nobody can be asked.
 */
export const execLive: LiveDialect = {
  command: "openclaw",
  takes: ["model", "thinkingEffort", "noSession"],
  refuses: {
    mcpServers,
    resume: "OpenClaw keeps no session of a run without its gateway.",
  },
  unasked: "OpenClaw does what its settings allow (tools.exec) without asking on its json wire.",
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
