import type { LiveDialect } from "../machine.ts";

/** Runs Hermes on one prompt. */
export const hermesLive: LiveDialect = {
  command: "hermes",
  takes: ["model", "resume", "thinkingEffort", "skills"],
  refuses: {
    mcpServers:
      "In this dialect Hermes has only the MCP servers of its own settings. Use `--dialect acp` to pass others.",
  },
  askWarning:
    "Hermes does not ask in this dialect. It asks with `--dialect acp`. With `--approve deny` it has only its web tools.",
  deny: { how: "it has only its web tools" },
  launch: ({ prompt, model, resume, thinkingEffort, skills = [], maxTurns, approve }) => ({
    args: [
      ...["chat", "--format", "stream-json", "--oneshot"],
      ...(approve === "auto" ? ["--yolo"] : []),
      // Tools come in sets, and the set for files also writes.
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
