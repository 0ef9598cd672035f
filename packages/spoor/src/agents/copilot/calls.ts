import { asCount, asNumber, asObject, asText, type Json } from "../json-machine.ts";
import type { Signal, ToolEnd } from "../signal.ts";
import { rowOf } from "./table.ts";
import { type Call, callOf, commandOf, filesOf, isOwn, kindOf } from "./tools.ts";

/** Tool calls of one agent, from the first piece of their input to their result. */
export class Calls {
  cwd: string | undefined;
  readonly #calls = new Map<string, Call>();
  /** What the commands that run have printed. */
  readonly #printed = new Map<string, string>();
  /** Commands whose output was told from their result. */
  readonly #filled = new Set<string>();
  readonly #asked = new Set<string>();
  /** Skills told to be used by one of the two that tell it, whichever came first. */
  readonly #skills = { call: new Set<string>(), event: new Set<string>() };

  find(id: string | undefined): Call | undefined {
    return id === undefined ? undefined : this.#calls.get(id);
  }

  /** A piece of the input. Which calls are of MCP tools is known only once the input is whole. */
  piece({ toolCallId, toolName, inputDelta }: Json): Signal[] {
    const id = asText(toolCallId);
    const name = asText(toolName);
    if (id === undefined || name === undefined || !isOwn(name)) return [];
    return [
      { kind: "toolStart", id, name, toolKind: kindOf(name) },
      { kind: "toolInput", id, delta: asText(inputDelta) ?? "" },
    ];
  }

  /** A call as the model asked for it, or as it is begun. */
  ready(data: Json): Signal[] {
    const call = callOf(data);
    if (!call) return [];
    this.#calls.set(call.id, call);
    return [{ kind: "toolReady", ...call }];
  }

  asked(id: string): void {
    this.#asked.add(id);
  }

  /** The call was let through. A refused one is never told to run, so it is not told to before. */
  begun(id: string): Signal[] {
    const call = this.#calls.get(id);
    const command = call && commandOf(call);
    if (command === undefined || this.#printed.has(id)) return [];
    this.#printed.set(id, "");
    return [{ kind: "shell", id, command, ...(this.cwd !== undefined && { cwd: this.cwd }) }];
  }

  /** May come after the call has ended. */
  printed({ toolCallId, stream, text }: Json): Signal[] {
    const id = asText(toolCallId) ?? "";
    if (this.#filled.has(id)) return [];
    const begun = this.begun(id);
    this.#printed.set(id, (this.#printed.get(id) ?? "") + (asText(text) ?? ""));
    return [
      ...begun,
      { kind: "output", id, stream: stream === "stderr" ? "stderr" : "stdout", text: asText(text) ?? "" },
    ];
  }

  /** Output so far, told again. */
  partial({ toolCallId }: Json): Signal[] | undefined {
    const call = this.#calls.get(asText(toolCallId) ?? "");
    return call && commandOf(call) !== undefined ? [] : undefined;
  }

  /** Told by the call's end, and on one wire by an event of its own as well. */
  skillInvoked(skillName: string, by: "call" | "event"): Signal[] {
    if (this.#skills[by === "call" ? "event" : "call"].delete(skillName)) return [];
    this.#skills[by].add(skillName);
    return [{ kind: "fact", fact: { type: "skill_invoked", skillName } }];
  }

  ended(data: Json): Signal[] {
    const id = asText(data.toolCallId) ?? "";
    const call = this.#calls.get(id) ?? { id, name: asText(data.toolName) ?? "unknown", toolKind: "other", input: {} };
    const result = asObject(data.result);
    const error = asObject(data.error);
    const of: ToolEnd = { kind: "toolEnd", id, name: call.name };
    if (data.success !== true || error) {
      const message = asText(error?.message) ?? asText(result?.content) ?? "The call failed.";
      const outcome = rowOf(outcomes, asText(error?.code) ?? "") ?? "failed";
      const end: ToolEnd = { ...of, error: message, outcome, ...exitCode(data) };
      if (call.mcp) end.protocol = result === undefined;
      if (outcome !== "blocked") return [...(exitCode(data) ? this.begun(id) : []), end];
      return this.#asked.has(id) ? [end] : [{ kind: "denied", reason: message }, end];
    }
    const content = asText(result?.content) ?? "";
    const end: ToolEnd = { ...of, output: content, files: filesOf(call, data) };
    const skill = call.name === "skill" ? asText(asObject(call.input)?.skill) : undefined;
    if (skill !== undefined) return [...this.skillInvoked(skill, "call"), end];
    if (commandOf(call) === undefined) return [end];
    // A command that goes on in the background has no exit code yet.
    return [...this.begun(id), ...this.#missed(id, content), { ...end, exitCode: -1, ...exitCode(data) }];
  }

  /** Output that was not told as it came; the result has all of it, streams mixed, and a last line of its own. */
  #missed(id: string, content: string): Signal[] {
    const whole = /^(.*?)\n?<shellId: \S+ completed with exit code -?\d+>\s*$/s.exec(content)?.[1];
    const told = this.#printed.get(id) ?? "";
    if (!whole?.startsWith(told) || whole.length === told.length) return [];
    this.#filled.add(id);
    return [{ kind: "output", id, stream: "stdout", text: whole.slice(told.length) }];
  }
}

const outcomes: Readonly<Record<string, NonNullable<ToolEnd["outcome"]>>> = {
  aborted: "cancelled",
  cancelled: "cancelled",
  denied: "blocked",
  interrupted: "cancelled",
  rejected: "blocked",
  timeout: "timed_out",
};

function exitCode(data: Json): { exitCode: number } | undefined {
  const code = asNumber(asObject(data.shellExecution)?.exitCode);
  return code === undefined || !Number.isInteger(code) ? undefined : { exitCode: code };
}

/** Tokens of one model call; the input includes what was read from a cache. */
export function usageOf(data: Json): Signal {
  const thinkingTokens = asCount(data.reasoningTokens);
  return {
    kind: "usage",
    usage: {
      inputTokens: asCount(data.inputTokens) ?? 0,
      outputTokens: asCount(data.outputTokens) ?? 0,
      cachedTokens: asCount(data.cacheReadTokens) ?? 0,
      ...(thinkingTokens !== undefined && { thinkingTokens }),
    },
  };
}
