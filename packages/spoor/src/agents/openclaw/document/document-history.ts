import { textOf } from "../../dialects/pi/results/pi-results.ts";
import { noteOfFrame } from "../../kit/fact-signals.ts";
import { fail } from "../../kit/failures.ts";
import { asObjects, asText, type Json } from "../../kit/json-values.ts";
import type { Signal } from "../../signal.ts";
import { Conversation } from "../conversation/openclaw-conversation.ts";
import { failureOf } from "../conversation/openclaw-failures.ts";

/** Reads the messages of a stored session in their order. Undefined for any other document. */
export function historyOf(document: Json): Signal[] | undefined {
  const { messages, ...rest } = document;
  const id = asText(rest.sessionId);
  if (!Array.isArray(messages)) return undefined;
  const conversation = new Conversation(() => []);
  return [
    ...(id ? [{ kind: "session" as const, id }] : []),
    ...asObjects(messages).flatMap((message, index): Signal[] => {
      const { role, stopReason, errorMessage } = message;
      if (role === "user") return [...(index > 0 ? [{ kind: "promptDone" as const }] : []), { kind: "prompt" }];
      if (role === "assistant" && stopReason === "error") {
        return [fail(failureOf(asText(errorMessage) ?? textOf(message)))];
      }
      return conversation.message({ message, messageId: `${index}` }) ?? [noteOfFrame(message)];
    }),
    { kind: "promptDone" },
    noteOfFrame(rest),
  ];
}
