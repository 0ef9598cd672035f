import type { Writable } from "node:stream";
import type { AgentEvent } from "@spoor/protocol";
import { createRenderer } from "../output/event-renderer.ts";
import { createScreen } from "../output/screen.ts";
import { terminalSafe } from "../output/terminal-safe.ts";

/** Shows a run as `spoor run` does, and besides it what the model thinks, its list, and what tools answer. */
export function createDemoRenderer(output: Writable): (event: AgentEvent) => void {
  const screen = createScreen(output);
  const render = createRenderer(output, screen);
  let mainRun: string | undefined;
  const quote = (text: string, mark: string): void => {
    for (const line of text.trimEnd().split("\n")) screen.line(`  ${mark} ${terminalSafe(line)}`);
  };

  return (event) => {
    mainRun ??= event.runId;
    if (event.runId !== mainRun) return renderSubagent(event);
    switch (event.type) {
      case "thinking_stop":
        screen.line(`~ ${terminalSafe(event.thinking)}`);
        return;
      case "tool_call_ready": {
        const todos = todosOf(event.input);
        if (todos) {
          screen.line(`● ${terminalSafe(event.toolName)}`);
          for (const { content, status } of todos) screen.line(`  ${marks[status] ?? "☐"} ${terminalSafe(content)}`);
        } else render(event);
        return;
      }
      case "shell_stdout_delta":
      case "shell_stderr_delta":
        quote(event.delta, "│");
        return;
      case "mcp_tool_result":
        quote(textOf(event.output), "│");
        return;
      case "subagent_result":
        quote(event.summary, "↳");
        return;
      default:
        render(event);
    }
  };

  /** A subagent is a run of its own; only what it says is shown. */
  function renderSubagent(event: AgentEvent): void {
    if (event.type === "tool_call_ready") screen.line(`    ● ${terminalSafe(event.toolName)}`);
  }
}

const marks: Readonly<Record<string, string>> = { completed: "☑", in_progress: "◐", pending: "☐" };

interface Todo {
  content: string;
  status: string;
}

function todosOf(input: unknown): readonly Todo[] | undefined {
  const { todos } = (input ?? {}) as { todos?: readonly Todo[] };
  return Array.isArray(todos) ? todos : undefined;
}

const textOf = (output: unknown): string => (typeof output === "string" ? output : (JSON.stringify(output) ?? ""));
