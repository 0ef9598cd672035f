import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRedactor } from "../../packages/spoor/src/runtime/redaction/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const EXTENSIONS = new Set(".js .mjs .cjs .ts .mts .cts .md .json .jsonl .css .html .sh .yaml .yml .toml".split(" "));
/** Skips files with example secrets, builds, and the agents' own programs, which would add nothing new. */
const LEFT_OUT = /[\\/](?:\.git|dist|redaction|secrets|(?:bench|conformance)[\\/]node_modules)(?:[\\/]|$)/;
const LARGEST_FILE = 5_000_000;

interface OrdinaryLines {
  lines: number;
  /** The lines in which something was redacted. */
  changed: string[];
}

/**
 * Reads this repository and its dependencies: code, lock files with hashes, documentation and recordings; plus lines of
 * hashes and ids. `everyNth` samples one line in N from every file, because lines that look like secrets cluster in few files.
 */
export function scanOrdinaryLines(everyNth: number, random: () => number): OrdinaryLines {
  const { redact } = createRedactor();
  const result: OrdinaryLines = { lines: 0, changed: [] };
  let seen = 0;
  const scan = (text: string, where: string): void => {
    for (const line of text.split("\n")) {
      if (seen++ % everyNth !== 0) continue;
      result.lines += 1;
      const redacted = redact(line);
      if (redacted !== line) result.changed.push(`${where}: ${redacted.slice(0, 200)}`);
    }
  };
  for (const file of filesUnder(root)) scan(readFileSync(file, "utf8"), file.slice(root.length));
  for (let count = 0; count < 20_000; count++) scan(hashLine(random), "hashes and ids");
  return result;
}

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (LEFT_OUT.test(path.slice(root.length - 1))) return [];
      if (entry.isDirectory()) return filesUnder(path);
      const isText = entry.isFile() && EXTENSIONS.has(extname(entry.name)) && statSync(path).size < LARGEST_FILE;
      return isText ? [path] : [];
    });
}

/** Hashes, ids and base64 as they appear in `git log`, lock files and images. */
function hashLine(random: () => number): string {
  const hex = (length: number) => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
  const base64 = (length: number) => Buffer.from(hex(length * 2), "hex").toString("base64");
  const lines = [
    `commit ${hex(40)}`,
    `index ${hex(7)}..${hex(7)} 100644`,
    `"integrity": "sha512-${base64(64)}",`,
    `${[8, 4, 4, 4, 12].map(hex).join("-")} sha256:${hex(64)}`,
    `<img src="data:image/png;base64,${base64(600)}">`,
    `run_${hex(26).toUpperCase()} etag "${hex(32)}" ${base64(32)}`,
  ];
  return lines[Math.floor(random() * lines.length)] as string;
}
