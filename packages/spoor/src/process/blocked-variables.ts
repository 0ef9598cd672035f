/** Variables that are not passed on to an agent, with the reason. A name that ends in `*` is a prefix. */
export interface BlockedVariables {
  names: readonly string[];
  reason: string;
  /** The caller can pass them on by listing them explicitly. Otherwise they are never passed on. */
  mayBeNamed?: true;
}

export const blockedVariables: readonly BlockedVariables[] = [
  {
    names: ["SPOOR_*"],
    reason: "They configure Spoor itself and may hold its access tokens. SPOOR_HOME is the exception: it is a path.",
  },
  {
    names: ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_EXECPATH"],
    reason:
      "Claude Code sets them for its tools; a Claude Code that finds them refuses to start or reports a wrong origin.",
    mayBeNamed: true,
  },
  {
    names: ["CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_ENV_FILE"],
    reason: "They connect Claude Code to the session, the editor or the hook that started Spoor.",
    mayBeNamed: true,
  },
  {
    names: ["CODEX_THREAD_ID", "CODEX_INTERNAL_ORIGINATOR_OVERRIDE"],
    reason: "Codex sets them for its tools; they name the outer thread and the outer client.",
    mayBeNamed: true,
  },
  {
    names: ["GEMINI_CLI", "GEMINI_CLI_NO_RELAUNCH", "QWEN_CODE", "QWEN_CLI_NO_RELAUNCH", "QWEN_CODE_NO_RELAUNCH"],
    reason:
      "Gemini CLI and Qwen Code set them for their children; an agent that finds them does not set up its own memory.",
    mayBeNamed: true,
  },
  {
    names: ["OPENCODE", "OPENCODE_PID", "OPENCODE_CLIENT", "OPENCODE_RUN_ID", "OPENCODE_PROCESS_ROLE"],
    reason: "OpenCode sets them for its children; they name the outer process and its role.",
    mayBeNamed: true,
  },
  {
    names: ["COPILOT_CLI", "COPILOT_AGENT_SESSION_ID", "COPILOT_LOADER_PID", "COPILOT_RUN_APP"],
    reason: "Copilot sets them for its children; they name the outer session and process.",
    mayBeNamed: true,
  },
  {
    names: ["AI_AGENT", "AGENT_SESSION_ID", "AGENT_THREAD_ID", "AMP_CURRENT_THREAD_ID", "CURSOR_AGENT"],
    reason: "Amp, Cursor, Goose and others set them to say which agent runs a command; the inner agent is another one.",
    mayBeNamed: true,
  },
  {
    names: ["GOOSE_TERMINAL", "PI_CODING_AGENT", "AUGMENT_AGENT", "CLINE_ACTIVE", "KILO_PID"],
    reason: "Other agents set them for the commands they run.",
    mayBeNamed: true,
  },
];

/** Spoor's own variables that are passed on: they are not secret, and a nested `spoor` needs them to find the same data. */
export const passedSpoorVariables: readonly string[] = ["SPOOR_HOME"];
