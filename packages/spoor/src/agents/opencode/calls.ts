import { asArray, asCount, asNumber, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";
import { outcomeOf, remarkOf, type ToolFailure } from "./failures.ts";
import { filesOf } from "./files.ts";
import { kindOf, type Tool, toolOf } from "./tools.ts";

interface Call extends Tool {
  input: unknown;
  isReady: boolean;
  isSpawned: boolean;
  /** Permission was asked for it, so that its refusal is an answer. */
  isAsked: boolean;
  /** What it printed so far. */
  told: string;
  /** Questions about it that came before its input did. */
  asks: ((tool: AskedTool) => Signal)[];
}

export type AskedTool = Tool & { id: string; input: unknown };

/**
 * Tool calls, told by parts: each is the whole call as it is now. Some wires tell all of its life, `pending`, `running`
 * with the input and what was printed so far, and its end; others the end alone.
 */
export class Calls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** What subagents do is told too: one begins once its session is known. */
  readonly #tellsChildren: boolean;

  constructor({ tellsChildren }: { tellsChildren: boolean }) {
    this.#tellsChildren = tellsChildren;
  }

  /** `undefined` for what tells nothing new. */
  read(part: Json, cwd: string | undefined): Signal[] | undefined {
    const id = asText(part.callID);
    const state = asObject(part.state) ?? {};
    if (!id || this.#ended.has(id)) return undefined;
    const signals: Signal[] = [];
    const call = this.#open.get(id) ?? this.#begin(id, asText(part.tool) ?? "unknown", state, signals);
    if (state.status === "pending") return signals;
    const failure = failureOf(asText(part.tool), state);
    signals.push(...this.#ready(id, call, state, failure, cwd));
    if (call.toolKind === "shell") signals.push(...tell(id, call, printedIn(asObject(state.metadata)?.output)));
    if (state.status === "completed" || state.status === "error") signals.push(...this.#end(id, call, state, failure));
    return signals;
  }

  /** Asks about a call, once its input is known; at once where there is no such call. */
  ask(id: string, make: (tool: AskedTool | undefined) => Signal): Signal[] {
    const call = this.#open.get(id);
    if (!call) return [make(undefined)];
    call.isAsked = true;
    if (call.isReady) return [make(asked(id, call))];
    call.asks.push(make);
    return [];
  }

  #begin(id: string, name: string, state: Json, signals: Signal[]): Call {
    const tool = toolOf(name, state.input);
    const call: Call = {
      ...tool,
      input: undefined,
      isReady: false,
      isSpawned: false,
      isAsked: false,
      told: "",
      asks: [],
    };
    this.#open.set(id, call);
    signals.push({ kind: "toolStart", id, ...tool });
    return call;
  }

  #ready(id: string, call: Call, state: Json, failure: Failed | undefined, cwd: string | undefined): Signal[] {
    const signals: Signal[] = [];
    const input = asObject(state.input) ?? {};
    const isRefused = failure?.outcome === "blocked";
    if (!call.isReady) {
      call.isReady = true;
      call.input = input;
      const { name, toolKind, mcp } = call;
      signals.push({ kind: "toolReady", id, name, toolKind, input, ...(mcp && { mcp }) });
      const command = toolKind === "shell" ? asText(input.command) : undefined;
      const folder = asText(input.workdir) ?? cwd;
      if (command && !isRefused) signals.push({ kind: "shell", id, command, ...(folder && { cwd: folder }) });
    }
    signals.push(...call.asks.splice(0).map((make) => make(asked(id, call))));
    const session = this.#tellsChildren ? asText(asObject(state.metadata)?.sessionId) : undefined;
    const isDue = session !== undefined || !this.#tellsChildren || state.status !== "running";
    if (call.toolKind === "subagent" && !call.isSpawned && !isRefused && isDue) {
      call.isSpawned = true;
      const prompt = asText(input.prompt) ?? asText(input.description) ?? "";
      const name = asText(input.subagent_type) || call.name;
      signals.push({ kind: "spawn", id, name, prompt, ...(session !== undefined && { tracked: true }) });
    }
    return signals;
  }

  #end(id: string, call: Call, state: Json, failure: Failed | undefined): Signal[] {
    this.#open.delete(id);
    this.#ended.add(id);
    const metadata = asObject(state.metadata);
    const time = asObject(state.time);
    const output = asText(state.output) ?? "";
    const exitCode = call.toolKind === "shell" ? asNumber(metadata?.exit) : undefined;
    const durationMs = asCount((asNumber(time?.end) ?? Number.NaN) - (asNumber(time?.start) ?? Number.NaN));
    const ran = {
      ...(exitCode !== undefined && { exitCode: Math.trunc(exitCode) }),
      ...(durationMs !== undefined && { durationMs }),
    };
    if (failure) {
      const { error, outcome } = failure;
      const isUnasked = outcome === "blocked" && !call.isAsked;
      return [
        ...(isUnasked ? [{ kind: "denied", reason: error } as const] : []),
        ...(call.isSpawned ? [{ kind: "spawnEnd", id, error } as const] : []),
        { kind: "toolEnd", id, name: call.name, ...ran, error, outcome, ...(call.mcp && { protocol: false }) },
      ];
    }
    const attachments = asArray(state.attachments);
    const skill = call.name === "skill" ? asText(asObject(state.input)?.name) : undefined;
    return [
      ...(skill ? [{ kind: "fact", fact: { type: "skill_invoked", skillName: skill } } as const] : []),
      ...(call.isSpawned ? [{ kind: "spawnEnd", id, summary: reportIn(output) } as const] : []),
      {
        ...{ kind: "toolEnd", id, name: call.name, ...ran, files: filesOf(call.name, state) },
        output: attachments.length > 0 ? { output, attachments } : output,
      },
    ];
  }
}

interface Failed {
  error: string;
  outcome: ToolFailure;
}

/** Calls of tools there are not, and commands that were stopped, count as completed. */
function failureOf(name: string | undefined, state: Json): Failed | undefined {
  if (state.status === "error") {
    const error = asText(state.error) || "The tool failed.";
    return { error, outcome: outcomeOf(error) };
  }
  if (state.status !== "completed") return undefined;
  const output = asText(state.output) ?? "";
  if (name === "invalid") {
    const input = asObject(state.input);
    // One of its own tools that it does not have was taken away by a rule.
    const isTakenAway = kindOf(asText(input?.tool) ?? "") !== undefined && /unavailable tool/.test(`${input?.error}`);
    return { error: asText(input?.error) || output, outcome: isTakenAway ? "blocked" : "failed" };
  }
  const remark = name === "bash" ? remarkOf(output) : undefined;
  const outcome = remark === undefined ? "failed" : outcomeOf(remark);
  return outcome === "failed" ? undefined : { error: remark ?? output, outcome };
}

/** Output is told as a whole each time: the rest of it is new. */
function tell(id: string, call: Call, output: string): Signal[] {
  if (output.length <= call.told.length || !output.startsWith(call.told)) return [];
  const text = output.slice(call.told.length);
  call.told = output;
  return [{ kind: "output", id, stream: "stdout", text }];
}

const asked = (id: string, { name, toolKind, mcp, input }: Call): AskedTool => ({
  ...{ id, name, toolKind, input },
  ...(mcp && { mcp }),
});

/** What a command printed, without what is said of it at its end. */
export function printedIn(output: unknown): string {
  const text = (asText(output) ?? "").replace(/\s*<shell_metadata>[\s\S]*$/, "");
  return text === "(no output)" ? "" : text;
}

/** What a subagent reports, without what is put around it. */
export const reportIn = (output: string): string =>
  /<task_result>\s*([\s\S]*?)\s*<\/task_result>/.exec(output)?.[1] ?? output;
