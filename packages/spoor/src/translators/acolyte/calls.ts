import { asText, failureOf, maybe, type Payload, text } from "../translator.ts";
import { toolError } from "./errors.ts";
import type { StreamEvent, ToolOutput } from "./stream-event.ts";

/** The calls of a run. Whatever is said of a call, its `tool-call` comes first. */
export interface Calls {
  /** The name of a call, before all of its input is known. */
  name(data: Payload): void;
  announce(data: Payload): StreamEvent[];
  output(data: Payload, parts: readonly ToolOutput[]): StreamEvent[];
  end(type: string, data: Payload): StreamEvent[];
  /** A command that belongs to no call is a call of its own. */
  command(data: Payload): StreamEvent[];
  commandEnd(data: Payload): StreamEvent[];
}

interface Call {
  toolCallId: string;
  toolName: string;
  /** Whether something of it was passed on already, so that the result would repeat it. */
  hasOutput: boolean;
  isOver: boolean;
}

export function createCalls(): Calls {
  const calls = new Map<string, Call>();
  const names = new Map<string, string>();
  let commands = 0;

  /** Agents that do not say which call runs a command run one at a time. */
  const idOf = (data: Payload): string => maybe(data, "tool_call_id") ?? `shell-${Math.max(commands, 1)}`;

  function open(data: Payload, args: unknown = data.input): { call: Call; events: StreamEvent[] } {
    const toolCallId = idOf(data);
    const known = calls.get(toolCallId);
    if (known) return { call: known, events: [] };
    const toolName =
      maybe(data, "tool_name") ?? names.get(toolCallId) ?? (maybe(data, "tool_call_id") ? "tool" : "shell");
    const call: Call = { toolCallId, toolName, hasOutput: false, isOver: false };
    calls.set(toolCallId, call);
    return { call, events: [{ type: "tool-call", toolCallId, toolName, args: argsOf(args) }] };
  }

  function output(data: Payload, parts: readonly ToolOutput[]): StreamEvent[] {
    if (parts.length === 0) return [];
    const { call, events } = open(data);
    call.hasOutput = true;
    const { toolCallId, toolName } = call;
    return [
      ...events,
      ...parts.map((content): StreamEvent => ({ type: "tool-output", toolCallId, toolName, content })),
    ];
  }

  function close(data: Payload, failure?: { type: string; said: string }): StreamEvent[] {
    const { call, events } = open(data);
    if (call.isOver) return events;
    call.isOver = true;
    const { toolCallId, toolName } = call;
    const failed = failure && { isError: true as const, ...toolError(failure.type, toolName, failure.said) };
    // Acolyte's own clients show a call from its first output on, and would wait for the result of one that comes later.
    const shown = call.hasOutput ? [] : output(data, [{ kind: "no-output" }]);
    return [...events, ...shown, { type: "tool-result", toolCallId, toolName, ...failed }];
  }

  return {
    name(data) {
      const id = maybe(data, "tool_call_id");
      if (id !== undefined) names.set(id, text(data, "tool_name"));
    },
    announce: (data) => open(data).events,
    output,
    end(type, data) {
      if (type !== "tool.completed") return close(data, { type, said: failureOf(type, data) });
      const said = asText(data.output ?? undefined);
      const isNew = said.trim() !== "" && !calls.get(idOf(data))?.hasOutput;
      const shown = isNew ? output(data, [{ kind: "text", text: said }]) : [];
      // A tool may complete with an error that the model was told.
      const error = maybe(data, "error");
      return [...shown, ...close(data, error === undefined ? undefined : { type: "tool.failed", said: error })];
    },
    command(data) {
      if (maybe(data, "tool_call_id") === undefined) commands += 1;
      const command = data.command_string ?? data.argv;
      return open(data, command === undefined ? undefined : { command }).events;
    },
    commandEnd(data) {
      if (maybe(data, "tool_call_id") !== undefined) return open(data).events;
      const code = data.exit_code;
      return close(
        data,
        code === 0 ? undefined : { type: "tool.failed", said: `The command ended with code ${code}.` },
      );
    },
  };
}

/** Arguments are an object in Acolyte; other input is put into one. */
function argsOf(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {};
  return typeof input === "object" && !Array.isArray(input) ? (input as Record<string, unknown>) : { input };
}
