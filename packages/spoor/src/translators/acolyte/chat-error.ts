import { SpoorError, ValidationError } from "../../failures/errors.ts";
import { LogError } from "../../log/errors.ts";
import { TaskError } from "../../runtime/tasks/task-error.ts";
import { ChatError, errorFields } from "./errors.ts";
import { newErrorId } from "./ids.ts";
import type { ErrorFields } from "./stream-event.ts";

/** The error that ends a request. What nobody expected is printed for the operator, with the id that the client gets. */
export function toErrorFields(error: unknown): ErrorFields {
  const errorId = newErrorId();
  if (error instanceof ChatError) return errorFields(error.code, error.message, errorId);
  if (error instanceof ValidationError) return errorFields("E_BAD_REQUEST", error.message, errorId, "invalid");
  if (error instanceof TaskError || error instanceof LogError)
    return errorFields("E_REFUSED", error.message, errorId, error.code);
  if (error instanceof SpoorError) return errorFields("E_REFUSED", error.message, errorId, error.code.toLowerCase());
  console.error(errorId, error);
  return errorFields("E_INTERNAL", "The server failed to handle this request.", errorId);
}
