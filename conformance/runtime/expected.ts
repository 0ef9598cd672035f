/** Known problems of agents under the runtime, with their reasons. A listed scenario that passes fails the run. */
export const expectedRuntimeProblems: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "claude-agent-acp": {
    "stopped by its budget": "claude-agent-acp reports its cost only when a prompt ends, so it is stopped there.",
  },
  "codex-acp": {
    "stopped by its budget": "codex-acp reports its tokens only when a prompt ends, so it is stopped there.",
  },
  gemini: {
    "stopped by its budget":
      "Gemini reports its tokens only at the end in this dialect, so it cannot be stopped before.",
  },
  kilo: {
    "stopped by its budget": "Kilo reports its cost over ACP only when a prompt ends, so it is stopped there.",
  },
  kimi: {
    "stopped by its budget": "Kimi reports no tokens, so Spoor refuses a budget before it starts.",
  },
  openclaw: {
    "blocked by a rule": "OpenClaw asks about commands only. It writes files without asking, so no rule can hold that.",
    "stopped by its budget": "OpenClaw reports no tokens over ACP, so Spoor refuses a budget before it starts.",
    "paused in a command, then let go on":
      "OpenClaw's gateway runs the commands. It is not a part of the run, so a command goes on while the run is paused.",
    "task in a worktree":
      "OpenClaw's gateway works in the folder of its own settings, not in the one that a run names over ACP.",
    "detached, then reverted and applied again":
      "OpenClaw itself refuses a command line of several parts that needs an approval, so the shell changes nothing.",
  },
  "pi-acp": {
    "stopped by its budget": "pi-acp reports no tokens, so Spoor refuses a budget before it starts.",
  },
  opencode: {
    "stopped by its budget": "OpenCode reports its cost over ACP only when a prompt ends, so it is stopped there.",
  },
};

/** Agents that never ask, with the reason. Scenarios that need a question are left out. */
export const neverAsk: Readonly<Record<string, string>> = {
  pi: "Pi does not ask for permission; only its extensions do.",
  "pi-acp": "Pi does not ask for permission; only its extensions do.",
};

/** Agents that end the prompt when a call is refused, instead of telling the model and going on. The run completes. */
export const endsWhenRefused: ReadonlySet<string> = new Set(["opencode", "kilo", "codex-acp"]);
