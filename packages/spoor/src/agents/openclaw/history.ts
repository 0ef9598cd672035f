import { asObjects, asText, type Json } from "../json-machine.ts";
import type { Signal } from "../signal.ts";
import { Conversation } from "./conversation/index.ts";
import { failureOf } from "./failures.ts";

/** The messages of a session that is kept, read as they came. Undefined for any other document. */
export function historyOf(document: Json): Signal[] | undefined {
  const id = asText(document.sessionId);
  if (!Array.isArray(document.messages)) return undefined;
  const conversation = new Conversation(() => []);
  const messages = asObjects(document.messages);
  return [
    ...(id ? [{ kind: "session" as const, id }] : []),
    ...messages.flatMap((message, index): Signal[] => {
      const { role, stopReason, errorMessage } = message;
      if (role === "user") return [...(index > 0 ? [{ kind: "promptDone" as const }] : []), { kind: "prompt" }];
      if (role === "assistant" && stopReason === "error") {
        return [{ kind: "fail", event: failureOf(asText(errorMessage) ?? textIn(message)) }];
      }
      return conversation.message({ message, messageId: `${index}` }) ?? [noted(message)];
    }),
    { kind: "promptDone" },
    noted(Object.fromEntries(Object.entries(document).filter(([name]) => name !== "messages"))),
  ];
}

const textIn = ({ content }: Json): string =>
  asObjects(content)
    .map((block) => asText(block.text) ?? "")
    .join("");

const noted = (value: Json): Signal => ({ kind: "note", message: JSON.stringify(value) });
