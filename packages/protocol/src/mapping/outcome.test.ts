import { expect, it } from "vitest";
import { Script } from "../../testing/script.ts";
import { outcomeOf } from "./outcome.ts";

const crashed = (exitCode: number, stderr: string) =>
  outcomeOf(new Script().emit("crash", { exitCode, stderr }).events.at(-1)).data;

it("a limit of one turn is told as one", () => {
  const limited = (maxTurns: number) => outcomeOf(new Script().emit("turn_limit", { maxTurns }).events.at(-1)).data;
  expect(limited(1).message).toBe("The limit of 1 turn was reached.");
  expect(limited(2).message).toBe("The limit of 2 turns was reached.");
});

it("a crash tells the code the process ended with", () => {
  expect(crashed(137, "Killed").message).toBe("The agent's process ended with code 137.");
});

it("a crash without a code tells why, where anything is known", () => {
  const reason = 'Cannot start "claude": no program of this name is on PATH.';
  expect(crashed(-1, reason)).toMatchObject({
    message: `The agent's process failed: ${reason}`,
    error: `The agent's process failed: ${reason}`,
  });
  expect(crashed(-1, "one\ntwo\n\n").message).toBe("The agent's process failed: two");
  expect(crashed(-1, " \n").message).toBe("The agent's process ended before it was done.");
});
