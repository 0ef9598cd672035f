import type { ToolKind } from "@spoor/protocol";
import { asArray, asObject, asText, type Json } from "../../json-machine.ts";
import type { Signal } from "../../signal.ts";
import type { Calls } from "./calls.ts";

/** What extensions ask the user: permission, or anything else. */
export class Questions {
  readonly #calls: Calls;
  /** The call each open request for permission is about. */
  readonly #asked = new Map<string, ReturnType<Calls["ask"]>>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  request(frame: Json): Signal[] | undefined {
    const id = asText(frame.id);
    const method = asText(frame.method) ?? "";
    const title = asText(frame.title) ?? "";
    const options = asArray(frame.options).map((option) => asText(option) ?? asText(asObject(option)?.label) ?? "");
    if (method === "notify") {
      const level = frame.notifyType === "info" ? "info" : "warn";
      return [{ kind: "note", level, message: asText(frame.message) ?? "" }];
    }
    if (!id || !asking.has(method)) return undefined;
    if (method === "confirm" || isPermission(options)) {
      return [this.#ask(id, title, asText(frame.message) ?? options.join(", "))];
    }
    const context = [asText(frame.message) ?? asText(frame.placeholder) ?? "", options.join(", ")]
      .filter(Boolean)
      .join("\n");
    return [{ kind: "question", id, question: title, source: "tool", ...(context && { context }) }];
  }

  answer(frame: Json): Signal[] {
    const id = asText(frame.id) ?? "";
    if (!this.#asked.has(id)) return [{ kind: "note", level: "info", message: JSON.stringify(frame) }];
    const call = this.#asked.get(id);
    this.#asked.delete(id);
    const granted = frame.confirmed === true || yes.test(asText(frame.value) ?? "");
    if (call) call.refused = !granted;
    return [{ kind: "answer", id, granted }];
  }

  #ask(id: string, action: string, detail: string): Signal {
    const call = this.#calls.ask();
    this.#asked.set(id, call);
    if (!call) return { kind: "ask", id, action, detail, risk: "medium" };
    const { name, toolKind, input, mcp } = call;
    const tool = { id: call.id, name, toolKind, input, ...(mcp && { mcp }) };
    return { kind: "ask", id, action, detail, risk: risks[toolKind] ?? "medium", tool };
  }
}

/** Requests that wait for an answer; the others only show something. */
const asking = new Set(["confirm", "select", "input", "editor"]);

const yes = /^(approve|allow|accept|yes)/i;

export const isYes = (option: string): boolean => yes.test(option);
const no = /^(deny|reject|block|decline|no)\b/i;

const isPermission = (options: readonly string[]): boolean =>
  options.some((option) => yes.test(option)) && options.some((option) => no.test(option));

const risks: Partial<Record<ToolKind, "low" | "medium" | "high">> = {
  shell: "high",
  file_read: "low",
  glob: "low",
  grep: "low",
  todo_write: "low",
};
