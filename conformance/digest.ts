import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOnly } from "../scripts/code-only.ts";

const agents = join(import.meta.dirname, "../packages/spoor/src/agents");

/** The folders of each agent's adapter. */
const sources: Readonly<Record<string, readonly string[]>> = {
  claude: ["claude", "dialects/claude-stream-json"],
  codex: ["codex"],
  copilot: ["copilot", "dialects/acp"],
  gemini: ["gemini", "dialects/acp"],
  opencode: ["opencode", "dialects/acp"],
  omp: ["omp", "dialects/pi", "dialects/acp"],
  openclaw: ["openclaw", "dialects/acp", "dialects/pi"],
  pi: ["pi", "dialects/pi"],
  kilo: ["acp", "dialects/acp", "opencode"],
  ...Object.fromEntries(
    ["auggie", "claude-agent-acp", "cline", "codex-acp", "droid", "grok", "kimi", "pi-acp", "qoder"].map((name) => [
      name,
      ["acp", "dialects/acp"],
    ]),
  ),
  qwen: ["qwen", "dialects/claude-stream-json", "dialects/acp"],
};

/**
 * Changes with the adapter's code or the code that all adapters share: a real run with another digest proves nothing
 * about the current code. Facts about agents, tests and session logs are left out because they do not affect a run. So are
 * the files directly in the agents' folder, which declare types and list the agents, and comments in all files.
 */
export function digestOf(agent: string): string {
  const own = (sources[agent] ?? []).flatMap((folder) => filesIn(folder, true).map((file) => `${folder}/${file}`));
  const shared = filesIn("kit", false).map((file) => `kit/${file}`);
  const hash = createHash("sha256");
  for (const file of [...own, ...shared]) hash.update(`${file}\n`).update(codeOfFile(file));
  return hash.digest("hex").slice(0, 16);
}

const codeOfFile = (file: string): string => codeOnly(file, readFileSync(join(agents, file), "utf8"));

const filesIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(agents, folder), { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/(?:about-[a-z]+|\.test|session-logs?|session-draft)\.ts$/.test(name))
    .sort();
