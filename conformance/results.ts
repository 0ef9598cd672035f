import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The result of the last real run of each agent. */
export type Results = Record<
  string,
  {
    version: string;
    date: string;
    /** The digest of the adapter's sources at the time; empty for our own loop, which every test run drives. */
    digest: string;
    /** `passed`, or the problem. */
    scenarios: Record<string, string>;
    /** The event types that occurred. */
    types: string[];
  }
>;

export const resultsFile = fileURLToPath(new URL("results.json", import.meta.url));

export const readResults = (): Results =>
  existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : {};
