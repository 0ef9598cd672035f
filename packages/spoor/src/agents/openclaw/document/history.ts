import { textOf } from "../../dialects/pi/results/pi-results.ts";
import { noteOf } from "../../kit/facts.ts";
import { fail } from "../../kit/failure.ts";
import { asObjects, asText, type Json } from "../../kit/json-machine.ts";
import type { Signal } from "../../signal.ts";
import { failureOf } from "../conversation/failures.ts";
import { Conversation } from "../conversation/openclaw-conversation.ts";

/** The messages of a session that is kept, read as they came. Undefined for any other document. */
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
      return conversation.message({ message, messageId: `${index}` }) ?? [noteOf(message)];
    }),
    { kind: "promptDone" },
    noteOf(rest),
  ];
}
