import { newOutputSignals } from "../../kit/appended-text.ts";
import { skillInvoked } from "../../kit/fact-signals.ts";
import { asArray, asCount, asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import { commandOfCall, spawnSignal, type ToolCall, type ToolOutcome, toolCallFields } from "../../kit/tool-calls.ts";
import type { Signal } from "../../signal.ts";
import { outcomeOf, remarkOf } from "./opencode-failures.ts";
import { filesOf } from "./opencode-file-changes.ts";
import { toolKinds, toolOf } from "./opencode-tools.ts";

interface Call extends ToolCall {
  isReady: boolean;
  isSpawned: boolean;
  /** Permission was asked for the call, so its refusal is an answer. */
  isAsked: boolean;
  /** The output that was reported so far. */
  reported: string;
  /** Questions about the call that came before its input. */
  asks: ((tool: ToolCall) => Signal)[];
}

/**
 * Reads tool calls from parts; each part is the whole current state of a call. Some dialects report all states:
 * `pending`, `running` with the input and the output so far, and the end. Others report only the end.
 */
export class Calls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** The dialect also reports what subagents do. A subagent then begins once its session is known. */
  readonly #reportsSubagents: boolean;

  constructor({ reportsSubagents }: { reportsSubagents: boolean }) {
    this.#reportsSubagents = reportsSubagents;
  }

  /** Returns `undefined` if the part contains nothing new. */
  read(part: Json, cwd: string | undefined): Signal[] | undefined {
    const id = asText(part.callID);
    const state = asObject(part.state) ?? {};
    if (!id || this.#ended.has(id)) return undefined;
    const signals: Signal[] = [];
    const call = this.#open.get(id) ?? this.#begin(id, asText(part.tool) ?? "unknown", state, signals);
    if (state.status === "pending") return signals;
    const failure = failureOf(asText(part.tool), state);
    const isRefused = failure?.outcome === "blocked";
    signals.push(...ready(call, state, isRefused, cwd), ...this.#spawn(call, state, isRefused));
    if (call.toolKind === "shell") signals.push(...newOutputSignals(call, printedIn(asObject(state.metadata)?.output)));
    if (state.status === "completed" || state.status === "error") signals.push(...this.#end(call, state, failure));
    return signals;
  }

  /** Asks about a call once its input is known; at once if there is no such call. */
  ask(id: string, make: (tool: ToolCall | undefined) => Signal): Signal[] {
    const call = this.#open.get(id);
    if (!call) return [make(undefined)];
    call.isAsked = true;
    if (call.isReady) return [make(toolCallFields(call))];
    call.asks.push(make);
    return [];
  }

  #begin(id: string, name: string, state: Json, signals: Signal[]): Call {
    const tool = toolOf(name, state.input);
    const flags = { isReady: false, isSpawned: false, isAsked: false };
    const call: Call = { ...tool, id, input: undefined, ...flags, reported: "", asks: [] };
    this.#open.set(id, call);
    signals.push({ kind: "toolStart", id, ...tool });
    return call;
  }

  #spawn(call: Call, state: Json, isRefused: boolean): Signal[] {
    const session = this.#reportsSubagents ? asText(asObject(state.metadata)?.sessionId) : undefined;
    const isDue = session !== undefined || !this.#reportsSubagents || state.status !== "running";
    if (call.toolKind !== "subagent" || call.isSpawned || isRefused || !isDue) return [];
    call.isSpawned = true;
    // The input may come only with the end.
    const spawned = spawnSignal({ ...call, input: state.input });
    return [{ ...spawned, ...(session !== undefined && { tracked: true }) }];
  }

  #end(call: Call, state: Json, failure: Failed | undefined): Signal[] {
    const { id, name, toolKind, mcp, isSpawned, isAsked } = call;
    this.#open.delete(id);
    this.#ended.add(id);
    const { start, end } = asObject(state.time) ?? {};
    const exitCode = toolKind === "shell" ? asNumber(asObject(state.metadata)?.exit) : undefined;
    const durationMs = asCount((asNumber(end) ?? Number.NaN) - (asNumber(start) ?? Number.NaN));
    const ended = {
      ...({ kind: "toolEnd", id, name } as const),
      ...omitUndefined({ exitCode: exitCode && Math.trunc(exitCode), durationMs }),
    };
    if (failure) {
      const { error, outcome } = failure;
      return [
        ...(outcome === "blocked" && !isAsked ? [{ kind: "denied", reason: error } as const] : []),
        ...(isSpawned ? [{ kind: "spawnEnd", id, error } as const] : []),
        { ...ended, ...failure, ...(mcp && { protocol: false }) },
      ];
    }
    const output = asText(state.output) ?? "";
    const attachments = asArray(state.attachments);
    const skill = name === "skill" ? asText(asObject(state.input)?.name) : undefined;
    return [
      ...(skill ? [skillInvoked(skill)] : []),
      ...(isSpawned ? [{ kind: "spawnEnd", id, summary: reportIn(output) } as const] : []),
      { ...ended, files: filesOf(name, state), output: attachments.length > 0 ? { output, attachments } : output },
    ];
  }
}

function ready(call: Call, state: Json, isRefused: boolean, cwd: string | undefined): Signal[] {
  const signals: Signal[] = [];
  const { id } = call;
  if (!call.isReady) {
    const input = asObject(state.input) ?? {};
    call.isReady = true;
    call.input = input;
    signals.push({ kind: "toolReady", ...toolCallFields(call) });
    const command = commandOfCall(call);
    const folder = (asText(input.workdir) ?? cwd) || undefined;
    if (command && !isRefused) signals.push({ kind: "shell", id, command, ...omitUndefined({ cwd: folder }) });
  }
  return [...signals, ...call.asks.splice(0).map((make) => make(toolCallFields(call)))];
}

interface Failed {
  error: string;
  outcome: ToolOutcome;
}

/** Calls of unknown tools and commands that were stopped are reported as completed. */
function failureOf(name: string | undefined, state: Json): Failed | undefined {
  if (state.status === "error") {
    const error = asText(state.error) || "The tool failed.";
    return { error, outcome: outcomeOf(error) };
  }
  if (state.status !== "completed") return undefined;
  const output = asText(state.output) ?? "";
  if (name === "invalid") {
    const input = asObject(state.input);
    // A built-in tool that is unavailable was removed by a rule.
    const isTakenAway =
      Object.hasOwn(toolKinds, asText(input?.tool) ?? "") && /unavailable tool/.test(`${input?.error}`);
    return { error: asText(input?.error) || output, outcome: isTakenAway ? "blocked" : "failed" };
  }
  const error = (name === "bash" ? remarkOf(output) : undefined) ?? "";
  const outcome = outcomeOf(error);
  return outcome === "failed" ? undefined : { error, outcome };
}

/** The output of a command without the remark at its end. */
export function printedIn(output: unknown): string {
  const text = (asText(output) ?? "").replace(/\s*<shell_metadata>[\s\S]*$/, "");
  return text === "(no output)" ? "" : text;
}

/** A subagent's report without its markup. */
export const reportIn = (output: string): string =>
  /<task_result>\s*([\s\S]*?)\s*<\/task_result>/.exec(output)?.[1] ?? output;
