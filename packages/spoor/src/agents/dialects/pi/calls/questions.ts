import { noteOf } from "../../../facts.ts";
import { given } from "../../../given.ts";
import { asText, asTexts, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import { callIn, riskOf } from "../../../tool.ts";
import type { Call, Calls } from "./index.ts";

/** What extensions ask the user: permission, or anything else. */
export function createQuestions(calls: Calls) {
  /** The call each open request for permission is about. */
  const asked = new Map<string, Call | undefined>();

  function request(frame: Json): Signal[] | undefined {
    const [id, action = "", message] = [frame.id, frame.title, frame.message].map(asText);
    if (frame.method === "notify") {
      return [{ kind: "note", level: frame.notifyType === "info" ? "info" : "warn", message: message ?? "" }];
    }
    if (!id || !asking.has(frame.method)) return undefined;
    const choices = asTexts(frame.options);
    const offered = choices.join(", ");
    if (frame.method !== "confirm" && !(choices.some(isYes) && choices.some(isNo))) {
      const context = [message ?? asText(frame.placeholder), offered].filter(Boolean).join("\n") || undefined;
      return [{ kind: "question", id, question: action, source: "tool", ...given({ context }) }];
    }
    const call = calls.ask();
    asked.set(id, call);
    const risk = riskOf(call?.toolKind ?? "other");
    return [{ kind: "ask", id, action, detail: message ?? offered, risk, ...(call && { tool: callIn(call) }) }];
  }

  function answer(frame: Json): Signal[] {
    const id = asText(frame.id) ?? "";
    if (!asked.has(id)) return [noteOf(frame, "info")];
    const call = asked.get(id);
    asked.delete(id);
    const granted = frame.confirmed === true || isYes(asText(frame.value) ?? "");
    if (call) call.permission = granted ? "asked" : "refused";
    return [{ kind: "answer", id, granted }];
  }

  return { request, answer };
}

/** Requests that wait for an answer; the others only show something. */
const asking = new Set<unknown>(["confirm", "select", "input", "editor"]);

export const isYes = (choice: string): boolean => /^(approve|allow|accept|yes)/i.test(choice);
const isNo = (choice: string): boolean => /^(deny|reject|block|decline|no)\b/i.test(choice);
