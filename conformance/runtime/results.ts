import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The outcome of the last real run of each agent under the runtime. */
type RuntimeResults = Record<
  string,
  {
    version: string;
    date: string;
    /** The digest of the adapter's sources at the time. */
    digest: string;
    /** `passed`, or the problem. */
    scenarios: Record<string, string>;
  }
>;

const file = fileURLToPath(new URL("results.json", import.meta.url));

export const readRuntimeResults = (): RuntimeResults =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};

/** Stores the result of one agent. */
export function keepRuntimeResult(name: string, result: RuntimeResults[string]): void {
  // Reads the file again, because another run may have written its result meanwhile.
  writeFileSync(file, `${JSON.stringify({ ...readRuntimeResults(), [name]: result }, null, 2)}\n`);
}
