import { compacted, problem } from "../../../facts.ts";
import { fail, failureOf } from "../../../failure.ts";
import { given } from "../../../given.ts";
import { asArray, asObject, asText, type Json } from "../../../json-machine.ts";
import type { Signal } from "../../../signal.ts";
import type { Calls } from "../calls/index.ts";
import type { Hosting } from "../hosting/index.ts";
import type { AcpProfile } from "../profile.ts";
import { Scope, tagged } from "./scope.ts";
import { usageOf } from "./usage.ts";

export interface UpdatesHost {
  profile: AcpProfile;
  calls: Calls;
  hosting: Hosting;
  main: Scope;
  model(): string | undefined;
  used(usage: Extract<Signal, { kind: "usage" }>): void;
}

/** The agent's `session/update`s while it works. `undefined` for kinds that are noted whole. */
export class Updates {
  readonly #host: UpdatesHost;
  readonly #children = new Map<string, Scope>();
  #plans = 0;

  constructor(host: UpdatesHost) {
    this.#host = host;
  }

  read(update: Json): Signal[] | undefined {
    const scope = this.scopeOf(update);
    const kind = update.sessionUpdate;
    if (kind === "agent_message_chunk") return this.#chunk("text", update, scope);
    if (kind === "agent_thought_chunk") return this.#chunk("thinking", update, scope);
    if (kind === "tool_call") return this.#call(update, "call", scope);
    if (kind === "tool_call_update") return this.#call(update, "update", scope);
    if (kind === "plan") return this.#plan(asArray(update.entries), scope);
    if (kind === "compaction_update" && update.status === "completed") return [compacted(update.summary)];
    if (kind !== "notice" || update.severity !== "error") return undefined;
    return [problem([update.title, update.description].filter((part) => typeof part === "string").join(": "))];
  }

  /** The run, or the subagent that a frame says it is of. */
  scopeOf(frame: Json): Scope {
    const meta = asObject(frame._meta);
    const known = this.#host.calls.find(asText(frame.toolCallId) ?? "");
    if (known) return known.scope;
    const parent = asText(meta?.parentToolCallId) ?? asText(asObject(meta?.claudeCode)?.parentToolUseId);
    if (!parent) return this.#host.main;
    const scope = this.#children.get(parent) ?? new Scope(this.#host.model, parent);
    this.#children.set(parent, scope);
    return scope;
  }

  #call(update: Json, source: "call" | "update", scope: Scope): Signal[] | undefined {
    const { calls } = this.#host;
    const isKnown = calls.find(asText(update.toolCallId) ?? "") !== undefined;
    const before = isKnown ? [] : calls.settleRefused(scope);
    const signals = calls.update(update, source, scope);
    return signals && tagged([...before, ...signals], scope);
  }

  #chunk(kind: "text" | "thinking", update: Json, scope: Scope): Signal[] | undefined {
    const { profile, calls, hosting, main } = this.#host;
    const content = asObject(update.content);
    const usage = usageOf(asObject(update._meta)?.usage);
    const text = asText(content?.text);
    if (text !== undefined && profile.noise?.test(text)) return undefined;
    if (text !== undefined && profile.spokenError?.test(text)) {
      return [fail(failureOf(undefined, text, profile.login ?? "Log in to the agent first."))];
    }
    const signals = text || usage ? calls.settleRefused(scope) : [];
    if (text && scope === main) signals.push(...hosting.settleFiles());
    if (text) {
      const isWhole = kind === "thinking" && profile.wholeThoughts;
      signals.push(...scope.speak(kind, text, asText(update.messageId), isWhole));
    }
    if (content?.type === "image") signals.push(image(content));
    else if (text === undefined) return undefined;
    if (usage) {
      if (scope === main) this.#host.used(usage);
      signals.push(...scope.used(usage));
    }
    return tagged(signals, scope);
  }

  /** A plan is what other agents do with a tool, so it is told as a call of one. */
  #plan(entries: readonly unknown[], scope: Scope): Signal[] {
    const id = `plan-${++this.#plans}`;
    const call = { id, name: "plan", toolKind: "todo_write", input: { entries } } as const;
    return tagged(scope.wholeCall(call, [{ kind: "toolEnd", id, output: null }]), scope);
  }
}

function image(content: Json): Signal {
  const base64 = asText(content.data) || undefined;
  const mimeType = asText(content.mimeType) || "image/*";
  return { kind: "fact", fact: { type: "image_output", mimeType, ...given({ base64 }) } };
}
