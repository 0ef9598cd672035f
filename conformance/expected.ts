const pi = "Pi asks for no permission; only its extensions do.";

/** What is known not to work, and why. A scenario listed here that passes fails the run, so that the list stays true. */
export const expectedProblems: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "codex-acp": {
    subagent:
      "codex-acp tells that a subagent begins, but neither what it does nor, with its own call, what it reports.",
  },
  kilo: { subagent: "Kilo does not tell over ACP what a subagent does." },
  kimi: {
    subagent: "Kimi does not tell which calls are a subagent's.",
    "too long for the context": "Kimi shortens its context; where that fails, it ends the prompt with nothing said.",
  },
  "pi-acp": {
    "permission given": pi,
    "permission refused": pi,
    "not allowed in": "pi-acp ends a prompt that was refused like one that was answered, with nothing said.",
    "too long for the context": "pi-acp ends a prompt that failed like one that was answered, with nothing said.",
    forked: "pi-acp cannot copy a session.",
  },
  gemini: {
    "shell that fails": "Gemini prints no exit code: a failed command looks like one that succeeded.",
    thinking: "Gemini prints no thoughts on this wire.",
    "file read": "Gemini does not print what a tool gave to the model.",
    subagent: "Gemini prints neither what a subagent does nor what it reports.",
    forked: "Gemini cannot copy a session.",
  },
  openclaw: {
    "long answer": "OpenClaw's gateway gathers what the model says: a long answer comes in some fifty pieces.",
    thinking: "OpenClaw's gateway leaves thoughts out of the messages that its bridge reads.",
    "not allowed in": "Over ACP OpenClaw ends a prompt that was refused like one that was answered, with nothing said.",
    "too long for the context": "Over ACP OpenClaw ends a prompt that failed like one that was answered.",
    forked: "OpenClaw cannot copy a session over ACP.",
    "no such session": "Over ACP OpenClaw begins a new session under the name of one that does not exist.",
    "not logged in": "Over ACP OpenClaw ends a prompt that was refused like one that was answered, with nothing said.",
  },
  opencode: {
    subagent: "OpenCode does not tell over ACP what a subagent does.",
    "too long for the context": "OpenCode shortens its context and goes on; over ACP it says nothing of it.",
  },
  pi: { "permission given": pi, "permission refused": pi },
};
