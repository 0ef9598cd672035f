import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const agents = join(import.meta.dirname, "../packages/spoor/src/agents");

/** The folders an agent's adapter is made of. */
const sources: Readonly<Record<string, readonly string[]>> = {
  claude: ["claude", "dialects/claude-stream-json"],
  codex: ["codex"],
  copilot: ["copilot", "dialects/acp"],
  gemini: ["gemini", "dialects/acp"],
  opencode: ["opencode", "dialects/acp"],
  omp: ["omp", "dialects/pi", "dialects/acp"],
  openclaw: ["openclaw", "dialects/acp", "dialects/pi"],
  pi: ["pi", "dialects/pi"],
  qwen: ["qwen", "dialects/claude-stream-json", "dialects/acp"],
};

/** Changes when the adapter does: a real run of another digest proves nothing of this one. */
export function digestOf(agent: string): string {
  const hash = createHash("sha256");
  for (const folder of sources[agent] ?? []) {
    const files = readdirSync(join(agents, folder), { recursive: true, encoding: "utf8" }).filter(
      // What is known about an agent shows in no run, nor do tests.
      (name) => name.endsWith(".ts") && !/(?:about|\.test)\.ts$/.test(name),
    );
    for (const file of files.sort())
      hash.update(`${folder}/${file}\n`).update(readFileSync(join(agents, folder, file)));
  }
  return hash.digest("hex").slice(0, 16);
}
