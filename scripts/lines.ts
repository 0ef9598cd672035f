// Prints how many lines of code each agent takes: npm run lines. A profile states how an agent differs in a known
// dialect; a dialect is a folder, or a file, that makes a machine. Facts (about-*.ts), session logs (*-session-logs.ts)
// and tests are not counted.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const PROFILE = 60;
const DIALECT = 500;

const agents = path.join(import.meta.dirname, "../packages/spoor/src/agents");

/** A pattern that matches once per agent, for a folder that is a table of many agents. */
const tables: Readonly<Record<string, RegExp>> = { acp: /\blaunch: \["/g };

/** Why a limit is exceeded. */
const reasons: Readonly<Record<string, string>> = {
  claude: "older versions report errors as messages of the model",
  qwen: "two dialects, and errors that are reported as messages of the model",
  "dialects/claude-stream-json": "three agents, two of which report errors as messages of the model",
  "dialects/acp": "the whole protocol for all its agents, and what the client does for them",
  "dialects/pi": "three dialects of two agents, and the subagents of one",
};

interface Row {
  name: string;
  profile?: number;
  reads?: number;
  drives?: number;
}

const rows = [
  ...foldersIn(agents).flatMap(rowsOf),
  ...foldersIn(path.join(agents, "dialects")).map((name) => partOf(`dialects/${name}`, filesBelow(`dialects/${name}`))),
];

print(["", "profile", "reads", "drives", "limit"]);
for (const { name, profile, reads, drives } of rows) {
  const [lines = 0, limit] = profile === undefined ? [reads, DIALECT] : [profile, PROFILE];
  const verdict = lines < limit ? "" : `  missed: ${reasons[name] ?? "no reason is given"}`;
  print([name, profile, reads, drives, `under ${limit}`, verdict]);
}

/**
 * An agent's profile, each of its own dialects, and the code that these share. An agent with one dialect shares
 * nothing.
 */
function rowsOf(agent: string): Row[] {
  const files = filesBelow(agent);
  const isProfile = (file: string) => file === `${agent}/index.ts` || file === `${agent}/${agent}-profile.ts`;
  const dialects = files.filter((file) => !isProfile(file) && makesMachine(file)).map(dialectOf);
  if (dialects.length === 0) {
    return files.some(makesMachine) ? [partOf(agent, files)] : [profileOf(agent, files)];
  }
  const inside = (dialect: string) =>
    files.filter((file) => file === `${dialect}.ts` || file.startsWith(`${dialect}/`));
  const rest = files.filter((file) => !isProfile(file) && !dialects.flatMap(inside).includes(file));
  const profile = { name: agent, profile: sum(files.filter(isProfile)) };
  const [only] = dialects;
  if (dialects.length === 1 && only !== undefined) return [profile, partOf(only, [...inside(only), ...rest])];
  const shared = rest.length > 0 ? [partOf(`${agent} (shared)`, rest)] : [];
  return [profile, ...dialects.map((dialect) => partOf(dialect, inside(dialect))), ...shared];
}

/** For a table of agents, the lines per agent. */
function profileOf(agent: string, files: readonly string[]): Row {
  const row = tables[agent];
  if (row === undefined) return { name: agent, profile: sum(files) };
  const count = files.flatMap((file) => read(file).match(row) ?? []).length;
  return { name: `${agent} (each of ${count})`, profile: Math.ceil(sum(files) / count) };
}

/** A folder below the agent's folder, or a file beside its profile. */
function dialectOf(file: string): string {
  const folder = path.posix.dirname(file);
  return folder.includes("/") ? folder : file.replace(/\.ts$/, "");
}

function makesMachine(file: string): boolean {
  return read(file).includes("createMachine");
}

/** Driving code is in a folder of that name, or in a file named so. */
function partOf(name: string, files: readonly string[]): Row {
  const isDriving = (file: string) => /\/driving\/|-(?:live|driver)\.ts$/.test(file);
  return { name, reads: sum(files.filter((file) => !isDriving(file))), drives: sum(files.filter(isDriving)) };
}

function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return entries.map(({ name }) => name).filter((name) => name !== "dialects" && name !== "kit");
}

/** The files that count, by path below the agents' folder. */
function filesBelow(folder: string): string[] {
  const names = readdirSync(path.join(agents, folder), { recursive: true, encoding: "utf8" });
  return names
    .map((name) => `${folder}/${name.replaceAll(path.sep, "/")}`)
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\/about-[a-z]+\.ts$|-session-logs\.ts$/.test(file))
    .sort();
}

/** Lines that are neither blank nor comments. */
function sum(files: readonly string[]): number {
  const lines = files.flatMap((file) =>
    read(file)
      .replaceAll(/\/\*[\s\S]*?\*\//g, "")
      .split("\n"),
  );
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

function read(file: string): string {
  return readFileSync(path.join(agents, file), "utf8");
}

function print([name = "", ...cells]: readonly (string | number | undefined)[]): void {
  const line = [String(name).padEnd(28), ...cells.map((cell) => String(cell ?? "").padStart(11))].join("");
  console.log(line.trimEnd());
}
