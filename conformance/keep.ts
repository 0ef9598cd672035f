import { writeFileSync } from "node:fs";
import type { Cli } from "./cli.ts";
import { type Results, readResults, resultsFile } from "./results.ts";
import type { AllRuns } from "./run-all.ts";
import { printWires, readWires, wiresFile } from "./wire.ts";

/** Stores the result of a run. */
export function keep({ name }: Cli, version: string, digest: string, { scenarios, types, wire }: AllRuns): void {
  keepResult(name, { version, digest, scenarios, types });
  writeFileSync(wiresFile, printWires({ ...readWires(), [name]: wire }));
}

/** Stores the outcomes alone, for an agent that prints no frames. */
export function keepResult(name: string, result: Omit<Results[string], "date">): void {
  const { version, digest, scenarios, types } = result;
  const date = new Date().toISOString().slice(0, 10);
  // Reads the file again, because another run may have written its result meanwhile.
  const results = { ...readResults(), [name]: { version, date, digest, scenarios, types } };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
}
