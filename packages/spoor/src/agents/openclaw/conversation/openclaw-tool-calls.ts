import { exitCodeOf, outcomeOf, outputOf, textOf } from "../../dialects/pi/results/pi-results.ts";
import { appendedText } from "../../kit/appended-text.ts";
import { asCount, asObject, asText, type Json } from "../../kit/json-values.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import { readySignals, type ToolCall } from "../../kit/tool-calls.ts";
import type { Signal, ToolEnd } from "../../signal.ts";
import { filesOf, isDenial, toolOf } from "./openclaw-tools.ts";

export interface Call extends ToolCall {
  /** The command's output as last shown. */
  shown: string;
}

/**
 * Tool calls. Each is reported up to four times: in the model's message, as a tool, as a card for screens, and as the
 * output of a command. The first report begins or ends a call; repetitions are ignored.
 */
export class Calls {
  readonly #open = new Map<string, Call>();
  readonly #ended = new Set<string>();
  /** Called when a call has started a subagent in the session with this key. */
  readonly #spawned: (call: Call, childKey: string) => Signal[];

  constructor(spawned: (call: Call, childKey: string) => Signal[]) {
    this.#spawned = spawned;
  }

  find(id: string): Call | undefined {
    return this.#open.get(id);
  }

  /** The last open call of a tool. */
  lastOf(name: string): Call | undefined {
    return [...this.#open.values()].findLast((call) => call.name === name);
  }

  ready(id: string | undefined, name: string | undefined, input: unknown): Signal[] {
    if (!id || this.#open.has(id) || this.#ended.has(id)) return [];
    const call: Call = { id, ...toolOf(name || "unknown"), input: input ?? {}, shown: "" };
    this.#open.set(id, call);
    return readySignals(call, asText(asObject(call.input)?.workdir));
  }

  /** Reads the stream of tools. */
  tool(data: Json): Signal[] | undefined {
    const [id, name] = [asText(data.toolCallId), asText(data.name)];
    if (data.phase === "start") return this.ready(id, name, data.args);
    if (data.phase === "update") return this.#show(id, textOf(asObject(data.partialResult) ?? {}));
    if (data.phase !== "result") return undefined;
    return this.end(id, name, asObject(data.result) ?? {}, data.isError === true);
  }

  /** Reads the stream of commands: the same output, trimmed. */
  command(data: Json): Signal[] {
    return this.#show(asText(data.toolCallId), asText(data.output) ?? "");
  }

  /** Reads a card. It cannot begin a call because it has no input. It ends a call that nothing else has ended. */
  card(data: Json): Signal[] | undefined {
    const id = asText(data.toolCallId);
    if (data.phase !== "end" || !id || this.#ended.has(id)) return [];
    const error = asText(data.error) ?? asText(data.status) ?? "failed";
    return this.end(id, asText(data.name), { content: [{ type: "text", text: error }] }, data.status !== "completed");
  }

  end(id: string | undefined, name: string | undefined, result: Json, isError: boolean): Signal[] {
    if (!id || this.#ended.has(id)) return [];
    const begun = this.ready(id, name, {});
    const call = this.#open.get(id) as Call;
    this.#open.delete(id);
    this.#ended.add(id);
    const details = asObject(result.details) ?? {};
    const childKey = asText(details.childSessionKey);
    return [
      ...begun,
      ...(call.toolKind === "shell" && !isError ? this.#grow(call, textOf(result)) : []),
      ...(childKey === undefined ? [] : this.#spawned(call, childKey)),
      endOf(call, result, details, isError),
    ];
  }

  #show(id: string | undefined, text: string): Signal[] {
    const call = this.#open.get(id ?? "");
    return call ? this.#grow(call, text) : [];
  }

  #grow(call: Call, text: string): Signal[] {
    const now = text.replace(remark, "");
    if (call.toolKind !== "shell" || call.shown.startsWith(now)) return [];
    const delta = appendedText(call.shown, now);
    call.shown = now;
    return [{ kind: "output", id: call.id, stream: "stdout", text: delta }];
  }
}

/** A command that fails is no failed call: it has an exit code. A command in the background has none yet. */
function endOf(call: Call, result: Json, details: Json, isError: boolean): ToolEnd {
  const { id, name, toolKind, mcp } = call;
  const code = details.status === "running" ? -1 : exitCodeOf(result);
  const exitCode = toolKind === "shell" ? code : undefined;
  const end: ToolEnd = {
    kind: "toolEnd",
    id,
    name,
    ...omitUndefined({ exitCode, durationMs: asCount(details.durationMs) }),
  };
  const isDenied = isDenial(textOf(result)) && details.status === "failed";
  if (!isError && !isDenied) {
    return { ...end, output: outputOf(result), files: filesOf(call, asObject(call.input) ?? {}, details) };
  }
  const error = textOf(result) || "The call failed.";
  const outcome = isDenied ? "blocked" : /^Aborted\b/.test(error) ? "cancelled" : outcomeOf(error);
  return { ...end, error, outcome, ...(mcp && { protocol: details.mcpTool === undefined }) };
}

/** The remark that is added below a command's output for the model. */
const remark = /(?:^|\n\n)\((?:no output|Command exited with code -?\d+)\)$/;
