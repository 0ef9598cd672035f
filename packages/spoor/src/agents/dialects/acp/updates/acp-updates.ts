import { contextCompacted, imageOutput, recoverableError } from "../../../kit/fact-signals.ts";
import { fail, failureOf } from "../../../kit/failures.ts";
import type { RpcResponse } from "../../../kit/json-rpc.ts";
import { asArray, asObject, asText, asTexts, type Json } from "../../../kit/json-values.ts";
import { assignToSubagent } from "../../../kit/subagent-signals.ts";
import type { Signal } from "../../../signal.ts";
import type { AcpProfile } from "../acp-profile.ts";
import { askOf, decisionOf } from "../calls/acp-permission.ts";
import { createCalls } from "../calls/acp-tool-calls.ts";
import { usageOf } from "../session/acp-usage.ts";
import type { Sessions } from "../session/open-sessions.ts";
import { Scope } from "../session/scope.ts";
import { createHosting } from "./acp-hosting.ts";

/** Reads what the agent sends while it works: `session/update` notifications and permission requests. */
export function createUpdates(profile: AcpProfile, sessions: Sessions) {
  const main = new Scope(sessions);
  const calls = createCalls(profile, sessions);
  const hosting = createHosting(calls, main);
  const children = new Map<string, Scope>();
  let plans = 0;

  /** Returns `undefined` for unknown kinds, which become notes. */
  function read(update: Json): Signal[] | undefined {
    const scope = scopeOf(update);
    return assignToSubagent(scope.child, signalsOf(update, scope));
  }

  function signalsOf(update: Json, scope: Scope): Signal[] | undefined {
    const kind = update.sessionUpdate;
    if (kind === "agent_message_chunk") return chunk("text", update, scope);
    if (kind === "agent_thought_chunk") return chunk("thinking", update, scope);
    if (kind === "tool_call" || kind === "tool_call_update") return calls.update(update, kind, scope);
    if (kind === "plan") return plan({ entries: asArray(update.entries) }, scope);
    if (kind === "compaction_update" && update.status === "completed") return [contextCompacted(update.summary)];
    if (kind !== "notice" || update.severity !== "error") return undefined;
    return [recoverableError(asTexts([update.title, update.description]).join(": "))];
  }

  /** The scope of the run or of the subagent that a frame names. */
  function scopeOf(frame: Json): Scope {
    const known = calls.find(frame.toolCallId);
    if (known) return known.scope;
    const meta = asObject(frame._meta);
    const parent = asText(meta?.parentToolCallId) ?? asText(asObject(meta?.claudeCode)?.parentToolUseId);
    if (!parent) return main;
    const scope = children.get(parent) ?? new Scope(sessions, parent);
    children.set(parent, scope);
    return scope;
  }

  function chunk(kind: "text" | "thinking", update: Json, scope: Scope): Signal[] | undefined {
    const {
      noise,
      messageError,
      messageWithoutIdIsFailure,
      login = "Log in to the agent first.",
      wholeThoughts,
    } = profile;
    const content = asObject(update.content);
    const text = asText(content?.text);
    const isImage = content?.type === "image";
    if ((text === undefined && !isImage) || (text && noise?.test(text))) return undefined;
    if (text && text === sessions.banner) return undefined;
    const isUnnamed =
      messageWithoutIdIsFailure && kind === "text" && update.messageId === undefined && !sessions.isCommand;
    if (text && (isUnnamed || messageError?.test(text))) return [fail(failureOf(undefined, text, login))];
    const usage = usageOf(asObject(update._meta)?.usage);
    const signals = text || usage ? calls.settleRefused(scope) : [];
    if (text && scope === main) signals.push(...hosting.settleFiles());
    if (text) {
      signals.push(...scope.speak(kind, text, asText(update.messageId), kind === "thinking" && wholeThoughts));
    }
    if (isImage) signals.push(imageOutput(asText(content.mimeType) || "image/*", { base64: content.data }));
    if (usage && scope === main) sessions.current?.costs.used(usage);
    return usage ? [...signals, ...scope.used(usage)] : signals;
  }

  /** Other agents write plans with a tool, so a plan is reported as a tool call. */
  const plan = (input: object, scope: Scope): Signal[] =>
    scope.wholeCall({ id: `plan-${++plans}`, name: "plan", toolKind: "todo_write", input });

  function asked(id: unknown, params: Json): Signal[] {
    const tool = asObject(params.toolCall) ?? {};
    const scope = scopeOf(tool);
    const isApart = profile.inventedCallId?.test(asText(tool.toolCallId) ?? "");
    const opened = isApart ? undefined : calls.update(tool, "session/request_permission", scope);
    return assignToSubagent(scope.child, [...(opened ?? []), askOf(id, tool, calls.find(tool.toolCallId))]);
  }

  function decided(id: unknown, answer: RpcResponse): Signal[] {
    const tool = asObject(answer.params.toolCall) ?? {};
    const { child } = scopeOf(tool);
    const call = calls.find(tool.toolCallId);
    const verdict = decisionOf(answer);
    if (call && !verdict.granted) calls.refuse(call);
    return assignToSubagent(child, [{ kind: "answer", id: `${id}`, ...verdict }]);
  }

  return { main, hosting, read, asked, decided };
}
