import { rmSync } from "node:fs";
import type { TestProject } from "vitest/node";

/** Takes away what the tests recorded in the home that vitest.config.ts gives them. */
export default function setup({ config }: TestProject): () => void {
  return () => rmSync(config.env.SPOOR_HOME ?? "", { recursive: true, force: true });
}
