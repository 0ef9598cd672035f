import type { Driver, Launch, LaunchRequest, LiveDialect } from "../machine.ts";

/** Gemini on one prompt, printing as it goes. It cannot be asked for permission on this wire. */
export const geminiLive: LiveDialect = {
  command: "gemini",
  takes: ["model", "resume"],
  refuses: {
    mcpServers: "Gemini reads MCP servers only from settings of its own on its stream-json wire.",
    systemPrompt: "Gemini takes a system prompt only in place of its own, from a file: use GEMINI_SYSTEM_MD in `env`.",
  },
  deny: { how: "it has none of the tools it would ask for" },
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
    // Once its standard output was full it prints nothing more, and ends as if all were well.
    dropsOnBackpressure: true,
  };
}

function createDriver(): Driver {
  return { endsWithInput: true, open: () => [] };
}
