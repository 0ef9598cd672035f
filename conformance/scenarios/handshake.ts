import { expectEvent } from "./expectations.ts";
import type { Outcome, Scenario } from "./scenario.ts";

/** For agents that do nothing without a login: the part that can be driven without one. */
export const handshake: readonly Scenario[] = [
  { name: "not logged in", script: () => [], problems },
  // The agent accepts the options that keep it from acting.
  { name: "not logged in, with nothing allowed", approve: "deny", mayBeRefused: true, script: () => [], problems },
];

function problems(outcome: Outcome): string[] {
  const isAnswer = (message: string) => message.includes('"protocolVersion":1');
  return [
    ...expectEvent(outcome, "debug", ({ message }) => isAnswer(message), "an answer to initialize"),
    ...expectEvent(outcome, "auth_error", ({ guidance }) => guidance !== "", "an auth_error that says what to do"),
  ];
}
