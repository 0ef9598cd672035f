import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What the last real run of each agent showed. */
export type Results = Record<
  string,
  {
    version: string;
    date: string;
    /** Of the adapter's sources at the time. */
    digest: string;
    /** `passed`, or what was wrong. */
    scenarios: Record<string, string>;
    /** Types of events that were seen. */
    types: string[];
  }
>;

export const resultsFile = fileURLToPath(new URL("results.json", import.meta.url));

export const readResults = (): Results =>
  existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : {};
