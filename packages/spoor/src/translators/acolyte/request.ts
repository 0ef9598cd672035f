import { problems, validator } from "@spoor/protocol";
import { ChatRequest } from "@spoor/protocol/api";
import { ValidationError } from "../../failures/errors.ts";
import type { Said } from "../conversation/history.ts";

const isRequest = validator(ChatRequest);

/**
 * Reads the request of a chat: as it is, or inside of `request`, as Acolyte's own clients send it. Unknown fields are ignored.
 *
 * @throws {ValidationError} which says what is wrong with which field.
 */
export function readRequest(value: unknown): ChatRequest {
  const given = isObject(value) && isObject(value.request) ? value.request : value;
  if (!isObject(given))
    throw new ValidationError([{ field: "request", message: "The request must be a JSON object." }]);
  if (!isRequest(given)) {
    throw new ValidationError(
      problems(ChatRequest, given).map(({ path, message }) => {
        const field = path.slice(1).replaceAll("/", ".");
        return { field, message: `The request is invalid at ${field || "its top"}: ${message}.` };
      }),
    );
  }
  const request = given as ChatRequest;
  if (request.message.trim() === "")
    throw new ValidationError([{ field: "message", message: "The message is empty. Say what the agent shall do." }]);
  return request;
}

/** What was said before. What a program told the agent counts as the user's. */
export const historyOf = ({ history = [] }: ChatRequest): Said[] =>
  history
    .filter(({ content }) => content.trim() !== "")
    .map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", text: content }));

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
