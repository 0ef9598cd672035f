import { skillInvoked } from "../../kit/fact-signals.ts";
import { asNumber, asObject, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { ToolCall, ToolOutcome } from "../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../signal.ts";
import { callOf, commandOf, filesOf, isOwn, kindOf } from "./copilot-tools.ts";

/** Reads the tool calls of one agent, from the first piece of their input to their result. */
export class Calls {
  cwd: string | undefined;
  readonly #calls = new Map<string, ToolCall>();
  /** The output of running commands so far. */
  readonly #printed = new Map<string, string>();
  /** Commands whose output was reported from their result. */
  readonly #filled = new Set<string>();
  readonly #asked = new Set<string>();
  /** Skills whose use was reported by a call or by an event. Both report it, and the second is ignored. */
  readonly #skills = { call: new Set<string>(), event: new Set<string>() };

  find(id: string | undefined): ToolCall | undefined {
    return this.#calls.get(id ?? "");
  }

  /** A piece of the input. Only the complete input shows whether the call is of an MCP tool. */
  piece({ toolCallId, toolName, inputDelta }: Json): Signal[] {
    const id = asText(toolCallId);
    const name = asText(toolName);
    if (id === undefined || name === undefined || !isOwn(name)) return [];
    return [
      { kind: "toolStart", id, name, toolKind: kindOf(name) },
      { kind: "toolInput", id, delta: asText(inputDelta) ?? "" },
    ];
  }

  /** A call as the model requested it, or as it begins. */
  ready(data: Json): Signal[] {
    const call = callOf(data);
    if (!call) return [];
    this.#calls.set(call.id, call);
    return [{ kind: "toolReady", ...call }];
  }

  asked(id: string): void {
    this.#asked.add(id);
  }

  /** The call was allowed to run. A refused call must never be reported as running, so this waits for the decision. */
  begun(id: string): Signal[] {
    const call = this.#calls.get(id);
    const command = call && commandOf(call);
    if (command === undefined || this.#printed.has(id)) return [];
    this.#printed.set(id, "");
    return [{ kind: "shell", id, command, ...omitUndefined({ cwd: this.cwd }) }];
  }

  /** Output may come after the call has ended. */
  printed({ toolCallId, stream, text: reported }: Json): Signal[] {
    const id = asText(toolCallId) ?? "";
    const text = asText(reported) ?? "";
    if (this.#filled.has(id)) return [];
    const begun = this.begun(id);
    this.#printed.set(id, (this.#printed.get(id) ?? "") + text);
    return [...begun, { kind: "output", id, stream: stream === "stderr" ? "stderr" : "stdout", text }];
  }

  /** The output so far, repeated. */
  partial({ toolCallId }: Json): Signal[] | undefined {
    const call = this.find(asText(toolCallId));
    return call && commandOf(call) !== undefined ? [] : undefined;
  }

  /** The call's end reports the skill; in one dialect an event does so as well. */
  skillInvoked(skillName: string, by: "call" | "event"): Signal[] {
    if (this.#skills[by === "call" ? "event" : "call"].delete(skillName)) return [];
    this.#skills[by].add(skillName);
    return [skillInvoked(skillName)];
  }

  ended(data: Json): Signal[] {
    const id = asText(data.toolCallId) ?? "";
    const call = this.find(id) ?? { id, name: asText(data.toolName) ?? "unknown", toolKind: "other", input: {} };
    const error = asObject(data.error);
    if (data.success !== true || error) return this.#failed(call, data, error);
    const output = asText(asObject(data.result)?.content) ?? "";
    const end: ToolEnd = { kind: "toolEnd", id, name: call.name, output, files: filesOf(call, data) };
    const skill = call.name === "skill" ? asText(asObject(call.input)?.skill) : undefined;
    if (skill !== undefined) return [...this.skillInvoked(skill, "call"), end];
    if (commandOf(call) === undefined) return [end];
    // A command in the background has no exit code yet.
    return [...this.begun(id), ...this.#missed(id, output), { ...end, exitCode: exitCodeIn(data) ?? -1 }];
  }

  #failed({ id, name, mcp }: ToolCall, data: Json, reported: Json | undefined): Signal[] {
    const result = asObject(data.result);
    const error = asText(reported?.message) ?? asText(result?.content) ?? "The call failed.";
    const outcome = lookUp(outcomes, asText(reported?.code) ?? "") ?? "failed";
    const exitCode = exitCodeIn(data);
    const end: ToolEnd = { kind: "toolEnd", id, name, error, outcome, ...omitUndefined({ exitCode }) };
    if (mcp) end.protocol = result === undefined;
    if (outcome !== "blocked") return [...(exitCode === undefined ? [] : this.begun(id)), end];
    return this.#asked.has(id) ? [end] : [{ kind: "denied", reason: error }, end];
  }

  /**
   * Output that was not streamed. The result contains all of it with both streams mixed, and a final line of its own.
   */
  #missed(id: string, content: string): Signal[] {
    const whole = /^(.*?)\n?<shellId: \S+ completed with exit code -?\d+>\s*$/s.exec(content)?.[1];
    const reported = this.#printed.get(id) ?? "";
    if (!whole?.startsWith(reported) || whole.length === reported.length) return [];
    this.#filled.add(id);
    return [{ kind: "output", id, stream: "stdout", text: whole.slice(reported.length) }];
  }
}

const outcomes: Readonly<Record<string, ToolOutcome>> = {
  aborted: "cancelled",
  cancelled: "cancelled",
  denied: "blocked",
  interrupted: "cancelled",
  rejected: "blocked",
  timeout: "timed_out",
};

function exitCodeIn(data: Json): number | undefined {
  const code = asNumber(asObject(data.shellExecution)?.exitCode);
  return Number.isInteger(code) ? code : undefined;
}
