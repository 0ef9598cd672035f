/** Known problems of agents under the runtime, with their reasons. A listed scenario that passes fails the run. */
export const expectedRuntimeProblems: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gemini: {
    "stopped by its budget":
      "Gemini reports its tokens only at the end in this dialect, so it cannot be stopped before.",
  },
};

/** Agents that never ask, with the reason. Scenarios that need a question are left out. */
export const neverAsk: Readonly<Record<string, string>> = {
  pi: "Pi does not ask for permission; only its extensions do.",
  "pi-acp": "Pi does not ask for permission; only its extensions do.",
};
