import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";

/** Runs Gemini on one prompt. It cannot ask for permission in this dialect. */
export const geminiLive: LiveDialect = {
  command: "gemini",
  takes: ["model", "resume"],
  refuses: {
    mcpServers:
      "In the dialect stream-json Gemini reads MCP servers only from its own settings. Use `--dialect acp` to pass others.",
    systemPrompt: "Gemini can only replace its system prompt, and only from a file: set GEMINI_SYSTEM_MD in `env`.",
  },
  deny: { how: "it does not have the tools for which it would ask" },
  launch,
  createDriver,
};

function launch({ prompt, model, resume, approve }: LaunchRequest): Launch {
  return {
    args: [
      ...["--output-format", "stream-json"],
      ...(approve === "auto" ? ["--yolo"] : []),
      ...(model === undefined ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...["--prompt", prompt],
    ],
    allow: ["GEMINI_*", "GOOGLE_*", "CLOUD_*"],
    stdin: "ignore",
    // When its standard output is full, Gemini prints nothing more and exits as if it had succeeded.
    dropsOnBackpressure: true,
  };
}

function createDriver(): Driver {
  return { endsWithInput: true, open: () => [] };
}
