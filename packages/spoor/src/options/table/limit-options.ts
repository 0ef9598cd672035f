import { flag, listOf, number, oneOf, text, whole } from "../checks.ts";
import { mcpServer } from "../mcp-servers.ts";
import type { OptionRow } from "../option-row.ts";
import { retryPolicy } from "../retry-policy.ts";

/** Options that limit what the agent may do and use, and for how long, and decide what happens when it fails. */
export const limitOptions = {
  approve: {
    doc:
      "What happens when the agent asks for permission: `ask` (the default) waits for an answer, `auto` allows, `deny` " +
      "refuses. `prompt` and `yolo` are other words for `ask` and `auto`. With `onApprovalRequest`, `auto` asks the " +
      "callback instead of allowing everything.",
    check: oneOf("ask", "auto", "deny", "prompt", "yolo"),
    scope: "shared",
    needsTrust: allowsEverything,
    synonyms: { yolo: "auto", prompt: "ask" },
    group: "approval",
    flag: {
      name: "--approve <mode>",
      help: "what to do about actions that need permission (default: ask)",
      reads: "choice",
    },
  },
  approvalMode: {
    doc: "Another name of `approve`.",
    check: oneOf("ask", "auto", "deny", "prompt", "yolo"),
    scope: "shared",
    needsTrust: allowsEverything,
    group: "approval",
    aliasOf: "approve",
    noFlag: "--approve sets it",
  },
  onReject: {
    doc:
      "What happens when somebody refuses an action, or nobody answers in time: `continue` (the default) tells the agent, " +
      "which carries on without it; `fail` (the default of Spoor's own loop) ends the run.",
    check: oneOf("continue", "fail"),
    scope: "shared",
    // A project must not loosen what the user wants.
    needsTrust: (value) => value !== "fail",
    flag: {
      name: "--on-reject <what>",
      help: "what to do when an action is refused: tell the agent and go on, or end the run (default: continue; for loop: fail)",
      reads: "choice",
    },
  },
  sandbox: {
    doc:
      "What holds the commands of Spoor's own loop: `auto` (the default) is bubblewrap, and where it does not work a person " +
      "is asked about every command; `bwrap` refuses to run commands without it; `none` gives it up. Commands have no " +
      "network, unless a call names hosts and each of them is allowed: then the command reaches every address.",
    check: oneOf("auto", "bwrap", "none"),
    scope: "shared",
    // A project must not give up what protects its user.
    needsTrust: (value) => value !== "bwrap",
    toAgent: true,
    needs: "the choice of a sandbox",
    flag: {
      name: "--sandbox <which>",
      help: "what holds the commands of the agent loop: auto, bwrap or none (default: auto). In it they have no network, unless a call names hosts that are allowed: then they reach every address",
      reads: "choice",
    },
  },
  mcpServers: {
    doc: "MCP servers the agent may use, besides those of its own configuration.",
    check: listOf(mcpServer),
    scope: "shared",
    needsTrust: true,
    merge: "names",
    needs: {
      mcpServers: "MCP servers",
      remoteMcpServers: "MCP servers over streamable HTTP",
      sseMcpServers: "MCP servers over SSE",
    },
    flag: {
      name: "--mcp <file>",
      help: 'a JSON file with MCP servers for the agent: {"mcpServers": {"name": {"command": "…", "args": […]}}}',
      reads: "mcp-file",
    },
  },
  skills: {
    doc: "Files or directories of skills the agent may use.",
    check: listOf(text),
    scope: "shared",
    needsTrust: true,
    toAgent: true,
    needs: "skills",
    noFlag: "skills depend on the project, so they belong in a profile",
  },
  maxTurns: {
    doc: "The run stops after this many turns.",
    check: whole(1),
    scope: "shared",
    toAgent: true,
    flag: { name: "--max-turns <n>", help: "stop the run after this many turns", reads: "count" },
  },
  timeout: {
    doc: "The run stops after this many milliseconds; 0 is no limit. Each retry gets the full time again.",
    check: whole(0),
    scope: "shared",
    flag: {
      name: "--timeout <span>",
      help: "stop the run after this long: 90 (seconds), 5m, 1h30m",
      reads: "milliseconds",
    },
  },
  inactivityTimeout: {
    doc: "The run stops when the agent prints nothing for this many milliseconds; 0 is no limit.",
    check: whole(0),
    scope: "shared",
    flag: {
      name: "--inactivity <span>",
      help: "stop the run when the agent prints nothing for this long: 90 (seconds), 5m",
      reads: "milliseconds",
    },
  },
  budget: {
    doc:
      "The run stops when all runs of its task together have cost this many US dollars. Without recording, only the run " +
      "itself counts. A run of an agent that reports no tokens is refused, unless `budgetAdvisory` is set.",
    check: number(0.000_001, 1_000_000),
    scope: "shared",
    // A project must not raise the user's budget.
    needsTrust: true,
    flag: {
      name: "--budget <usd>",
      help: "stop the run when its task has cost this much, in US dollars: 2.50",
      reads: "dollars",
    },
  },
  budgetAdvisory: {
    doc: "The run only says when the budget is spent, and goes on.",
    check: flag,
    scope: "shared",
    needsTrust: true,
    flag: { name: "--budget-advisory", help: "only say when the budget is spent, and go on", reads: "switch" },
  },
  gracePeriodMs: {
    doc: "The time between asking the agent's process to end and killing it, in milliseconds.",
    check: whole(0),
    scope: "shared",
    noFlag: "the right value depends on the machine, so it belongs in a configuration file",
  },
  retryPolicy: {
    doc: "When a failed run is tried again, in the same event stream. Without it, nothing is retried.",
    check: retryPolicy,
    scope: "shared",
    merge: "keys",
    flag: {
      name: "--retries <n>",
      help: "try again up to this many times when the agent crashes, times out or is rate limited",
      reads: "count",
      toOption: (maxAttempts) => ({ maxAttempts }),
    },
  },
} satisfies Readonly<Record<string, OptionRow>>;

function allowsEverything(value: unknown): boolean {
  return value === "auto" || value === "yolo";
}
