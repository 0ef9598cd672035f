import { type Failure, internalError, interrupted } from "../../../kit/failures.ts";
import { asObjects, asText } from "../../../kit/json-values.ts";
import { lookUp } from "../../../kit/look-up.ts";

/** Agents use different codes for an unknown session. A failure with a specific type keeps it. */
export const sessionLost = (event: Failure, code: number | undefined): Failure =>
  event.type === "error" ? { ...event, code: code === -32601 ? "CAPABILITY_ERROR" : "SESSION_NOT_FOUND" } : event;

/** Whatever the agent's error is, the user has to change the model's name. */
export const modelRefused = (event: Failure): Failure =>
  event.type === "error"
    ? { ...event, code: "VALIDATION_ERROR", message: `The agent refused the model: ${event.message}` }
    : event;

export const unknownVersion = (version: unknown): Failure =>
  internalError(
    `The agent speaks version ${JSON.stringify(version)} of ACP, but Spoor supports only version 1.`,
    "CAPABILITY_ERROR",
  );

/** Stop reasons other than the normal end of the model's answer. */
const stops: Readonly<Record<string, Failure>> = {
  cancelled: interrupted,
  max_turn_requests: { type: "turn_limit", maxTurns: 0 },
  refusal: internalError("The model refused to answer."),
};

export const stopFailure = (reason: string): Failure | undefined => lookUp(stops, reason);

/** How to log in, from the methods that the agent offers. */
export function loginBy(methods: unknown): string | undefined {
  const names = asObjects(methods).flatMap(({ name }) => asText(name) ?? []);
  return names.length > 0 ? `Log in to the agent first. It offers: ${names.join(", ")}.` : undefined;
}
