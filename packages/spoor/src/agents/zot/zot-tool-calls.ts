import { textOfContent } from "../kit/content-text.ts";
import { diffOfLines } from "../kit/diff.ts";
import { fileFactsOfCall } from "../kit/file-facts.ts";
import { asArray, asObject, asText, type Json } from "../kit/json-values.ts";
import { readySignals, type ToolCall, toolByName, toolKindsByName } from "../kit/tool-calls.ts";
import type { FileFact, Signal, ToolEnd } from "../signal.ts";

interface Call extends ToolCall {
  input: Json;
  /** Whether its input is known, and whether its output was streamed. */
  isReady: boolean;
  hasPrinted: boolean;
}

/**
 * Tool calls: the model streams them, two events repeat them as a whole, and they run after the reported end of the
 * turn.
 */
export class Calls {
  readonly #calls = new Map<string, Call>();
  readonly #ended = new Set<string>();

  start(id: string, name: string): Signal[] {
    if (this.#calls.has(id) || this.#ended.has(id)) return [];
    const tool = toolByName(name, kinds);
    this.#calls.set(id, { ...tool, id, input: {}, isReady: false, hasPrinted: false });
    return [{ kind: "toolStart", id, ...tool }];
  }

  input(id: string, delta: string): Signal[] {
    return this.#calls.has(id) ? [{ kind: "toolInput", id, delta }] : [];
  }

  /** The call in the model's message, or before it runs. Repetitions are ignored. */
  ready({ id: reported, name, args }: Json): Signal[] | undefined {
    const id = asText(reported);
    if (!id) return undefined;
    const begun = this.start(id, asText(name) || "unknown");
    const call = this.#calls.get(id);
    if (!call || call.isReady) return begun;
    call.isReady = true;
    call.input = asObject(args) ?? {};
    return [...begun, ...readySignals({ ...call, input: args ?? {} })];
  }

  /** Only the output of commands is reported. */
  progress(id: string, text: string): Signal[] | undefined {
    const call = this.#calls.get(id);
    if (call?.toolKind !== "shell") return undefined;
    call.hasPrinted = true;
    return [{ kind: "output", id, stream: "stdout", text }];
  }

  end({ id: reported, is_error, content }: Json): Signal[] | undefined {
    const id = asText(reported);
    if (!id) return undefined;
    if (this.#ended.has(id)) return [];
    const begun = this.#calls.has(id) ? [] : this.start(id, "unknown");
    const call = this.#calls.get(id) as Call;
    this.#calls.delete(id);
    this.#ended.add(id);
    const text = textOfContent(content);
    const end: ToolEnd = { kind: "toolEnd", id, name: call.name, output: isText(content) ? text : content };
    const output = call.toolKind === "shell" ? readCommand(end, call, text) : [];
    if (is_error === true) return [...begun, ...output, { ...end, error: text, outcome: "failed" }];
    return [...begun, ...output, { ...end, files: filesOf(call, text) }];
  }
}

const kinds = toolKindsByName({ edit: ["edit"], file_read: ["read"], file_write: ["write"], shell: ["bash"] });

const isText = (content: unknown): boolean => asArray(content).every((block) => asObject(block)?.type === "text");

/** In some versions the result of a command begins with the command. It ends with the exit code. */
function readCommand(end: ToolEnd, call: Call, text: string): Signal[] {
  const [, output = text, code] = /^([\s\S]*?)\[exit (-?\d+)\][^\n]*\n?$/.exec(text) ?? [];
  if (code !== undefined) end.exitCode = Number(code);
  const heading = `$ ${asText(call.input.command) ?? ""}\n`;
  if (call.hasPrinted) return [];
  const printed = output.startsWith(heading) ? output.slice(heading.length) : output;
  return [{ kind: "output", id: end.id, stream: "stdout", text: printed }];
}

function filesOf({ toolKind, input }: Call, text: string): FileFact[] {
  // The diff has no line numbers.
  const diff = /(?:^|\n)--- [^\n]*\n\+\+\+ [^\n]*\n([\s\S]+?)\n?$/.exec(text)?.[1];
  const diffs = (path: string) => (diff === undefined ? [] : [diffOfLines(path, diff.split("\n"))]);
  return fileFactsOfCall(toolKind, asText(input.path), { content: input.content, diffs });
}
