import type { LiveDialect } from "../machine.ts";

/** Hermes on one prompt, printing as it goes. */
export const hermesLive: LiveDialect = {
  command: "hermes",
  takes: ["model", "resume", "thinkingEffort", "skills"],
  refuses: {
    mcpServers: "Hermes has the MCP servers of its own settings on this wire; over ACP it can be given others.",
  },
  unasked: "Hermes asks nothing on this wire. Over ACP it asks; `--approve deny` leaves it the web alone.",
  deny: { how: "it has only its tools for the web" },
  launch: ({ prompt, model, resume, thinkingEffort, skills = [], maxTurns, approve }) => ({
    args: [
      ...["chat", "--format", "stream-json", "--oneshot"],
      ...(approve === "auto" ? ["--yolo"] : []),
      // Its tools come in sets, and the one for files writes too.
      ...(approve === "deny" ? ["--toolsets", "web"] : []),
      ...(model === undefined ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...(thinkingEffort === undefined ? [] : ["--reasoning", thinkingEffort]),
      ...skills.flatMap((skill) => ["--skills", skill]),
      ...(maxTurns === undefined ? [] : ["--max-turns", `${maxTurns}`]),
      ...["-q", prompt],
    ],
    allow: ["HERMES_*", "OPENROUTER_*", "ANTHROPIC_*", "OPENAI_*", "NOUS_*"],
    stdin: "ignore",
  }),
  createDriver: () => ({ endsWithInput: true, open: () => [] }),
};
