import { pluginLoaded, rateLimited, retrySignal } from "../../kit/fact-signals.ts";
import { fail } from "../../kit/failures.ts";
import { createJsonMachine } from "../../kit/json-machine.ts";
import { asArray, asNumber, asObject, asObjects, asText, type Json } from "../../kit/json-values.ts";
import { lookUp } from "../../kit/look-up.ts";
import { omitUndefined } from "../../kit/omit-undefined.ts";
import type { Dialect, Machine } from "../../machine.ts";
import type { Signal } from "../../signal.ts";
import { errorFailure, exitFailure } from "../conversation/opencode-failures.ts";
import { riskOf } from "../conversation/opencode-tools.ts";
import { Sessions, type Thread } from "./server-sessions.ts";

/**
 * The events of `opencode serve`, from `/event` or `/global/event`: one per line, with or without the `data:` of the
 * stream. They belong to all sessions, including those of subagents.
 */
export const serverEvents: Dialect = {
  name: "server-events",
  recognises: (frames) =>
    frames.some(({ value }) => {
      const { type, properties } = payloadOf(asObject(value) ?? {});
      return asObject(properties) !== undefined && /^[a-z]+(\.[a-z0-9]+)+$/.test(asText(type) ?? "");
    }),
  // Tool input arrives as a whole.
  streams: { text: true, toolCalls: false, thinking: true },
  canAsk: true,
  createMachine,
};

const payloadOf = (frame: Json): Json => asObject(frame.payload) ?? frame;

function createMachine(): Machine {
  const sessions = new Sessions(read);

  function read(frame: Json, thread: Thread): Signal[] | undefined {
    const { type, properties } = payloadOf(frame);
    return lookUp(handlers, `${type}`)?.(asObject(properties) ?? {}, thread, payloadOf(frame));
  }

  const handlers: Readonly<Record<string, (fields: Json, thread: Thread, event: Json) => Signal[] | undefined>> = {
    "message.updated": ({ info }, thread) => sessions.message(asObject(info) ?? {}, thread),
    "message.part.updated": ({ part }, thread) => sessions.part(asObject(part) ?? {}, thread),
    "message.part.delta": (fields, { conversation }) => conversation.delta(fields),
    "session.updated": ({ info }, thread) => reverted(asObject(asObject(info)?.revert), thread),
    "session.status": ({ status }, thread, event) => {
      const fields = asObject(status) ?? {};
      if (fields.type === "idle") return sessions.idle(thread);
      return fields.type === "retry" ? retry(fields, event) : undefined;
    },
    "session.idle": (_, thread) => sessions.idle(thread),
    "session.error": ({ error }, thread) => sessions.failed(thread, errorFailure(asObject(error) ?? {})),
    "session.compacted": (_, { conversation }) => [conversation.compacted()],
    "permission.asked": ask,
    "permission.replied": ({ requestID, reply }) => [
      { kind: "answer", id: `${requestID}`, granted: reply === "once" || reply === "always" },
    ],
    "question.asked": question,
    "plugin.added": ({ id }) => {
      const pluginId = asText(id);
      if (!pluginId) return undefined;
      return [pluginLoaded(pluginId)];
    },
  };

  const machine = createJsonMachine({
    frame: (frame) => sessions.frame(payloadOf(frame)),
    exit(code, signal) {
      const rest = sessions.close();
      return sessions.isSettled ? rest : [...rest, fail(exitFailure(code, signal, ""))];
    },
  });
  return {
    ...machine,
    line(text) {
      const payload = /^(?:(data)|event|id|retry)?: ?/.exec(text);
      if (!payload) return machine.line(text);
      return payload[1] ? machine.line(text.slice(payload[0].length)) : [];
    },
  };
}

function ask(fields: Json, { conversation }: Thread): Signal[] {
  const { id, permission, patterns, metadata, tool } = fields;
  const action = asText(permission) ?? "other";
  const detail = asText(asObject(metadata)?.command) ?? asArray(patterns).join(", ");
  const asked = { kind: "ask", id: `${id}`, action, detail, risk: riskOf(action) } as const;
  return conversation.calls.ask(asText(asObject(tool)?.callID) ?? "", (call) => ({
    ...asked,
    ...omitUndefined({
      tool: call,
      diff: asText(asObject(metadata)?.diff) || undefined,
      input: call ? undefined : metadata,
    }),
  }));
}

function question({ id, questions, tool }: Json, { conversation }: Thread): Signal[] {
  const words = asObjects(questions).map((one) => asText(one.question) ?? "");
  return conversation.calls.ask(asText(asObject(tool)?.callID) ?? "", () => ({
    ...{ kind: "question", id: `${id}`, source: tool ? "tool" : "agent" },
    ...{ question: words.join("\n"), context: JSON.stringify(questions ?? []) },
  }));
}

/** Before it returns to an earlier message, OpenCode saves the current state so that the return can be undone. */
function reverted(revert: Json | undefined, thread: Thread): Signal[] | undefined {
  const checkpointId = asText(revert?.snapshot) ?? asText(revert?.messageID);
  if (!checkpointId || checkpointId === thread.revertedTo) return undefined;
  thread.revertedTo = checkpointId;
  return [
    { kind: "fact", fact: { type: "session_checkpoint", checkpointId } },
    { kind: "note", level: "info", message: `The session was put back: ${JSON.stringify(revert)}` },
  ];
}

function retry({ attempt, message, next }: Json, event: Json): Signal[] {
  const reason = asText(message) ?? "";
  const delayMs = delayUntil(asNumber(next), asText(event.id));
  const isLimited = /rate.?limit|too many requests|quota|429/i.test(reason);
  return [...(isLimited ? [rateLimited(delayMs || undefined)] : []), retrySignal(reason, { attempt, delayMs })];
}

/** Only the id of an event contains its time: the milliseconds times 4096, cut to 48 bits. */
function delayUntil(next: number | undefined, id: string | undefined): number {
  const digits = /^evt_([0-9a-f]{12})/.exec(id ?? "")?.[1];
  if (!digits || !next) return 0;
  const madeAt = Number.parseInt(digits, 16) / 4096;
  const delay = (next % 2 ** 36) - madeAt;
  return delay > 0 && delay < 86_400_000 ? Math.round(delay) : 0;
}
