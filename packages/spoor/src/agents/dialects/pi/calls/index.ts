import { given } from "../../../given.ts";
import { growth } from "../../../growth.ts";
import { asCount, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";
import { commandIn, type ToolCall, toolNamed } from "../../../tool.ts";
import type { PiProfile } from "../profile.ts";
import { exitCodeOf, filesOf, outcomeOf, outputOf, textOf } from "../results/index.ts";

export interface Call extends ToolCall {
  /** The command's output as last shown; of any tool, something once there are signs that it runs. */
  shown?: string;
  /** Whether permission was asked for, and what came of it. */
  permission?: "asked" | "refused";
}

export type Calls = ReturnType<typeof createCalls>;

/** Tool calls: written by the model, run, told in growing partial results, ended once. */
export function createCalls({ tools, mcpName, shellRemarks }: PiProfile) {
  const open = new Map<string, Call>();
  const ended = new Set<string>();

  const begin = (id: string, name: string): Signal[] => [{ kind: "toolStart", id, ...toolNamed(name, tools, mcpName) }];

  /** The input is complete: told by the model's message, and again when the tool is about to run. */
  function ready(told: unknown, name: unknown, input: unknown): Signal[] | undefined {
    const id = asText(told);
    if (!id || ended.has(id)) return undefined;
    const known = open.get(id);
    const call = known ?? { id, ...toolNamed(asText(name) || "unknown", tools, mcpName), input };
    call.input = input;
    // Calls start one after the other, each asked about before the next: the last to start is the one in question.
    open.delete(id);
    open.set(id, call);
    return known ? [] : [{ kind: "toolReady", ...call }];
  }

  /** Partial results repeat the output so far. Those of tools that run no command have no counterpart. */
  function update(frame: Json): Signal[] | undefined {
    const call = open.get(asText(frame.toolCallId) ?? "");
    if (!call) return undefined;
    call.shown ??= "";
    return show(call, asObject(frame.partialResult) ?? {});
  }

  /** Also for the message that repeats the result: it counts where the end itself was not seen. */
  function end(frame: Json, result: Json): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id) return undefined;
    if (ended.has(id)) return [];
    const begun = open.has(id) ? [] : ready(id, frame.toolName, {});
    const call = open.get(id) as Call;
    open.delete(id);
    ended.add(id);
    const isError = frame.isError === true;
    const end = endOf(call, result, isError);
    // A call that was refused, or whose input was no good, has run no command.
    const hasRun = call.shown !== undefined || !isError || end.exitCode !== undefined;
    const isDenied = end.outcome === "blocked" && !call.permission;
    return [
      ...(begun ?? []),
      ...((hasRun && show(call, result)) || []),
      ...(isDenied ? [{ kind: "denied", reason: textOf(result) } as const] : []),
      end,
    ];
  }

  /** The command and its output, where the call runs one. */
  function show(call: Call, result: Json): Signal[] | undefined {
    const command = commandIn(call);
    if (command === undefined) return undefined;
    const { id, shown = "" } = call;
    call.shown = textOf(result).replace(shellRemarks, "");
    return [
      { kind: "shell", id, command },
      { kind: "output", id, stream: "stdout", text: growth(shown, call.shown) },
    ];
  }

  /** The call that permission is asked for: the last one that has not run yet. */
  function ask(): Call | undefined {
    const call = [...open.values()].findLast(({ shown }) => shown === undefined);
    if (call) call.permission = "asked";
    return call;
  }

  /** The next model call begins: nothing more comes of the calls before it. */
  const forget = (): void => open.clear();

  return { begin, ready, update, end, ask, forget };
}

function endOf(call: Call, result: Json, isError: boolean): ToolEnd {
  const { id, name, toolKind, input, permission } = call;
  const details = asObject(result.details) ?? {};
  const exitCode = commandIn(call) === undefined ? undefined : exitCodeOf(result);
  const end = { kind: "toolEnd", id, name, ...given({ durationMs: asCount(details.wallTimeMs), exitCode }) } as const;
  if (!isError) return { ...end, output: outputOf(result), files: filesOf(toolKind, asObject(input) ?? {}, details) };
  const error = textOf(result);
  return { ...end, error, outcome: permission === "refused" ? "blocked" : outcomeOf(error) };
}
