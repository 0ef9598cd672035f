import type { Writable } from "node:stream";
import type { AgentEvent } from "@spoor/protocol";
import { plural } from "./plural.ts";
import { createScreen } from "./screen.ts";
import { terminalSafe } from "./terminal-safe.ts";

/**
 * Shows a run to a person as it happens: the text of the agent as it is streamed, and a line for each action. Text of the
 * agent is made safe for the terminal first, so that it cannot move the cursor or forge a line.
 */
export function createRenderer(output: Writable, screen = createScreen(output)): (event: AgentEvent) => void {
  const { line, say, endLine } = screen;
  let hasSpoken = false;

  return (event) => {
    switch (event.type) {
      case "debug":
        if (event.level === "warn") line(`! ${brief(event.message)}`);
        break;
      case "text_delta":
        hasSpoken = true;
        say(event.delta);
        break;
      case "message_stop":
        // No deltas were seen, because they are filtered out or came before we joined: show the whole text.
        if (!hasSpoken) say(event.text);
        hasSpoken = false;
        endLine();
        break;
      case "tool_call_ready":
        line(`● ${terminalSafe(event.toolName)} ${brief(event.input)}`);
        break;
      case "mcp_tool_call_start":
        line(`● ${terminalSafe(`${event.server}/${event.toolName}`)} ${brief(event.input)}`);
        break;
      case "shell_exit":
        if (event.exitCode !== 0) line(`  exit ${event.exitCode}`);
        break;
      case "tool_error":
      case "mcp_tool_error":
        line(`  ✗ ${brief(event.error)}`);
        break;
      case "file_patch":
        line(`  ✎ ${terminalSafe(event.path)} ${changes(event.diff)}`);
        break;
      case "file_create":
      case "file_write":
        line(`  ✎ ${terminalSafe(event.path)} (${plural(event.byteCount, "byte")})`);
        break;
      case "file_delete":
        line(`  ✎ ${terminalSafe(event.path)} deleted`);
        break;
      case "subagent_spawn":
        line(`● ${terminalSafe(event.agentName)}: ${brief(event.prompt)}`);
        break;
      case "approval_denied":
        line(`  refused${event.reason ? `: ${brief(event.reason)}` : ""}`);
        break;
      case "retry":
        line(`  retry ${event.attempt}: ${brief(event.reason)}`);
        break;
      case "context_compacted":
        line("  context compacted");
        break;
      case "cost":
        if (event.cost.totalUsd > 0) line(`  $${event.cost.totalUsd.toFixed(4)}`);
        break;
    }
  };
}

/** The first line of a value, at most a hundred characters of it. */
export function brief(value: unknown): string {
  const text = typeof value === "string" ? value : (command(value) ?? JSON.stringify(value) ?? "");
  const [first = ""] = text.split("\n", 1);
  return terminalSafe(first.length > 100 ? `${first.slice(0, 100).toWellFormed()}…` : first);
}

/** The most important field of a tool's input, if it has one that we know. */
function command(input: unknown): string | undefined {
  const fields = (input ?? {}) as Record<string, unknown>;
  const candidates = ["command", "file_path", "path", "pattern", "url", "query"].map((name) => fields[name]);
  return candidates.find((value): value is string => typeof value === "string");
}

function changes(diff: string): string {
  const count = (sign: string) =>
    diff.split("\n").filter((text) => text.startsWith(sign) && !text.startsWith(sign.repeat(3))).length;
  return `+${count("+")} -${count("-")}`;
}
