import { expect } from "vitest";
import type { Log } from "../../src/log/log.ts";
import { differences } from "../../src/runtime/repair/differences.ts";
import { rebuild } from "../../src/runtime/repair/rebuild.ts";

/** Makes every projection of the log again from its events, and expects the rows that are stored. */
export async function expectProjectionsRebuilt(log: Log): Promise<void> {
  const found = [];
  for await (const { expected: _, ...difference } of differences(log, await rebuild(log))) found.push(difference);
  expect(found).toEqual([]);
}
