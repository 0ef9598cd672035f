import type { AcpAgent } from "../dialects/acp/index.ts";

/**
 * How agents that have other wires too speak ACP, for their adapters to give to `createAcpDialect`. What is said of
 * cursor and hermes is from their documentation; the others were recorded.
 */
export const acpWires = {
  copilot: {
    launch: { command: "copilot", args: ["--acp"], allow: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"] },
    // It speaks of retries and refusals as if the model did, and of failures too.
    noise: /^Info: /,
    spokenError: /^Error: /,
  },
  cursor: {
    launch: {
      ...{ command: "cursor-agent", args: ["acp"], allow: ["CURSOR_*"] },
      authenticate: "cursor_login",
      // It waits for answers to these, and stands still when told that they are not offered.
      replies: {
        "cursor/ask_question": { outcome: "cancelled" },
        "cursor/create_plan": { outcome: "accepted" },
        "cursor/update_todos": {},
        "cursor/task": {},
        "cursor/generate_image": {},
      },
    },
    commandInTitle: true,
  },
  hermes: {
    launch: { command: "hermes", args: ["acp"], allow: ["HERMES_*"], serves: true },
    nameInTitle: /^(\w+): /,
    askedApart: /^perm-check-/,
    tools: {
      delegate_task: "subagent",
      execute_code: "shell",
      patch: "edit",
      process: "shell",
      read_file: "file_read",
      search_files: "grep",
      terminal: "shell",
      todo: "todo_write",
      write_file: "file_write",
    },
  },
  omp: {
    launch: { command: "omp", args: ["acp"], allow: ["OMP_*", "PI_*"], serves: true },
  },
  openclaw: {
    // A bridge to its gateway, which it is told of by arguments or its settings.
    launch: { command: "openclaw", args: ["acp"], allow: ["OPENCLAW_*"] },
    nameInTitle: /^(\w+): /,
    emptyIsFailure: "OpenClaw ended the prompt without an answer. It does not tell why; its gateway's log does.",
  },
  opencode: {
    launch: { command: "opencode", args: ["acp"], allow: ["OPENCODE_*"], serves: true },
  },
} as const satisfies Record<string, AcpAgent>;
