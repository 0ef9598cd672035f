import { appendedText } from "../../../kit/appended-text.ts";
import { noteOfFrame } from "../../../kit/fact-signals.ts";
import { asObject, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import { omitUndefined } from "../../../kit/omit-undefined.ts";
import { commandOfCall, riskOf, type ToolCall, toolByName, toolCallFields } from "../../../kit/tool-calls.ts";
import type { Signal } from "../../../signal.ts";
import type { PiProfile } from "../pi-profile.ts";
import { endOf, textOf } from "../results/pi-results.ts";

interface Call extends ToolCall {
  /** The command's output as last shown. For any tool: defined once there is a sign that it runs. */
  shown?: string;
  /** Whether permission was asked for, and whether it was refused. */
  permission?: "asked" | "refused";
}

export type Calls = ReturnType<typeof createCalls>;

/**
 * Tool calls: the model writes them, permission may be asked, partial results repeat the output, and each ends once.
 */
export function createCalls({ tools, mcpName, commandRemarks }: PiProfile) {
  const open = new Map<string, Call>();
  const ended = new Set<string>();
  /** The call that each open permission request is about. */
  const asked = new Map<string, Call | undefined>();

  const begin = (id: string, name: string): Signal[] => [
    { kind: "toolStart", id, ...toolByName(name, tools, mcpName) },
  ];

  /** The input is complete. Both the model's message and the start of the tool report it. */
  function ready(reported: unknown, name: unknown, input: unknown): Signal[] | undefined {
    const id = asText(reported);
    if (!id || ended.has(id)) return undefined;
    const known = open.get(id);
    const call = known ?? { id, ...toolByName(asText(name) || "unknown", tools, mcpName), input };
    call.input = input;
    // Calls start one after the other, and each is asked about before the next. So a question is about the last call
    // that started.
    open.delete(id);
    open.set(id, call);
    return known ? [] : [{ kind: "toolReady", ...call }];
  }

  /** An extension asks the user: for permission, about the last call that has not run yet, or something else. */
  function ask(frame: Json): Signal[] | undefined {
    const [id, action = "", message] = [frame.id, frame.title, frame.message].map(asText);
    if (frame.method === "notify") {
      return [{ kind: "note", level: frame.notifyType === "info" ? "info" : "warn", message: message ?? "" }];
    }
    if (!id || !asking.has(frame.method)) return undefined;
    const choices = asTexts(frame.options);
    const offered = choices.join(", ");
    if (frame.method !== "confirm" && !(choices.some(isYes) && choices.some(isNo))) {
      const context = asTexts([message ?? frame.placeholder, offered]).join("\n") || undefined;
      return [{ kind: "question", id, question: action, source: "tool", ...omitUndefined({ context }) }];
    }
    const call = [...open.values()].findLast(({ shown }) => shown === undefined);
    if (call) call.permission = "asked";
    asked.set(id, call);
    const risk = riskOf(call?.toolKind ?? "other");
    return [{ kind: "ask", id, action, detail: message ?? offered, risk, ...(call && { tool: toolCallFields(call) }) }];
  }

  function answer(frame: Json): Signal[] {
    const id = asText(frame.id) ?? "";
    const call = asked.get(id);
    if (!asked.delete(id)) return [noteOfFrame(frame, "info")];
    const granted = frame.confirmed === true || isYes(asText(frame.value) ?? "");
    if (call && !granted) call.permission = "refused";
    return [{ kind: "answer", id, granted }];
  }

  /** Partial results repeat the output so far. Only those of commands are reported. */
  function update(frame: Json): Signal[] | undefined {
    const call = open.get(asText(frame.toolCallId) ?? "");
    if (!call) return undefined;
    call.shown ??= "";
    return show(call, asObject(frame.partialResult) ?? {});
  }

  /** Also reads the message that repeats the result, in case the end itself was not seen. */
  function end(frame: Json, result: Json): Signal[] | undefined {
    const id = asText(frame.toolCallId);
    if (!id) return undefined;
    if (ended.has(id)) return [];
    const begun = open.has(id) ? [] : ready(id, frame.toolName, {});
    const call = open.get(id) as Call;
    open.delete(id);
    ended.add(id);
    const isError = frame.isError === true;
    const end = endOf(call, result, isError);
    if (isError && call.permission === "refused") end.outcome = "blocked";
    // A call that was refused or had invalid input has run no command.
    const hasRun = call.shown !== undefined || !isError || end.exitCode !== undefined;
    const isDenied = end.outcome === "blocked" && !call.permission;
    return [
      ...(begun ?? []),
      ...((hasRun && show(call, result)) || []),
      ...(isDenied ? [{ kind: "denied", reason: textOf(result) } as const] : []),
      end,
    ];
  }

  /** The command and its output, if the call runs one. */
  function show(call: Call, result: Json): Signal[] | undefined {
    const command = commandOfCall(call);
    if (command === undefined) return undefined;
    const { id, shown = "" } = call;
    call.shown = textOf(result).replace(commandRemarks, "");
    return [
      { kind: "shell", id, command },
      { kind: "output", id, stream: "stdout", text: appendedText(shown, call.shown) },
    ];
  }

  /** The next model call begins, so the calls before it are over. */
  const forget = (): void => open.clear();

  return { begin, ready, ask, answer, update, end, forget };
}

/** Requests that wait for an answer; the others only show something. */
const asking = new Set<unknown>(["confirm", "select", "input", "editor"]);

export const isYes = (choice: string): boolean => /^(approve|allow|accept|yes)/i.test(choice);
const isNo = (choice: string): boolean => /^(deny|reject|block|decline|no)\b/i.test(choice);
