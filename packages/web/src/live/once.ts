import { createUlidSource } from "@spoor/protocol";
import { SpoorClientError } from "@spoor/protocol/client";

/** Sends something with a key. `what` names it; it is the same for a second try. */
type Once = <Answer>(
  what: readonly unknown[],
  send: (call: { idempotencyKey: string }) => Promise<Answer>,
) => Promise<Answer>;

/**
 * Makes sure that the server does once what a person asked for twice because nobody heard the first answer: the second try
 * has the key of the first. After an answer, the same wish is a new one.
 */
export function createOnce(newKey = createUlidSource({ prefix: "key_" })): Once {
  const unanswered = new Map<string, string>();
  return async (what, send) => {
    const name = JSON.stringify(what);
    const idempotencyKey = unanswered.get(name) ?? newKey();
    unanswered.set(name, idempotencyKey);
    try {
      const answer = await send({ idempotencyKey });
      unanswered.delete(name);
      return answer;
    } catch (error) {
      if (!isUnanswered(error)) unanswered.delete(name);
      throw error;
    }
  };
}

/** Whether nobody knows what became of a request. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof SpoorClientError && error.status === undefined;

/** The requests of this tab. */
export const once = createOnce();
