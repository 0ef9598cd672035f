// Prints how many lines of code each agent and each shared dialect takes: npm run lines.
// What is known about an agent (about.ts), the reading of its own session logs and tests are not counted.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const agents = path.join(import.meta.dirname, "../packages/spoor/src/agents");

/** Lines that are neither blank nor comment. */
function codeLines(file: string): number {
  const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  return text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

function linesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith(".ts") && !/(?:\.test|^about|^sessions)\.ts$/.test(name) && !name.includes("testing"),
    )
    .reduce((sum, name) => sum + codeLines(path.join(folder, name)), 0);
}

const folders = (below: string): string[] =>
  readdirSync(below, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "dialects" && entry.name !== "testing")
    .map(({ name }) => name);

const rows = [
  ...folders(agents).map((name) => [name, linesBelow(path.join(agents, name))] as const),
  ...folders(path.join(agents, "dialects")).map(
    (name) => [`dialects/${name}`, linesBelow(path.join(agents, "dialects", name))] as const,
  ),
];
for (const [name, lines] of rows.sort(([, a], [, b]) => a - b)) console.log(`${String(lines).padStart(5)}  ${name}`);
