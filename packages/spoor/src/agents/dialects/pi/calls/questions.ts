import type { ToolKind } from "@spoor/protocol";
import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asArray, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { callIn } from "../../../tool.ts";
import type { Calls } from "./index.ts";

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
    const shown = asText(frame.message) ?? asText(frame.placeholder) ?? "";
    const context = [shown, options.join(", ")].filter(Boolean).join("\n") || undefined;
    return [{ kind: "question", id, question: title, source: "tool", ...given({ context }) }];
  }

  answer(frame: Json): Signal[] {
    const id = asText(frame.id) ?? "";
    if (!this.#asked.has(id)) return [noteOf(frame, "info")];
    const call = this.#asked.get(id);
    this.#asked.delete(id);
    const granted = frame.confirmed === true || isYes(asText(frame.value) ?? "");
    if (call) call.refused = !granted;
    return [{ kind: "answer", id, granted }];
  }

  #ask(id: string, action: string, detail: string): Signal {
    const call = this.#calls.ask();
    this.#asked.set(id, call);
    const risk = (call && risks[call.toolKind]) ?? "medium";
    return { kind: "ask", id, action, detail, risk, ...(call && { tool: callIn(call) }) };
  }
}

/** Requests that wait for an answer; the others only show something. */
const asking = new Set(["confirm", "select", "input", "editor"]);

export const isYes = (option: string): boolean => /^(approve|allow|accept|yes)/i.test(option);
const isNo = (option: string): boolean => /^(deny|reject|block|decline|no)\b/i.test(option);

const isPermission = (options: readonly string[]): boolean => options.some(isYes) && options.some(isNo);

const risks: Partial<Record<ToolKind, "low" | "high">> = {
  ...{ shell: "high", file_read: "low", glob: "low", grep: "low", todo_write: "low" },
};
