import type { AgentEvent } from "../agent-events/catalog.ts";
import type { CostRecord } from "../agent-events/cost-record.ts";
import type { ToolKind } from "../agent-events/tool.ts";
import type { Data } from "./conversion.ts";
import { changeTodo, type TodoItems } from "./todo-items.ts";
import { type Todo, todosOf } from "./todos.ts";
import { utf8Length } from "./utf8.ts";

/**
 * What the encoder remembers to add context to each envelope: the turn, the block, byte offsets, the kind of a call. It
 * drops what belongs to a turn when the turn ends, so the state stays small.
 */
export interface StreamState {
  /** Number of the turn, from 1; 0 before the first. */
  turn: number;
  turnStartedAt: number;
  toolCalls: number;
  textBlock: number;
  thinkingBlock: number;
  /** The last message of the turn, or undefined. */
  lastText: string | undefined;
  /** Whether the turn ended in a retry. */
  retried: boolean;
  calls: Map<string, CallState>;
  shells: Map<string, ShellState>;
  /** The tool call that waits for each open question. */
  waiting: Map<string, string>;
  cost: CostRecord | undefined;
  /** Whether somebody says when calls start, so that it does not follow from other events. */
  startsAreTold: boolean;
  /** To-dos that are told one by one. They outlive turns. */
  todoItems: TodoItems;
}

export interface CallState {
  name: string;
  kind: ToolKind | undefined;
  input: unknown;
  started: boolean;
  /** The last command that the call ran, and how it ended. */
  command?: string;
  exitCode?: number;
  /** The to-do list after the call. */
  todos?: Todo[];
  mcp?: { server: string; tool: string };
}

export interface ShellState {
  stdout: number;
  stderr: number;
}

export const initialState = (): StreamState => ({
  turn: 0,
  turnStartedAt: 0,
  toolCalls: 0,
  textBlock: -1,
  thinkingBlock: -1,
  lastText: undefined,
  retried: false,
  calls: new Map(),
  shells: new Map(),
  waiting: new Map(),
  cost: undefined,
  startsAreTold: false,
  todoItems: new Map(),
});

/** Shells without a call id share one key. */
export const shellKey = (event: { toolCallId?: string }): string => event.toolCallId ?? "";

/** Updates the state before the envelopes of an event are made. */
export function enter(state: StreamState, event: AgentEvent): void {
  switch (event.type) {
    case "turn_start":
      state.turn = event.turnIndex + 1;
      state.turnStartedAt = event.timestamp;
      state.toolCalls = 0;
      state.textBlock = -1;
      state.thinkingBlock = -1;
      state.lastText = undefined;
      state.retried = false;
      break;
    case "message_start":
      state.textBlock += 1;
      break;
    case "message_stop":
      state.lastText = event.text;
      break;
    case "thinking_start":
      state.thinkingBlock += 1;
      break;
    case "tool_call_start":
      state.toolCalls += 1;
      state.calls.set(event.toolCallId, {
        name: event.toolName,
        kind: event.toolKind,
        input: undefined,
        started: false,
      });
      break;
    case "tool_call_ready": {
      const call = state.calls.get(event.toolCallId);
      if (call) {
        call.input = event.input;
        call.kind = event.toolKind ?? call.kind;
      }
      break;
    }
    case "mcp_tool_call_start":
      state.toolCalls += 1;
      state.calls.set(event.toolCallId, {
        name: event.toolName,
        kind: "mcp",
        input: event.input,
        started: false,
        mcp: { server: event.server, tool: event.toolName },
      });
      break;
    case "shell_start":
      state.shells.set(shellKey(event), { stdout: 0, stderr: 0 });
      startCommand(state.calls.get(shellKey(event)), event.command);
      break;
    case "approval_request":
      if (event.toolCallId !== undefined) state.waiting.set(event.interactionId, event.toolCallId);
      break;
    case "retry":
      state.retried = true;
      break;
    case "tool_result":
      takeTodos(state, event.toolCallId, event.output);
      break;
  }
}

function takeTodos({ calls, todoItems }: StreamState, toolCallId: string, output: unknown): void {
  const call = calls.get(toolCallId);
  if (call?.kind !== "todo_write" || typeof call.input !== "object" || call.input === null) return;
  const input = call.input as Data;
  const todos = todosOf(input) ?? changeTodo(todoItems, input, output);
  if (todos) call.todos = todos;
}

function startCommand(call: CallState | undefined, command: string): void {
  if (!call) return;
  call.command = command;
  delete call.exitCode;
}

/** Updates the state after the envelopes of an event are made. Calls stay until the turn ends, because files follow results. */
export function leave(state: StreamState, event: AgentEvent): void {
  switch (event.type) {
    case "shell_stdout_delta":
    case "shell_stderr_delta": {
      const shell = state.shells.get(shellKey(event));
      if (shell) shell[event.type === "shell_stdout_delta" ? "stdout" : "stderr"] += utf8Length(event.delta);
      break;
    }
    case "shell_exit": {
      state.shells.delete(shellKey(event));
      const call = state.calls.get(shellKey(event));
      if (call) call.exitCode = event.exitCode;
      break;
    }
    case "approval_granted":
    case "approval_denied":
      state.waiting.delete(event.interactionId);
      break;
    case "cost":
      state.cost = event.cost;
      break;
    case "tool_result":
    case "tool_error":
    case "mcp_tool_result":
    case "mcp_tool_error": {
      const call = state.calls.get(event.toolCallId);
      // A permission that comes too late starts nothing.
      if (call) call.started = true;
      break;
    }
    case "turn_end":
      state.calls.clear();
      state.shells.clear();
      break;
  }
}
