const pi = "Pi does not ask for permission; only its extensions do.";

/** Known problems with their reasons. A listed scenario that passes fails the run, so that the list stays correct. */
export const expectedProblems: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "codex-acp": {
    subagent: "codex-acp reports the start of a subagent, but neither what it does nor its result.",
  },
  kilo: { subagent: "Kilo does not report over ACP what a subagent does." },
  kimi: {
    subagent: "Kimi does not report which calls belong to a subagent.",
    "too long for the context": "Kimi compacts its context. If that fails, it ends the prompt without an answer.",
  },
  "pi-acp": {
    "permission given": pi,
    "permission refused": pi,
    "not allowed in": "pi-acp ends a refused prompt as successful, without an answer.",
    "too long for the context": "pi-acp ends a failed prompt as successful, without an answer.",
    forked: "pi-acp cannot copy a session.",
  },
  gemini: {
    "shell that fails": "Gemini prints no exit code, so a failed command looks like a successful one.",
    thinking: "Gemini prints no thoughts in this dialect.",
    "file read": "Gemini does not print the output that a tool returns to the model.",
    subagent: "Gemini prints neither what a subagent does nor what it reports.",
    forked: "Gemini cannot copy a session.",
  },
  openclaw: {
    "long answer": "OpenClaw's gateway buffers the model's output, so a long answer comes in about fifty pieces.",
    thinking: "OpenClaw's gateway leaves thoughts out of the messages that its bridge reads.",
    "not allowed in": "Over ACP OpenClaw ends a refused prompt as successful, without an answer.",
    "too long for the context": "Over ACP OpenClaw ends a failed prompt as successful.",
    forked: "OpenClaw cannot copy a session over ACP.",
    "no such session": "Over ACP OpenClaw starts a new session with the id of an unknown one.",
    "not logged in": "Over ACP OpenClaw ends a refused prompt as successful, without an answer.",
  },
  opencode: {
    subagent: "OpenCode does not report over ACP what a subagent does.",
    "too long for the context": "OpenCode compacts its context and continues, and does not report this over ACP.",
  },
  pi: { "permission given": pi, "permission refused": pi },
};
