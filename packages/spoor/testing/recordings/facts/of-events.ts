import type { AgentEvent } from "@spoor/protocol";
import { changedLines, distinct, type Ending, type Facts, type FileFact } from "./facts.ts";
import { ToolList, wordsOf } from "./tool-facts.ts";

/** The facts in the events. All of them are read, so that any fact of the wire can be compared. */
export function factsOfEvents(events: readonly AgentEvent[]): Facts {
  const children = new Set(events.flatMap((event) => (event.type === "subagent_spawn" ? [event.childRunId] : [])));
  const messages: string[] = [];
  const tools = new ToolList();
  const files: FileFact[] = [];
  const approvals = new Map<string, { tool?: string; granted?: boolean }>();
  const questions: string[] = [];
  const endings = new Map<string, Ending>();
  const calls: Spent[] = [];
  const sums: Spent[] = [];
  let subagents = 0;
  let version: string | undefined;

  for (const event of events) {
    const isMain = !children.has(event.runId);
    switch (event.type) {
      case "message_stop":
        if (isMain) messages.push(event.text);
        break;
      case "tool_call_ready":
        tools.tell({ id: event.toolCallId, name: event.toolName, input: event.input });
        break;
      case "mcp_tool_call_start":
        tools.tell({ id: event.toolCallId, name: `${event.server}/${event.toolName}`, input: event.input });
        break;
      case "tool_result":
      case "mcp_tool_result":
        tools.tell({ id: event.toolCallId, failed: false, ...result(event.output) });
        break;
      case "tool_error":
      case "mcp_tool_error":
        tools.tell({ id: event.toolCallId, failed: true, result: event.error.trim() });
        break;
      case "shell_exit":
        if (event.toolCallId) tools.tell({ id: event.toolCallId, exitCode: event.exitCode });
        break;
      case "file_read":
        files.push({ op: "read", path: event.path });
        break;
      case "file_write":
      case "file_create":
        files.push({ op: event.type === "file_write" ? "write" : "create", path: event.path });
        break;
      case "file_delete":
        files.push({ op: "delete", path: event.path });
        break;
      case "file_patch":
        files.push({ op: "patch", path: event.path, lines: changedLines(event.diff) });
        break;
      case "approval_request":
        approvals.set(event.interactionId, event.toolCallId === undefined ? {} : { tool: event.toolCallId });
        break;
      case "approval_granted":
      case "approval_denied": {
        const asked = approvals.get(event.interactionId) ?? {};
        approvals.set(event.interactionId, { ...asked, granted: event.type === "approval_granted" });
        break;
      }
      case "input_required":
        questions.push(event.question);
        break;
      case "subagent_spawn":
        subagents += 1;
        break;
      case "session_start":
        version ??= event.agentVersion;
        if (isMain) endings.set(event.runId, "completed");
        break;
      case "session_end":
        if (!isMain) break;
        if (event.cost) sums.push(event.cost);
        break;
      case "token_usage":
        if (isMain) calls.push(event);
        break;
      default: {
        const ending = endingOf(event);
        if (ending && isMain) endings.set(event.runId, ending);
      }
    }
  }
  return {
    ...(version !== undefined && { version }),
    said: messages.join(""),
    finalText: messages.at(-1) ?? "",
    tools: tools.all,
    files,
    changes: files.filter(({ op }) => op !== "read"),
    approvals: [...approvals.values()],
    questions,
    subagents,
    endings: distinct([...endings.values()]),
    ...spending(sums.length > 0 ? sums : calls),
  };
}

interface Spent {
  inputTokens: number;
  outputTokens: number;
  totalUsd?: number;
}

/** The total cost of the runs if it is reported, or else that of their model calls. */
const spending = (list: readonly Spent[]): Required<Pick<Facts, "tokens" | "costUsd">> => ({
  tokens: {
    input: list.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    output: list.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  },
  costUsd: list.reduce((sum, { totalUsd = 0 }) => sum + totalUsd, 0),
});

function result(output: unknown): { result?: string } {
  const words = wordsOf(output);
  return words === undefined ? {} : { result: words };
}

function endingOf(event: AgentEvent): Ending | undefined {
  switch (event.type) {
    case "interrupted":
    case "turn_limit":
    case "crash":
      return event.type;
    case "auth_error":
      return "auth";
    case "rate_limit_error":
      return "rate_limit";
    case "context_exceeded":
      return "context";
    case "error":
      return event.recoverable ? undefined : "error";
    default:
      return undefined;
  }
}
