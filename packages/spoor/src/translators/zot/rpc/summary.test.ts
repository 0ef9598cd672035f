import { readFileSync } from "node:fs";
import type { Envelope } from "@spoor/protocol";
import { expect, it } from "vitest";
import { readSummary } from "./summary.ts";

const folder = new URL("../../../../../protocol/fixtures/envelopes/", import.meta.url);

async function* run(name: string, count = Number.POSITIVE_INFINITY): AsyncGenerator<Envelope> {
  const lines = readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n");
  for (const line of lines.slice(0, count)) yield JSON.parse(line);
}

const none = () => {};

it("takes the last words of a run that ended well", async () => {
  expect(await readSummary(run("success"), none)).toEqual({ summary: expect.stringMatching(/\S/) });
});

it.each(["aborted", "interrupted", "crashed", "timeout", "lifecycle-cancel-running", "turn-limit"])(
  "takes nothing of the run %s, whatever it said before",
  async (name) => {
    expect(await readSummary(run(name), none)).toEqual({ failure: expect.stringMatching(/\S/) });
  },
);

it("takes nothing of a run that cannot be followed to its end", async () => {
  const broken = async function* () {
    yield* run("success", 60);
    throw new Error("The log was closed.");
  };
  expect(await readSummary(broken(), none)).toEqual({ failure: "the run cannot be followed: The log was closed." });
  expect(await readSummary(run("success", 60), none)).toHaveProperty("failure");
});
