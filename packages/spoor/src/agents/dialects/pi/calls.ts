import type { ToolKind } from "@spoor/protocol";
import { asCount, asObject, asText, type Json } from "../../json-machine.ts";
import type { McpTool, Signal, ToolEnd } from "../../signal.ts";
import { growth } from "./growth.ts";
import type { PiProfile } from "./profile.ts";
import { exitCodeOf, filesOf, outcomeOf, outputOf, textOf } from "./result.ts";

interface Call {
  id: string;
  name: string;
  toolKind: ToolKind;
  mcp?: McpTool;
  input: unknown;
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
    return [{ kind: "toolStart", id, name, ...this.#kindOf(name) }];
  }

  /** The input is complete: told by the model's message, and again when the tool is about to run. */
  ready(id: string, name: string, input: unknown): Signal[] {
    if (this.#ended.has(id)) return [];
    const known = this.#open.get(id);
    if (known) {
      known.input = input;
      return [];
    }
    const tool = { id, name, ...this.#kindOf(name), input };
    this.#open.set(id, { ...tool, ran: false, shown: "", asked: false, refused: false });
    return [{ kind: "toolReady", ...tool }];
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
    return commandOf(call) === undefined ? undefined : this.#shell(call, asObject(frame.partialResult) ?? {});
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
    const exitCode = commandOf(call) === undefined ? undefined : exitCodeOf(result);
    const end = this.#endOf(call, result, isError);
    if (exitCode !== undefined) end.exitCode = exitCode;
    // A call that was refused, or whose input was no good, has run no command.
    const shell = call.ran || !isError || exitCode !== undefined ? this.#shell(call, result) : [];
    const denied: Signal[] =
      end.outcome === "blocked" && !call.asked ? [{ kind: "denied", reason: textOf(result) }] : [];
    return [...begun, ...shell, ...denied, end];
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

  #endOf(call: Call, result: Json, isError: boolean): ToolEnd {
    const { id, name } = call;
    const details = asObject(result.details) ?? {};
    const durationMs = asCount(details.wallTimeMs);
    const end = { kind: "toolEnd", id, name, ...(durationMs !== undefined && { durationMs }) } as const;
    if (!isError) {
      return { ...end, output: outputOf(result), files: filesOf(call.toolKind, asObject(call.input) ?? {}, details) };
    }
    const error = textOf(result);
    return { ...end, error, outcome: call.refused ? "blocked" : outcomeOf(error) };
  }

  #shell(call: Call, result: Json): Signal[] {
    const command = commandOf(call);
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

  #kindOf(name: string): { toolKind: ToolKind; mcp?: McpTool } {
    const { server, tool } = this.#profile.mcpName?.exec(name)?.groups ?? {};
    if (server && tool) return { toolKind: "mcp", mcp: { server, tool } };
    return { toolKind: Object.hasOwn(this.#profile.tools, name) ? (this.#profile.tools[name] as ToolKind) : "other" };
  }
}

const commandOf = ({ toolKind, input }: Call): string | undefined =>
  toolKind === "shell" ? asText(asObject(input)?.command) : undefined;

function withoutRemarks(text: string, remark: RegExp): string {
  const shorter = text.replace(remark, "");
  return shorter === text ? text : withoutRemarks(shorter, remark);
}
