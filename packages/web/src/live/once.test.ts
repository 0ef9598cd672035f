import { SpoorClientError } from "@spoor/protocol/client";
import { expect, test } from "vitest";
import { createOnce } from "./once.ts";

const unanswered = new SpoorClientError("network", "No answer.", { retryable: true });
const refused = new SpoorClientError("run_active", "It still goes on.", { retryable: false, status: 409 });

/** Sends with the answers of a server, and returns the keys that it saw. */
function sender(answers: readonly (Error | string)[]) {
  let next = 0;
  const keys: string[] = [];
  const once = createOnce(() => `key_${next++}`);
  const left = [...answers];
  const send = (what: readonly unknown[]) =>
    once(what, async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      const answer = left.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    }).catch((error: Error) => error);
  return { keys, send };
}

test("a second try of what nobody answered has the key of the first", async () => {
  const { keys, send } = sender([unanswered, unanswered, "done", "done"]);
  for (let times = 0; times < 3; times++) await send(["retry", "run_1", {}]);
  expect(keys).toEqual(["key_0", "key_0", "key_0"]);
  // It was answered, so the same wish is a new one.
  await send(["retry", "run_1", {}]);
  expect(keys.at(-1)).toBe("key_1");
});

test("what was refused, and anything else, has a key of its own", async () => {
  const { keys, send } = sender([refused, unanswered, "done"]);
  await send(["continue", "run_1", { prompt: "a" }]);
  await send(["continue", "run_1", { prompt: "a" }]);
  await send(["continue", "run_1", { prompt: "b" }]);
  expect(keys).toEqual(["key_0", "key_1", "key_2"]);
});
