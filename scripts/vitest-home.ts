import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";

/** Removes the SPOOR_HOME that vitest.config.ts gives to the tests. */
export default function setup({ config }: TestProject): () => void {
  return () => rmSync(config.env.SPOOR_HOME ?? "", { recursive: true, force: true });
}
