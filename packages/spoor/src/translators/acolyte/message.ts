import { isObject } from "./request.ts";

/** A message of a client. */
export type ClientMessage =
  | { id: string; type: "status.get" }
  | { id: string; type: "chat.start"; payload: unknown }
  | { id: string; type: "chat.abort"; requestId: string }
  | { id: string; type: "task.status"; taskId: string };

/** The id in answers to messages that have none. */
export const NO_ID = "rpc_unknown";
const MAX_ID = 128;
const TYPES = ["status.get", "chat.start", "chat.abort", "task.status"];

/** Reads a message; undefined means a binary one. Says what is wrong with one that is not understood. */
export function readMessage(text: string | undefined): ClientMessage | { id: string; problem: string } {
  if (text === undefined) return { id: NO_ID, problem: "A message must be text, not binary." };
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { id: NO_ID, problem: "The message is not valid JSON." };
  }
  if (!isObject(message)) return { id: NO_ID, problem: "The message must be a JSON object with id and type." };
  const { id, type, payload } = message;
  if (typeof id !== "string" || id === "" || id.length > MAX_ID) {
    return { id: NO_ID, problem: `The message has no id: a text such as rpc_1, with at most ${MAX_ID} characters.` };
  }
  const named = (name: string): string | undefined => {
    const value = (isObject(payload) ? payload[name] : undefined) ?? message[name];
    return typeof value === "string" ? value : undefined;
  };
  if (type === "status.get") return { id, type };
  if (type === "chat.start") return { id, type, payload: payload ?? message };
  const requestId = named("requestId");
  const taskId = named("taskId");
  if (type === "chat.abort" && requestId !== undefined) return { id, type, requestId };
  if (type === "task.status" && taskId !== undefined) return { id, type, taskId };
  if (type === "chat.abort") return { id, problem: "payload.requestId must be the id of the request to abort." };
  if (type === "task.status") return { id, problem: "payload.taskId must be the id of a task." };
  const wrong =
    type === undefined ? "The message has no type." : `There is no type ${JSON.stringify(type).slice(0, 60)}.`;
  return { id, problem: `${wrong} Use one of ${TYPES.join(", ")}.` };
}
