import { given } from "../../../given.ts";
import { growth } from "../../../growth.ts";
import { asCount, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal, ToolEnd } from "../../../signal.ts";
import { commandIn, type Tool, type ToolCall, toolNamed } from "../../../tool.ts";
import type { PiProfile } from "../profile.ts";
import { exitCodeOf, filesOf, outcomeOf, outputOf, textOf } from "../results/index.ts";

interface Call extends ToolCall {
  /** Whether its tool showed signs of running. */
  ran: boolean;
  /** The command's output as last shown. */
  shown: string;
  /** Whether permission was asked for, and what came of it. */
  asked: boolean;
  refused: boolean;
}

/** Tool calls: written by the model, run, told in growing partial results, ended once. */
export class Calls {
  readonly #profile: PiProfile;
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();

  constructor(profile: PiProfile) {
    this.#profile = profile;
  }

  begin(id: string, name: string): Signal[] {
    return [{ kind: "toolStart", id, ...this.#toolOf(name) }];
  }

  /** The input is complete: told by the model's message, and again when the tool is about to run. */
  ready(id: string, name: string, input: unknown): Signal[] {
    if (this.#ended.has(id)) return [];
    const known = this.#open.get(id);
    if (known) {
      known.input = input;
      return [];
    }
    const call: ToolCall = { id, ...this.#toolOf(name), input };
    this.#open.set(id, { ...call, ran: false, shown: "", asked: false, refused: false });
    return [{ kind: "toolReady", ...call }];
  }

  start(frame: Json): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id || this.#ended.has(id)) return undefined;
    const signals = this.ready(id, asText(frame.toolName) || "unknown", frame.args);
    // Calls start one after the other, each asked about before the next: the last to start is the one in question.
    const call = this.#open.get(id) as Call;
    this.#open.delete(id);
    this.#open.set(id, call);
    return signals;
  }

  /** Partial results repeat the output so far. Those of tools that run no command have no counterpart. */
  update(frame: Json): Signal[] | undefined {
    const call = this.#open.get(asText(frame.toolCallId) ?? "");
    if (!call) return undefined;
    call.ran = true;
    return commandIn(call) === undefined ? undefined : this.#shell(call, asObject(frame.partialResult) ?? {});
  }

  /** Also for the message that repeats the result: it counts where the end itself was not seen. */
  end(frame: Json, result: Json): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id) return undefined;
    if (this.#ended.has(id)) return [];
    const begun = this.#open.has(id) ? [] : this.ready(id, asText(frame.toolName) || "unknown", {});
    const call = this.#open.get(id) as Call;
    this.#open.delete(id);
    this.#ended.add(id);
    const isError = frame.isError === true;
    const end = endOf(call, result, isError);
    // A call that was refused, or whose input was no good, has run no command.
    const hasRun = call.ran || !isError || end.exitCode !== undefined;
    const shell = hasRun ? this.#shell(call, result) : [];
    const isDenied = end.outcome === "blocked" && !call.asked;
    return [...begun, ...shell, ...(isDenied ? [{ kind: "denied", reason: textOf(result) } as const] : []), end];
  }

  /** The next model call begins: nothing more comes of the calls before it. */
  forget(): void {
    this.#open.clear();
  }

  /** The call that permission is asked for: the last one that has not run yet. */
  ask(): Call | undefined {
    const call = [...this.#open.values()].findLast(({ ran }) => !ran);
    if (call) call.asked = true;
    return call;
  }

  #shell(call: Call, result: Json): Signal[] {
    const command = commandIn(call);
    if (command === undefined) return [];
    const now = withoutRemarks(textOf(result), this.#profile.shellRemark);
    const text = growth(call.shown, now);
    call.shown = now;
    const { id } = call;
    return [
      { kind: "shell", id, command },
      { kind: "output", id, stream: "stdout", text },
    ];
  }

  #toolOf(name: string): Tool {
    return toolNamed(name, this.#profile.tools, this.#profile.mcpName);
  }
}

function endOf(call: Call, result: Json, isError: boolean): ToolEnd {
  const { id, name, toolKind, input, refused } = call;
  const details = asObject(result.details) ?? {};
  const exitCode = commandIn(call) === undefined ? undefined : exitCodeOf(result);
  const end = { kind: "toolEnd", id, name, ...given({ durationMs: asCount(details.wallTimeMs), exitCode }) } as const;
  if (!isError) return { ...end, output: outputOf(result), files: filesOf(toolKind, asObject(input) ?? {}, details) };
  const error = textOf(result);
  return { ...end, error, outcome: refused ? "blocked" : outcomeOf(error) };
}

function withoutRemarks(text: string, remark: RegExp): string {
  const shorter = text.replace(remark, "");
  return shorter === text ? text : withoutRemarks(shorter, remark);
}
